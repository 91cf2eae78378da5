"""The header of a definition on one line: what it is called, what it takes, what it gives."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

SIGNATURE_CHARACTERS = 300

_DECORATORS = frozenset(
    {"decorator", "annotation", "marker_annotation", "attribute", "attribute_list", "attribute_item"}
)
_BODIES = frozenset({"function_body", "class_body", "enum_class_body", "field_declaration_list", "declaration_list"})


def signature_of(outer: Node, node: Node, source: bytes, comments: list[tuple[int, int]]) -> str:
    """The header on one line: from behind the decorators up to the body, without comments.

    Where there is no body it is the first line, or all of a type or declaration. `outer` is `node` with what wraps it,
    `comments` are the byte ranges of all comments, in order.
    """
    start = _behind_decorators(outer)
    body = _body(node)
    end = body.start_byte if body is not None and body.start_byte > start else node.end_byte
    end = min(end, start + 8 * SIGNATURE_CHARACTERS)
    header = b""
    for first, last in comments[bisect_left(comments, (start, 0)) :]:
        if first >= end:
            break
        header += source[start:first] + b" "
        start = last
    header += source[start:end]
    whole = body is not None or "type" in node.type or "declarator" in node.type or "signature" in node.type
    written = header.decode("utf-8", "replace").strip()
    flat = " ".join((written if whole else written.split("\n", 1)[0]).split())
    return flat[:SIGNATURE_CHARACTERS] if flat.endswith("=>") else flat.rstrip("{:= ")[:SIGNATURE_CHARACTERS]


def _behind_decorators(node: Node) -> int:
    start = node.start_byte
    leading = list(node.children)
    while leading:
        child = leading.pop(0)
        if child.type == "modifiers":
            leading = [*child.children, *leading]
        elif child.type in _DECORATORS:
            start = child.end_byte
        elif child.type in {"class_declaration", "abstract_class_declaration"} and node.type == "export_statement":
            leading = [*child.children]
        else:
            break
    return start


def _body(node: Node) -> Node | None:
    for field in ("body", "accessors"):
        body = node.child_by_field_name(field)
        if body is not None:
            return body
    for field in ("value", "right", "type"):
        value = node.child_by_field_name(field)
        if value is None:
            continue
        while value.type in {"as_expression", "satisfies_expression"} and value.named_children:
            value = value.named_children[0]
        body = value.child_by_field_name("body")
        return body or next((child for child in value.children if child.type in _BODIES), None)
    return next((child for child in node.children if child.type in _BODIES), None)
