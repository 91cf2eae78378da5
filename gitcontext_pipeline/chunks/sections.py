"""Documents as spans: headings make sections, and sections make spans of a readable size.

Every section is a span under its own heading: the text before its first subsection, then its subsections. Only where
the subsections' headings name nothing, because the document has them again and again ("Bugfixes" under each release),
and the whole fits `WHOLE_LINES`, they stay with their section. A heading without any text of its own opens its first
subsection.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from gitcontext_pipeline.chunks.lines import is_blank, pieces
from gitcontext_pipeline.chunks.schema import Span

WHOLE_LINES = 40
"""Measured on psf/requests: 158 of its 163 releases (median 9 lines) and 73 of 89 guide sections fit."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading at 1-based `line`; its section starts there, its own text after `last` (an underline, a label)."""

    line: int
    last: int
    level: int
    title: str


def split_sections(lines: Sequence[str], headings: Sequence[Heading], title: str | None = None) -> list[Span]:
    """Spans of a document with these headings, in order; `title` names the text before the first heading."""
    if not headings:
        return [_span(first, last, title, title or "") for first, last in pieces(lines, 1, len(lines))]
    spans = [_span(first, last, title, title or "") for first, last in pieces(lines, 1, headings[0].line - 1)]
    ends = _ends(headings, len(lines))
    times = Counter(heading.title for heading in headings)
    path: list[Heading] = []
    opened_at: int | None = None
    position = 0
    while position < len(headings):
        heading = headings[position]
        while path and path[-1].level >= heading.level:
            path.pop()
        path.append(heading)
        start = heading.line if opened_at is None else opened_at
        trail = " > ".join(one.title for one in path if one.title)
        after = position + 1
        beyond = next((n for n in range(after, len(headings)) if headings[n].line > ends[position]), len(headings))
        nameless = all(times[inner.title] > 1 for inner in headings[after:beyond])
        if nameless and ends[position] - heading.line < WHOLE_LINES:
            end, after = ends[position], beyond
        else:
            end = headings[after].line - 1 if after < len(headings) else ends[position]
        alone = all(is_blank(line) for line in lines[heading.last : end])
        if alone and after < len(headings) and headings[after].level > heading.level:
            opened_at = start
        else:
            spans += (_span(first, last, heading.title or None, trail) for first, last in pieces(lines, start, end))
            opened_at = None
        position = after
    return spans


def _ends(headings: Sequence[Heading], last: int) -> list[int]:
    """The last line of each heading's subtree."""
    ends = [last] * len(headings)
    open_: list[int] = []
    for position, heading in enumerate(headings):
        while open_ and headings[open_[-1]].level >= heading.level:
            ends[open_.pop()] = heading.line - 1
        open_.append(position)
    return ends


def _span(first: int, last: int, title: str | None, trail: str) -> Span:
    return Span(first, last, title, "section" if title else None, trail)
