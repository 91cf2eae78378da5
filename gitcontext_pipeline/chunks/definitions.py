"""What a source file defines: every definition its language's query finds, with its lines, name, header and doc."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gitcontext_pipeline.chunks.comments import clean_comment, clean_docstring
from gitcontext_pipeline.chunks.grammars import parse, query_of
from gitcontext_pipeline.chunks.languages import Language
from gitcontext_pipeline.chunks.lines import LONGEST_LINE, file_lines
from gitcontext_pipeline.chunks.names import text_of
from gitcontext_pipeline.chunks.signatures import SIGNATURE_CHARACTERS, signature_of

if TYPE_CHECKING:
    from tree_sitter import Node

SYMBOL_CHARACTERS = 200
"""Longest qualified name; in deeper nests a definition keeps just its own."""

TYPES = frozenset({"class", "struct", "union", "interface", "trait", "impl", "enum", "object", "extension", "actor"})
"""Kinds whose members are named after them, and whose functions are methods."""
CONTAINERS = TYPES | {"namespace", "module"}
"""Kinds that hold definitions rather than code that runs."""

_LAST = {"constant": 1, "variable": 1, "property": 1, "type": 1, "declaration": 2}
"""A node that is captured twice keeps its first name; these give way to the others."""
_NAMELESS = frozenset({"namespace", "constant", "variable"})
_KIND_WORDS = re.compile(r"\b(class|struct|enum|interface|extension|actor|object|trait)\b")


@dataclass(slots=True)
class Definition:
    """One definition; rows are 0-based and inclusive.

    `start` is the first row of its comments and decorators, `head` that of the definition proper. `parent` is the index
    of the definition around it. `bodiless` tells a declaration (an overload, an abstract method) from a definition.
    """

    start: int
    head: int
    end: int
    kind: str
    symbol: str | None
    signature: str
    doc: str
    parent: int | None
    bodiless: bool = False

    @property
    def length(self) -> int:
        return self.end - self.start + 1


@dataclass(frozen=True, slots=True)
class Definitions:
    """The definitions of one file, outer ones before those inside them, and the rows that hold nothing but comments."""

    lines: list[str]
    found: list[Definition]
    comment_rows: frozenset[int]

    def says_nothing(self, row: int) -> bool:
        """Whether the row is blank or part of a comment."""
        return row in self.comment_rows or not self.lines[row].strip()


def find_definitions(language: Language, text: str) -> Definitions:
    """The definitions of a source file. Raises ImportError without the grammar, ValueError when the parser is lost."""
    from tree_sitter import QueryCursor

    lines = file_lines(text)
    # Some grammars' scanners (Kotlin's) look for the end of a word for ever when the file ends within it.
    source = text.encode("utf-8", "replace") + b"\n"
    root = parse(language, source).root_node
    captures = QueryCursor(query_of(language)).captures(root)
    comments, attributes = captures.pop("comment", []), captures.pop("attribute", [])
    comment_bytes = sorted((node.start_byte, node.end_byte) for node in comments)
    wrappers = {node.id for node in captures.pop("wrapper", [])}
    comments = [node for node in comments if _starts_line(node, source)]
    above = {last: first for node in comments + attributes for first, last in [_rows(node)]}
    comment_rows = frozenset(row for node in comments for row in range(_rows(node)[0], _rows(node)[1] + 1))
    found: list[Definition] = []
    around: list[tuple[int, int]] = []
    for kind, node in _in_order(captures):
        if node.start_point.row < len(lines) and len(lines[node.start_point.row]) > LONGEST_LINE:
            continue
        name = language.name_of(node)
        if name is None and kind not in _NAMELESS:
            continue
        while around and around[-1][0] <= node.start_byte:
            around.pop()
        parent = around[-1][1] if around else None
        outer = _with_wrappers(node, wrappers)
        first = min(outer.start_point.row, len(lines) - 1)
        start = _start_with_what_is_above(first, above, lines)
        signature = signature_of(outer, node, source, comment_bytes)
        owner = found[parent] if parent is not None else None
        definition = Definition(
            start=max(start, owner.head) if owner else start,
            head=first,
            end=max(first, min(_rows(node)[1], len(lines) - 1)),
            kind=_refined(kind, name, owner, signature),
            symbol=_qualified(name, kind, found, parent),
            signature=_title_path(name, found, parent) if kind == "test" else signature,
            doc=_doc(language, node, lines[start:first], comment_rows, start),
            parent=parent,
            bodiless=kind == "declaration" or _is_stub(node),
        )
        around.append((node.end_byte, len(found)))
        found.append(definition)
    if root.has_error:
        _complete(found, lines)
    return Definitions(lines, found, comment_rows)


def _in_order(captures: dict[str, list[Node]]) -> list[tuple[str, Node]]:
    """One (kind, node) per captured node, outer nodes before inner ones."""
    kinds: dict[int, tuple[str, Node]] = {}
    for kind in sorted(
        (kind for kind in captures if not kind.startswith("_")), key=lambda kind: (_LAST.get(kind, 0), kind)
    ):
        for node in captures[kind]:
            kinds.setdefault(node.id, (kind, node))
    return sorted(kinds.values(), key=lambda item: (item[1].start_byte, -item[1].end_byte))


def _rows(node: Node) -> tuple[int, int]:
    """First and last row; a node that ends with its line's newline (as Rust's doc comments do) ends on that line."""
    last = node.end_point.row
    if node.end_point.column == 0 and last > node.start_point.row:
        last -= 1
    return node.start_point.row, last


def _starts_line(node: Node, source: bytes) -> bool:
    return not source[node.start_byte - node.start_point.column : node.start_byte].strip()


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip())


def _start_with_what_is_above(row: int, above: dict[int, int], lines: list[str]) -> int:
    """The first row of the comments and attributes that stand directly above `row`, indented as it is."""
    indentation = _indentation(lines[row]) if row < len(lines) else 0
    while row - 1 in above and _indentation(lines[above[row - 1]]) == indentation:
        row = above[row - 1]
    return row


def _with_wrappers(node: Node, wrappers: set[int]) -> Node:
    """The outermost node that is `node` with its `export`, `template <...>` or decorators."""
    while (parent := node.parent) is not None and parent.id in wrappers:
        node = parent
    return node


def _refined(kind: str, name: str | None, owner: Definition | None, signature: str) -> str:
    """Functions of a type are methods; grammars that say `class` for everything keep the real word in the header."""
    if kind == "class":
        word = _KIND_WORDS.search(signature)
        return word.group(1) if word else kind
    if kind == "function" and "(" not in signature and signature.startswith(("class ", "struct ")):
        return signature.split(" ", 1)[0]
    if kind in {"function", "declaration", "method"}:
        member = (owner is not None and owner.kind in TYPES) or "." in (name or "")
        if kind == "method":
            return "method" if member or owner is not None else "function"
        return "method" if member else "function"
    return kind


def _qualified(name: str | None, kind: str, found: list[Definition], parent: int | None) -> str | None:
    """`name` after the nearest enclosing definition that names are qualified by (namespaces and tests are not)."""
    if name is None or kind == "test":
        return name
    while parent is not None:
        owner = found[parent]
        if owner.symbol is not None and owner.kind not in {"namespace", "test"}:
            qualified = name if name.startswith(f"{owner.symbol}.") else f"{owner.symbol}.{name}"
            return qualified if len(qualified) <= SYMBOL_CHARACTERS else name
        parent = owner.parent
    return name


def _title_path(title: str | None, found: list[Definition], parent: int | None) -> str:
    """The titles of the test blocks around a test, and its own: `Parcel > has a weight`."""
    titles = [title or ""]
    while parent is not None:
        if found[parent].kind == "test":
            titles.insert(0, found[parent].symbol or "")
        parent = found[parent].parent
    return " > ".join(titles)[:SIGNATURE_CHARACTERS]


def _complete(found: list[Definition], lines: list[str]) -> None:
    """Let definitions that the grammar lost hold of reach as far as the lines indented below them do."""
    for definition in found:
        indentation = _indentation(lines[definition.head])
        if definition.parent is not None or _indentation(lines[definition.end]) <= indentation:
            continue
        row = definition.end + 1
        while row < len(lines) and (not lines[row].strip() or _indentation(lines[row]) > indentation):
            definition.end = row if lines[row].strip() else definition.end
            row += 1
        if row < len(lines) and _indentation(lines[row]) == indentation and lines[row].lstrip()[0] in "})]":
            definition.end = row


def _is_stub(node: Node) -> bool:
    """Whether a Python function has nothing but `...` for a body, as overloads have."""
    body = node.child_by_field_name("body") if node.type == "function_definition" else None
    return body is not None and body.end_byte - body.start_byte == 3 and text_of(body) == "..."


def _doc(language: Language, node: Node, above: list[str], comment_rows: frozenset[int], first: int) -> str:
    if language.docstrings:
        body = node.child_by_field_name("body")
        statement = body.named_children[0] if body is not None and body.named_children else None
        literal = statement.named_children[0] if statement is not None and statement.named_children else None
        if statement is not None and statement.type == "expression_statement" and literal is not None:
            return clean_docstring(text_of(literal)) if literal.type == "string" else ""
        return ""
    return clean_comment(line for row, line in enumerate(above, first) if row in comment_rows)
