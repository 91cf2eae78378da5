"""Spans written as one line each, so that a difference is readable."""

from __future__ import annotations

from collections.abc import Iterable

from gitcontext_pipeline.chunks.lines import file_lines
from gitcontext_pipeline.chunks.schema import Span, Split


def written(spans: Iterable[Span]) -> list[str]:
    return [f"{span.start_line}-{span.end_line} {span.symbol_kind or '-'} {span.symbol or '-'}" for span in spans]


def uncovered(text: str, split: Split) -> list[int]:
    """Non-blank lines that are neither in a span nor left out on purpose."""
    covered = {
        number for part in (*split.spans, *split.omissions) for number in range(part.start_line, part.end_line + 1)
    }
    return [number for number, line in enumerate(file_lines(text), 1) if line.strip() and number not in covered]


def named(split: Split, symbol: str) -> Span:
    found = [span for span in split.spans if span.symbol == symbol]
    assert found, f"{symbol} is not among {[span.symbol for span in split.spans]}"
    return found[0]
