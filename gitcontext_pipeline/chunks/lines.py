"""Lines as git counts them, and how a run of them is cut into pieces of bounded length.

Only `\\n` ends a line: `str.splitlines` would also end one at form feeds, U+0085 or U+2028, and every line number after
that would disagree with git, GitHub and editors.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gitcontext_pipeline.chunks.schema import Span

WINDOW_LINES = 60
"""Longest piece of text that has no definitions to be cut at."""

LONGEST_LINE = 2_000
"""Longest line, in characters, that is taken for something written to be read."""


def file_lines(text: str) -> list[str]:
    """The lines of a file; a final newline does not start another one."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return lines


def skimmed_lines(text: str) -> list[str]:
    """The lines for reading with regular expressions, which are slow on very long ones: those are cut."""
    return [line[:LONGEST_LINE] for line in file_lines(text)]


def is_blank(line: str) -> bool:
    return not line.strip()


def trim(lines: Sequence[str], start: int, end: int) -> tuple[int, int] | None:
    """`start`-`end` (1-based, inclusive) without the blank lines at both ends; None when nothing is left."""
    while start <= end and is_blank(lines[start - 1]):
        start += 1
    while end >= start and is_blank(lines[end - 1]):
        end -= 1
    return (start, end) if start <= end else None


def pieces(lines: Sequence[str], start: int, end: int, limit: int = WINDOW_LINES) -> Iterator[tuple[int, int]]:
    """Cut `start`-`end` into pieces of at most `limit` lines that together hold every non-blank line.

    Pieces are of about equal length and end at blank lines, before lines of little indentation, where there are any.
    """
    while (rest := trim(lines, start, end)) is not None:
        start, last = rest
        length = last - start + 1
        if length <= limit:
            yield start, last
            return
        count = -(-length // limit)
        fewest = max(1, length - (count - 1) * limit, 2 * length // (3 * count))
        most = max(fewest, min(limit, 4 * length // (3 * count)))
        cut = min(range(fewest, most + 1), key=lambda size: _cost_of_cut(lines, start - 1 + size, size, length / count))
        first = trim(lines, start, start + cut - 1)
        if first is not None:
            yield first
        start += cut


def _cost_of_cut(lines: Sequence[str], index: int, size: int, wanted: float) -> tuple[bool, int, float]:
    """How bad a cut just before `lines[index]` is."""
    following = lines[index]
    indentation = len(following) - len(following.lstrip()) if following.strip() else 10_000
    return (not is_blank(lines[index - 1]), indentation, abs(size - wanted))


def split_lines(lines: Sequence[str], start: int = 1, end: int | None = None) -> list[Span]:
    """Windows of at most `WINDOW_LINES` lines over text that nothing else is known about."""
    return [Span(first, last) for first, last in pieces(lines, start, len(lines) if end is None else end)]
