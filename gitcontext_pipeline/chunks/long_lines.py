"""Lines too long to be read: minified code and embedded data.

A span that holds one keeps its lines, and has the beginning of that line in its text; the rest of the line is reported
as an omission. A span of nothing but such lines is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gitcontext_pipeline.chunks.lines import LONGEST_LINE, is_blank
from gitcontext_pipeline.chunks.schema import Omission, Span

KEPT_CHARACTERS = 200
REASON = "line of more than 2,000 characters"


def shorten(lines: Sequence[str], spans: Sequence[Span]) -> tuple[list[Span], list[Omission]]:
    long = {number for number, line in enumerate(lines, 1) if len(line) > LONGEST_LINE}
    if not long:
        return list(spans), []
    kept: list[Span] = []
    for span in spans:
        numbers = range(span.start_line, span.end_line + 1)
        if span.text is not None:
            kept.append(replace(span, text="\n".join(_shortened(line) for line in span.text.split("\n"))))
        elif long.isdisjoint(numbers):
            kept.append(span)
        elif any(number not in long and not is_blank(lines[number - 1]) for number in numbers):
            kept.append(replace(span, text="\n".join(_shortened(lines[number - 1]) for number in numbers)))
    return kept, [Omission(number, number, REASON) for number in sorted(long)]


def _shortened(line: str) -> str:
    return line if len(line) <= LONGEST_LINE else f"{line[:KEPT_CHARACTERS]} [{len(line) - KEPT_CHARACTERS:,} more]"
