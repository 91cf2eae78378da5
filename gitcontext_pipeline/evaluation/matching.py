"""Does a row answer a gold entry?

- a path: the row lies in that file;
- a symbol: the row is the symbol, lies inside it, overlaps its definition, or is its owner (a class of the method asked
  for). An owner whose lines are known not to reach the definition is a different passage and does not count;
- a line range: the row overlaps it; IoU and the share of the excerpt that is the answer tell how well;
- a commit: the same id, or one is a prefix (7 digits or more) of the other; a pull request: the same number;
- the older form: the text is whole consecutive segments of the row's path (`utils.py` is not `my_utils.py`), where the
  last segment may leave out the file's extension.

Commits and pull requests are only looked for among rows of history: a code row may name the commit that wrote it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from gitcontext_pipeline.evaluation.gold import Gold
from gitcontext_pipeline.evaluation.rows import Row

Lines = tuple[int, int]
Definitions = Mapping[tuple[str, str], Sequence[Lines]]
"""Where the corpus defines each (path, symbol): line ranges, 1-based and inclusive."""

Granularity = Literal["passage", "file"]
"""What a row must hit: the passage the gold names, or (for retrievers that rank files) its file."""


@dataclass(frozen=True, slots=True)
class Overlap:
    """How a row that answers lies on the answer's lines; None where either's lines are unknown.

    `iou` is lines in both / lines in either; `share` is lines in both / lines of the row.
    """

    iou: float | None = None
    share: float | None = None


def answers(
    row: Row, entry: Gold, definitions: Definitions | None = None, granularity: Granularity = "passage"
) -> Overlap | None:
    """The overlap when `row` answers `entry`, else None."""
    if entry.pr is not None or entry.commit is not None:
        return Overlap() if row.is_history and _same_change(row, entry) else None
    if entry.contains is not None:
        return Overlap() if contains_segments(row.path, entry.contains) else None
    if row.path != entry.path or (row.is_history and row.start_line is None):
        return None
    if granularity == "file" or (entry.symbol is None and entry.lines is None):
        return Overlap()
    return _answers_place(row, entry, definitions or {})


def contains_segments(path: str, part: str) -> bool:
    """Whether `part` is whole consecutive segments of `path`; without a dot its last segment may lack the extension."""
    segments, wanted = path.split("/"), part.split("/")
    bare = "." not in wanted[-1]
    for first in range(len(segments) - len(wanted) + 1):
        found = segments[first : first + len(wanted)]
        if found == wanted:
            return True
        is_file = first + len(wanted) == len(segments)
        if bare and is_file and found[:-1] == wanted[:-1] and found[-1].partition(".")[0] == wanted[-1]:
            return True
    return False


def _same_change(row: Row, entry: Gold) -> bool:
    if entry.pr is not None:
        return row.pr == entry.pr
    if row.commit is None or entry.commit is None:
        return False
    return row.commit.startswith(entry.commit) or entry.commit.startswith(row.commit)


def _answers_place(row: Row, entry: Gold, definitions: Definitions) -> Overlap | None:
    targets = _target_lines(entry, definitions)
    spans = [row.lines] if row.lines else list(definitions.get((row.path, row.symbol or ""), ()))
    overlap = _best_overlap(spans, targets)
    if overlap is not None:
        return overlap
    if entry.symbol is None or row.symbol is None:
        return None
    if row.symbol == entry.symbol or row.symbol.startswith(f"{entry.symbol}."):
        disjoint = entry.lines is not None and bool(spans)
        return None if disjoint else Overlap()
    owner = entry.symbol.startswith(f"{row.symbol}.")
    return Overlap() if owner and not (spans and targets) else None


def _target_lines(entry: Gold, definitions: Definitions) -> list[Lines]:
    if entry.lines is not None:
        return [entry.lines]
    return list(definitions.get((entry.path or "", entry.symbol or ""), ()))


def _best_overlap(spans: Sequence[Lines], targets: Sequence[Lines]) -> Overlap | None:
    """The overlap with the greatest IoU among all pairs; None when no pair has a line in common."""
    best: Overlap | None = None
    for start, end in spans:
        for first, last in targets:
            shared = min(end, last) - max(start, first) + 1
            if shared < 1:
                continue
            iou = shared / (max(end, last) - min(start, first) + 1)
            if best is None or best.iou is None or iou > best.iou:
                best = Overlap(iou, shared / (end - start + 1))
    return best
