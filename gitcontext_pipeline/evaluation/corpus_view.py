"""What the evaluation needs to know of a corpus: which places it holds, where symbols are defined, what their text
is."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from gitcontext_pipeline.evaluation.gold import Gold, normalise_path
from gitcontext_pipeline.evaluation.matching import Definitions, answers, contains_segments
from gitcontext_pipeline.evaluation.rows import Row

SEAM = 3
"""Parts of one definition may lie this many lines apart (blank lines, decorators) and still be one definition."""


@dataclass(frozen=True, slots=True)
class Passage:
    """One chunk of the corpus: its place, and its text (empty where the caller keeps none)."""

    row: Row
    text: str = ""
    doc: str = ""
    symbol_kind: str | None = None
    signature: str = ""


@dataclass(frozen=True)
class CorpusView:
    """The passages of one corpus, by path, and the line ranges of each (path, symbol)."""

    passages: tuple[Passage, ...]
    by_path: Mapping[str, tuple[Passage, ...]] = field(repr=False)
    definitions: Definitions = field(repr=False)
    history: tuple[Passage, ...] = field(repr=False)
    commits: tuple[str, ...] = field(repr=False)

    @classmethod
    def from_rows(cls, rows: Iterable[Mapping[str, Any]]) -> CorpusView:
        """Read chunk-table rows: `path`, and where known `symbol`, lines, `text`, `doc`, `commit`, `pr`, `kind`."""
        passages = tuple(_passage(row) for row in rows)
        by_path: dict[str, list[Passage]] = defaultdict(list)
        ranges: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
        for passage in passages:
            by_path[passage.row.path].append(passage)
            if passage.row.symbol and passage.row.lines and not passage.row.is_history:
                ranges[passage.row.path, passage.row.symbol].append(passage.row.lines)
        history = tuple(passage for passage in passages if passage.row.is_history)
        return cls(
            passages=passages,
            by_path={path: tuple(found) for path, found in by_path.items()},
            definitions={key: merged(found) for key, found in ranges.items()},
            history=history,
            commits=tuple(sorted({passage.row.commit for passage in history if passage.row.commit})),
        )

    def answering(self, entry: Gold) -> list[Passage]:
        """Every passage that answers `entry`; none means that no retriever can find it here.

        A passage that tells neither its symbol nor its lines may hold whatever is looked for in its file. A class whose
        text does not name the member that is looked for (a misspelt method) does not hold it.
        """
        if entry.path is not None:
            candidates = self.by_path.get(entry.path, ())
        elif entry.contains is not None:
            needle = entry.contains
            candidates = tuple(
                p for path in self.by_path if contains_segments(path, needle) for p in self.by_path[path]
            )
        else:
            candidates = self.history
        return [
            passage
            for passage in candidates
            if (answers(passage.row, entry, self.definitions) is not None and not _lacks_member(passage, entry))
            or _untold(passage.row, entry)
        ]

    def commits_named(self, prefix: str) -> list[str]:
        """The commits whose id begins with `prefix`."""
        first = bisect_left(self.commits, prefix)
        found = []
        for commit in self.commits[first:]:
            if not commit.startswith(prefix):
                break
            found.append(commit)
        return found


def merged(ranges: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Line ranges with parts that touch (or lie no more than SEAM lines apart) made one, in order."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if joined and start <= joined[-1][1] + 1 + SEAM:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return tuple(joined)


def _untold(row: Row, entry: Gold) -> bool:
    return entry.path is not None and row.symbol is None and row.lines is None and not row.is_history


def _lacks_member(passage: Passage, entry: Gold) -> bool:
    """Whether it can answer as the owner of a symbol only, and the symbol's own name is not in its text."""
    if entry.symbol is None or entry.lines is not None or not entry.symbol.startswith(f"{passage.row.symbol}."):
        return False
    member = entry.symbol.rsplit(".", 1)[-1]
    return passage.text != "" and member not in re.findall(r"\w+", passage.text)


def _passage(row: Mapping[str, Any]) -> Passage:
    place = Row(
        path=normalise_path(str(row.get("path") or "")),
        start_line=_line(row.get("start_line")),
        end_line=_line(row.get("end_line")),
        symbol=str(row["symbol"]) if _given(row.get("symbol")) else None,
        commit=str(row["commit"]).lower() if _given(row.get("commit")) else None,
        pr=_line(row.get("pr")),
        kind=str(row["kind"]) if _given(row.get("kind")) else None,
    )
    texts = {name: str(row[name]) for name in ("text", "doc", "signature") if _given(row.get(name))}
    return Passage(place, symbol_kind=str(row["symbol_kind"]) if _given(row.get("symbol_kind")) else None, **texts)


def _given(value: Any) -> bool:
    """Tables mark a missing value as None, NaN or an empty text."""
    return value is not None and value == value and value != ""


def _line(value: Any) -> int | None:
    return int(value) if _given(value) and int(value) >= 1 else None
