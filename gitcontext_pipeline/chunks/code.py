"""Source code as spans: one per definition, and spans for the code between them.

- Members of a type, namespace or module are spans of their own; what the type holds beside them (header, docstring,
  attributes) makes spans named for the type.
- Inside a function, a definition shorter than `NESTED_LINES` is only part of the function. A longer one is a span too:
  besides the function's where that fits `MAX_LINES` as a whole, cut out of it where it does not.
- Short constants, type aliases and declarations join the code around them, which takes their name if it has only one.
- What is longer than `MAX_LINES` is cut into pieces that keep the name; only the first keeps the doc comment.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from gitcontext_pipeline.chunks.definitions import CONTAINERS, Definition, find_definitions
from gitcontext_pipeline.chunks.languages import Language
from gitcontext_pipeline.chunks.lines import WINDOW_LINES, file_lines, is_blank, pieces, trim
from gitcontext_pipeline.chunks.schema import Span

MAX_LINES = 100
NESTED_LINES = 12
MINOR_LINES = 4
MINOR = frozenset({"constant", "variable", "property", "type", "macro"})
LEADING_COMMENT_LINES = 3

_CLOSERS = re.compile(
    r"^[\s\])}>;,]*(//.*|/\*.*\*/|\*/)?$|^\s*(end|fi|done|esac|#endif.*|\?>)\W*$|^\s*\}\s*(as const|from .*)?;?$"
)
_OPENERS = re.compile(
    r"^\s*((public|private|protected|signals|slots)\s*:|#if.*|#else|#elif.*|(type|const|var)\s*\()\s*$"
)
_MODULE = -1


@dataclass(slots=True)
class _Run:
    """Adjacent lines (1-based, inclusive) that belong to the same definition, or to the module itself."""

    start: int
    end: int
    owner: int


def split_code(language: Language, text: str) -> list[Span]:
    """The spans of one source file, in the order of their lines."""
    lines = file_lines(text)
    definitions = find_definitions(language, text, lines)
    found = _without_overloads(definitions.found, lines)
    own, beside = _placed(found)
    owner = [_MODULE] * len(lines)
    for index in own:
        owner[found[index].start : found[index].end + 1] = [index] * (found[index].end + 1 - found[index].start)
    runs = _joined(_runs(lines, owner), lines, found, definitions.comment_rows)
    spans = [span for run in runs for span in _spans_of(run, lines, found, definitions.comment_rows)]
    for index in beside:
        spans += _named(found[index], lines, found[index].start + 1, found[index].end + 1)
    return sorted(_doc_once(spans), key=lambda span: (span.start_line, -span.end_line))


def fill_gaps(lines: Sequence[str], spans: Sequence[Span]) -> list[Span]:
    """Spans without a name for the non-blank lines that no span covers."""
    covered = [False] * (len(lines) + 1)
    for span in spans:
        covered[span.start_line : span.end_line + 1] = [True] * (span.end_line + 1 - span.start_line)
    gaps: list[Span] = []
    start = 1
    for number in range(1, len(lines) + 2):
        if number > len(lines) or covered[number]:
            gaps += (Span(first, last) for first, last in pieces(lines, start, number - 1))
            start = number + 1
    return gaps


def _without_overloads(found: list[Definition], lines: Sequence[str]) -> list[Definition]:
    """Overloads, which have no body, become the first lines of the definition of the same name right below them."""
    for previous, following in pairwise(found):
        adjacent = all(is_blank(line) for line in lines[previous.end + 1 : following.start])
        if previous.bodiless and previous.symbol == following.symbol and adjacent:
            following.start = min(following.start, previous.start)
            following.doc = following.doc or previous.doc
    return found


def _placed(found: list[Definition]) -> tuple[list[int], list[int]]:
    """The definitions that own their lines, and those that are spans besides the span of the function around them."""
    own: list[int] = []
    beside: list[int] = []
    fate: list[str] = []
    for index, definition in enumerate(found):
        parent = definition.parent
        fate.append(
            _fate(definition, None if parent is None else found[parent], "own" if parent is None else fate[parent])
        )
        if fate[-1] == "own":
            own.append(index)
        elif fate[-1] == "beside":
            beside.append(index)
    return own, beside


def _fate(definition: Definition, parent: Definition | None, of_parent: str) -> str:
    """`own` lines, `beside` the lines of the definition around it, or just a `part` of that."""
    minor = definition.kind in MINOR or definition.bodiless
    if minor and definition.length < MINOR_LINES:
        return "part"
    if parent is None:
        return "own"
    if of_parent == "part":
        return "part"
    shares_line = definition.start <= parent.head
    if parent.kind in CONTAINERS:
        if minor and parent.length <= MAX_LINES:
            return "part"
        if not shares_line and of_parent == "own":
            return "own"
        return "beside" if definition.length > 1 else "part"
    if parent.kind == definition.kind == "test" and of_parent == "own" and not shares_line:
        return "own" if definition.length >= NESTED_LINES else "part"
    if definition.length < NESTED_LINES or (definition.head, definition.end) == (parent.head, parent.end):
        return "part"
    return "own" if parent.length > MAX_LINES and of_parent == "own" and not shares_line else "beside"


def _runs(lines: Sequence[str], owner: Sequence[int]) -> list[_Run]:
    runs: list[_Run] = []
    start = 0
    for row in range(1, len(lines) + 1):
        if row == len(lines) or owner[row] != owner[start]:
            kept = trim(lines, start + 1, row)
            if kept is not None:
                runs.append(_Run(*kept, owner[start]))
            start = row
    return runs


def _joined(
    runs: list[_Run], lines: Sequence[str], found: Sequence[Definition], comment_rows: frozenset[int]
) -> list[_Run]:
    """Runs that say nothing by themselves, joined: closing brackets to the run before, openers to the next."""
    joined: list[_Run] = []
    waiting: int | None = None
    for position, run in enumerate(runs):
        body = [line for line in lines[run.start - 1 : run.end] if not is_blank(line)]
        if joined and waiting is None and all(_CLOSERS.match(line) for line in body):
            joined[-1].end = run.end
            continue
        if position + 1 < len(runs) and _leads(run, body, found, comment_rows):
            waiting = run.start if waiting is None else waiting
            continue
        joined.append(_Run(run.start if waiting is None else waiting, run.end, run.owner))
        waiting = None
    return joined


def _leads(run: _Run, body: Sequence[str], found: Sequence[Definition], comment_rows: frozenset[int]) -> bool:
    """Whether the run only introduces what follows it."""
    rows = range(run.start - 1, run.end)
    if all(row in comment_rows for row in rows) and len(body) <= LEADING_COMMENT_LINES:
        return True
    if all(_OPENERS.match(line) or _CLOSERS.match(line) for line in body):
        return True
    heading = run.owner != _MODULE and found[run.owner].kind in {"impl", "namespace", "module", "test"}
    return (
        heading and run.start - 1 <= found[run.owner].head and len(body) - sum(row in comment_rows for row in rows) <= 2
    )


def _spans_of(run: _Run, lines: Sequence[str], found: Sequence[Definition], comment_rows: frozenset[int]) -> list[Span]:
    if run.owner != _MODULE:
        return _named(found[run.owner], lines, run.start, run.end)
    only = _only_definition(run, lines, found, comment_rows)
    if only is not None:
        return _named(only, lines, run.start, run.end)
    return [Span(first, last, None, "module") for first, last in pieces(lines, run.start, run.end, WINDOW_LINES)]


def _named(definition: Definition, lines: Sequence[str], start: int, end: int) -> list[Span]:
    return [
        Span(first, last, definition.symbol, definition.kind, definition.signature, definition.doc)
        for first, last in pieces(lines, start, end, MAX_LINES)
    ]


def _only_definition(
    run: _Run, lines: Sequence[str], found: Sequence[Definition], comment_rows: frozenset[int]
) -> Definition | None:
    """The one small definition that a run of module-level code consists of, if it does."""
    inside = [one for one in found if one.parent is None and run.start - 1 <= one.start and one.end < run.end]
    if len(inside) != 1:
        return None
    rest = [row for row in range(run.start - 1, run.end) if not inside[0].start <= row <= inside[0].end]
    return inside[0] if all(is_blank(lines[row]) or row in comment_rows for row in rest) else None


def _doc_once(spans: Sequence[Span]) -> list[Span]:
    """Only the first of the spans that a definition was cut into keeps its doc comment."""
    seen: set[tuple[str | None, str, str]] = set()
    result = []
    for span in spans:
        key = (span.symbol, span.signature, span.doc)
        repeated = bool(span.doc) and key in seen
        seen.add(key)
        result.append(
            Span(span.start_line, span.end_line, span.symbol, span.symbol_kind, span.signature) if repeated else span
        )
    return result
