"""Following the lines of one file back through its versions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from gitcontext_pipeline.corpus.patch_log import LineHunk

NO_LINE = -1


@dataclass(slots=True)
class Trail:
    """One file on the way back: for each line of the version at hand, the line of the pinned version it became."""

    lines: list[int]
    shas: list[str]
    left: int
    twins: dict[int, list[int]] = field(default_factory=dict)

    @classmethod
    def of(cls, count: int) -> Trail:
        return cls(list(range(count)), [""] * count, count)

    def settle(self, line: int, sha: str) -> None:
        """Attribute a line of the pinned version, and those that were derived from the same older line."""
        if line == NO_LINE or self.shas[line]:
            return
        self.shas[line] = sha
        self.left -= 1
        for twin in self.twins.get(line, ()):
            self.settle(twin, sha)

    def give(self, line: int, sha: str) -> None:
        """Attribute a settled line, and those that were derived from the same older line, to another."""
        self.shas[line] = sha
        for twin in self.twins.get(line, ()):
            self.give(twin, sha)

    def settle_rest(self, sha: str) -> None:
        """The file began here: whatever is left was written by `sha`."""
        for line in self.lines:
            self.settle(line, sha)
        self.left = 0

    def settle_from(self, shas: Sequence[str]) -> None:
        """What each line of the version at hand is attributed to is known."""
        for line, sha in zip(self.lines, shas, strict=True):
            self.settle(line, sha)

    def step_back(self, hunks: Iterable[LineHunk], sha: str, ignored: bool) -> None:
        """Replace the version at hand by the one before `sha`, attributing the lines that `sha` wrote."""
        before: list[int] = []
        position = 0
        for hunk in hunks:
            start = hunk.new_start - 1 if hunk.new_count else hunk.new_start
            before += self.lines[position:start]
            position = start + hunk.new_count
            written = self.lines[start:position]
            if ignored and hunk.old_count:
                before += self._carried(written, hunk.old_count)
            else:
                for line in written:
                    self.settle(line, sha)
                before += [NO_LINE] * hunk.old_count
        self.lines = before + self.lines[position:]

    def _carried(self, written: Sequence[int], old_count: int) -> list[int]:
        """Spread the lines of an ignored rewrite over the lines they came from, in order and in proportion."""
        older = [NO_LINE] * old_count
        for offset, line in enumerate(written):
            source = offset * old_count // len(written)
            if line == NO_LINE:
                continue
            if older[source] == NO_LINE:
                older[source] = line
            else:
                self.twins.setdefault(older[source], []).append(line)
        return older
