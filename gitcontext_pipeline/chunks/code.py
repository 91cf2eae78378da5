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
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from gitcontext_pipeline.chunks.definitions import CONTAINERS, Definition, Definitions, find_definitions
from gitcontext_pipeline.chunks.languages import Language
from gitcontext_pipeline.chunks.lines import WINDOW_LINES, is_blank, pieces, trim
from gitcontext_pipeline.chunks.schema import Span

MAX_LINES = 100
NESTED_LINES = 12
MINOR_LINES = 4
MINOR = frozenset({"constant", "variable", "property", "type", "macro"})
LEADING_COMMENT_LINES = 3
HEADER_LINES = 2

_CLOSERS = re.compile(
    r"^[\s\])}>;,]*(//.*|/\*.*\*/|\*/)?$|^\s*(end|fi|done|esac|#endif.*|\?>)\W*$|^\s*\}\s*(as const|from .*)?;?$"
)
_OPENERS = re.compile(
    r"^\s*((public|private|protected|signals|slots)\s*:|#if.*|#else|#elif.*|(type|const|var)\s*\()\s*$"
)
_HEADED = frozenset({"impl", "namespace", "module", "test"})
"""Kinds whose header alone defines nothing."""
_MODULE = -1


@dataclass(slots=True)
class _Run:
    """Adjacent lines (1-based, inclusive) that belong to the same definition, or to the module itself."""

    start: int
    end: int
    owner: int


def split_code(language: Language, text: str) -> list[Span]:
    """The spans of one source file, in the order of their lines."""
    file = find_definitions(language, text)
    _take_in_overloads(file)
    own, beside = _placed(file.found)
    owner = [_MODULE] * len(file.lines)
    for index in own:
        one = file.found[index]
        owner[one.start : one.end + 1] = [index] * one.length
    spans = [span for run in _joined(file, _runs(file.lines, owner)) for span in _spans_of(file, run)]
    for index in beside:
        one = file.found[index]
        spans += _named(file, one, one.start + 1, one.end + 1)
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


def _take_in_overloads(file: Definitions) -> None:
    """Let overloads, which have no body, be the first lines of the definition of the same name right below them."""
    for previous, following in pairwise(file.found):
        if not previous.bodiless or previous.symbol != following.symbol:
            continue
        if all(is_blank(line) for line in file.lines[previous.end + 1 : following.start]):
            following.start = min(following.start, previous.start)
            following.doc = following.doc or previous.doc


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


def _joined(file: Definitions, runs: list[_Run]) -> list[_Run]:
    """Runs that say nothing by themselves, joined: closing brackets to the run before, openers to the next."""
    joined: list[_Run] = []
    waiting: int | None = None
    for position, run in enumerate(runs):
        body = [line for line in file.lines[run.start - 1 : run.end] if not is_blank(line)]
        if joined and waiting is None and all(_CLOSERS.match(line) for line in body):
            joined[-1].end = run.end
        elif position + 1 < len(runs) and _leads(file, run, body):
            waiting = run.start if waiting is None else waiting
        else:
            joined.append(_Run(run.start if waiting is None else waiting, run.end, run.owner))
            waiting = None
    return joined


def _leads(file: Definitions, run: _Run, body: Sequence[str]) -> bool:
    """Whether the run only introduces what follows it."""
    said = sum(not file.says_nothing(row) for row in range(run.start - 1, run.end))
    if said == 0:
        return len(body) <= LEADING_COMMENT_LINES
    if all(_OPENERS.match(line) or _CLOSERS.match(line) for line in body):
        return True
    if run.owner == _MODULE:
        return False
    owner = file.found[run.owner]
    return owner.kind in _HEADED and run.start - 1 <= owner.head and said <= HEADER_LINES


def _spans_of(file: Definitions, run: _Run) -> list[Span]:
    one = file.found[run.owner] if run.owner != _MODULE else _only_definition(file, run)
    if one is not None:
        return _named(file, one, run.start, run.end)
    return [Span(first, last, None, "module") for first, last in pieces(file.lines, run.start, run.end, WINDOW_LINES)]


def _named(file: Definitions, one: Definition, start: int, end: int) -> list[Span]:
    return [
        Span(first, last, one.symbol, one.kind, one.signature, one.doc)
        for first, last in pieces(file.lines, start, end, MAX_LINES)
    ]


def _only_definition(file: Definitions, run: _Run) -> Definition | None:
    """The one small definition that a run of module-level code consists of, if it does."""
    begin = bisect_left(file.found, run.start - 1, key=lambda one: one.start)
    inside = [one for one in file.found[begin : begin + 2] if one.parent is None and one.end < run.end]
    if len(inside) != 1:
        return None
    rest = [row for row in range(run.start - 1, run.end) if not inside[0].start <= row <= inside[0].end]
    return inside[0] if all(file.says_nothing(row) for row in rest) else None


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
