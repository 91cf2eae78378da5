"""One row of a retriever's answer, read with the suspicion that foreign code deserves."""

from __future__ import annotations

import inspect
import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gitcontext_pipeline.evaluation.gold import COMMIT, normalise_path


class BadAnswer(Exception):
    """What a retriever gave back cannot be measured; the message says why, and the case counts as failed."""


@dataclass(frozen=True, slots=True)
class Row:
    """Lines are 1-based and inclusive, as git counts them; `kind` is code, docs, commit or pull_request where known."""

    path: str = ""
    start_line: int | None = None
    end_line: int | None = None
    symbol: str | None = None
    commit: str | None = None
    pr: int | None = None
    score: float | None = None
    kind: str | None = None

    @property
    def lines(self) -> tuple[int, int] | None:
        """The row's span; a row that tells its first line only is taken at its word: one line."""
        if self.start_line is None:
            return None
        return self.start_line, self.start_line if self.end_line is None else self.end_line

    @property
    def is_history(self) -> bool:
        """Whether the row is a commit or a pull request; a code row may name the commit that wrote it, and is
        neither."""
        if self.kind is not None:
            return self.kind in {"commit", "pull_request"}
        return self.commit is not None or self.pr is not None

    @property
    def identity(self) -> tuple[Any, ...]:
        """What two rows that are the same passage have in common."""
        if self.is_history:
            return (self.kind, self.commit, self.pr, self.path, self.start_line)
        return (self.path, self.start_line, self.end_line, self.symbol)

    @property
    def name(self) -> str:
        """The row on one line: `path#symbol#L3-L9`, `pr:12`, `commit:abc1234`."""
        if self.is_history and self.pr is not None:
            return f"pr:{self.pr}"
        if self.is_history and self.commit is not None:
            return f"commit:{self.commit}"
        lines = f"L{self.lines[0]}-L{self.lines[1]}" if self.lines else None
        return "#".join(part for part in (self.path, self.symbol, lines) if part)


def read_rows(answer: Any, top: int, root: str | None = None) -> tuple[list[Row], int]:
    """The first `top` rows of `answer`, best first, and how many rows there were beyond them (1 stands for "more").

    Raises BadAnswer, saying what to return instead, for anything that is not a Sequence of Mappings each with a path, a
    commit or a pull request.
    """
    if answer is None:
        raise BadAnswer("returned None; return a list, empty when nothing was found")
    if inspect.isgenerator(answer) or inspect.iscoroutine(answer):
        raise BadAnswer(f"returned a {type(answer).__name__}; return a finished list")
    if isinstance(answer, (str, bytes, Mapping)) or not isinstance(answer, Sequence):
        raise BadAnswer(f"returned a {type(answer).__name__}; return a list of mappings")
    taken = list(itertools.islice(iter(answer), top + 1))
    rows = [read_row(value, place, root) for place, value in enumerate(taken[:top], 1)]
    return rows, max(len(taken) - top, 0)


def read_row(value: Any, place: int, root: str | None = None) -> Row:
    """The row at `place` (from 1); BadAnswer when it cannot be told what it shows."""
    if not isinstance(value, Mapping):
        raise BadAnswer(f"row {place} is a {type(value).__name__}, not a mapping")
    path, commit, number = _field(value, "path"), _field(value, "commit"), _whole(value, "pr", place)
    if path is not None and not isinstance(path, str):
        raise BadAnswer(f"row {place} has a path that is a {type(path).__name__}, not text")
    if commit is not None and not (isinstance(commit, str) and COMMIT.fullmatch(commit.lower())):
        raise BadAnswer(f"row {place} has a commit that is not 7 to 40 hex digits: {commit!r:.80}")
    cleaned = normalise_path(_clean(path or ""), root)
    if not cleaned and commit is None and number is None:
        raise BadAnswer(f"row {place} has no path; it has {_listed(value)}")
    start, end = _whole(value, "start_line", place), _whole(value, "end_line", place)
    if start is not None and end is not None and end < start:
        raise BadAnswer(f"row {place} ends at line {end}, before it starts at line {start}")
    return Row(
        path=cleaned,
        start_line=start,
        end_line=end,
        symbol=_text(value, "symbol", place),
        commit=commit.lower() if commit else None,
        pr=number,
        score=_score(value, place),
        kind=_text(value, "kind", place),
    )


def _field(value: Mapping[str, Any], name: str) -> Any:
    """The field, None where it is missing; tables say "missing" as NaN and hold whole numbers as floats."""
    found = value.get(name)
    return None if isinstance(found, float) and math.isnan(found) else found


def _whole(value: Mapping[str, Any], name: str, place: int) -> int | None:
    number = _field(value, name)
    if number is None or (name == "pr" and number == 0):
        return None
    if isinstance(number, float) and number.is_integer():
        number = int(number)
    if isinstance(number, bool) or not hasattr(number, "__index__") or number.__index__() < 1:
        raise BadAnswer(f"row {place} has a {name} that is not a whole number from 1: {number!r:.80}")
    return int(number.__index__())


def _text(value: Mapping[str, Any], name: str, place: int) -> str | None:
    text = _field(value, name)
    if text is not None and not isinstance(text, str):
        raise BadAnswer(f"row {place} has a {name} that is a {type(text).__name__}, not text")
    return _clean(text) or None if text else None


def _score(value: Mapping[str, Any], place: int) -> float | None:
    score = value.get("score")
    if score is None:
        return None
    try:
        number = float(score)
    except (TypeError, ValueError, OverflowError):
        raise BadAnswer(f"row {place} has a score that is not a number: {score!r:.80}") from None
    if math.isnan(number):
        raise BadAnswer(f"row {place} has a score of NaN, so the order means nothing")
    return number if math.isfinite(number) else None


def _clean(text: str) -> str:
    """`text` in a form that UTF-8 can hold: half a surrogate pair becomes a question mark."""
    return text.encode("utf-8", "replace").decode()


def _listed(names: Iterable[Any]) -> str:
    return ", ".join(sorted(str(name) for name in itertools.islice(names, 12))) or "no field at all"
