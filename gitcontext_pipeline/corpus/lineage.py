"""Between the lines of the pinned tree and the changes that wrote them, in both directions, for all files at once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from gitcontext_pipeline.corpus.changes import Change

Lines = Mapping[str, Sequence[str]]
"""For each path, the id of the change that wrote each of its lines, as `blame.line_commits` tells."""

Stretch = tuple[str, int, int]
"""A path, its first and its last line (1-based, inclusive)."""

_SAYS_SOMETHING = re.compile(r"\w")


class Lineage:
    """What blame says, asked from either side."""

    def __init__(self, lines: Lines, changes: Iterable[Change]) -> None:
        self._lines = lines
        self._age = {change.sha: age for age, change in enumerate(changes)}
        self._standing: dict[str, list[Stretch]] | None = None

    def of_lines(self, path: str, start: int, text: str) -> tuple[str | None, str | None]:
        """The change that the lines of `text`, which begin at line `start` of `path`, began with, and the one that last
        changed them; None where the history that is there does not tell.

        Lines without a letter or a digit do not count: a closing brace is taken for an older one all too easily.
        """
        shas = self._lines.get(path, ())
        wrote = [
            sha
            for line, sha in zip(text.split("\n"), shas[start - 1 :], strict=False)
            if sha in self._age and _SAYS_SOMETHING.search(line)
        ]
        if not wrote:
            return None, None
        return max(wrote, key=self._age.__getitem__), min(wrote, key=self._age.__getitem__)

    def standing(self, sha: str) -> list[Stretch]:
        """Where lines that a change wrote still stand, the longest stretches first."""
        if self._standing is None:
            self._standing = _stretches(self._lines)
        return self._standing.get(sha, [])


def _stretches(lines: Lines) -> dict[str, list[Stretch]]:
    found: dict[str, list[Stretch]] = {}
    for path, shas in lines.items():
        end = 0
        for sha, run in groupby(shas):
            start, end = end + 1, end + len(list(run))
            if sha:
                found.setdefault(sha, []).append((path, start, end))
    for stretches in found.values():
        stretches.sort(key=lambda stretch: (stretch[1] - stretch[2], stretch))
    return found
