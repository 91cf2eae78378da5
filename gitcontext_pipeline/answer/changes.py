"""Commits and merged pull requests by what they are about, what they touched, who made them and when."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

import numpy as np

from gitcontext_pipeline.errors import GitContextError, UsageError
from gitcontext_pipeline.retrieval.result import Result
from gitcontext_pipeline.retrieval.retriever import Retriever

SHORTEST_COMMIT = 7
"""Digits of a commit's id that are enough to name it."""
_CHANGE_COLUMNS = ("symbol_kind", "commit", "author", "date", "paths", "text")
_LINEAGE_COLUMNS = ("introduced", "changed")
_CALENDAR = re.compile(r"\d{4}(-\d{2}(-\d{2})?)?")


@dataclass(frozen=True, slots=True)
class Filters:
    """Which changes are wanted; None means any.

    `path` is a file or a folder, at the time of the change or now. `symbol` is a qualified name or its end. `since` and
    `until` are years, months, days or moments, and include what they name. `author` is part of a name, in any case.
    """

    path: str | None = None
    symbol: str | None = None
    since: str | None = None
    until: str | None = None
    author: str | None = None


@dataclass(frozen=True, slots=True)
class _Change:
    row: int
    commit: str
    author: str
    date: str
    paths: Sequence[str]
    places: Sequence[str]
    """The definitions around its hunks, as git names them."""


class Changes:
    """The changes of one snapshot, read once; threads may share it."""

    def __init__(self, retriever: Retriever) -> None:
        self._retriever = retriever
        self._traits = retriever.traits
        rows = np.flatnonzero(self._traits.is_change)
        told = retriever.chunks.select(_CHANGE_COLUMNS).take(rows).to_pylist()
        self._said = {row: each["commit"] for row, each in zip(rows.tolist(), told, strict=True)}
        merged = [(row, each) for row, each in zip(rows.tolist(), told, strict=True) if each["symbol_kind"] is None]
        newest = sorted(merged, key=lambda pair: pair[1]["date"] or "", reverse=True)
        self._newest = [_change(row, each) for row, each in newest]
        known = [name for name in _LINEAGE_COLUMNS if name in retriever.chunks.column_names]
        self._lineage = [retriever.chunks.column(name).to_pylist() for name in known]

    def find(self, question: str | None = None, filters: Filters | None = None, top: int = 10) -> list[Result]:
        """At most `top` changes, one result each: by meaning where there is a question, else the newest first.

        What was said about a change can be what is found of it.

        Raises:
            UsageError: a file, folder or symbol that there never was, an impossible date, or a `top` below 1.
            GitContextError: the corpus has no history.
        """
        if top < 1:
            raise UsageError(f"top is {top}", fix="ask for at least one change")
        if not self._newest:
            raise GitContextError(
                "this corpus holds no changes: it was made from a release, or without its history",
                fix="index a git repository with its history: gitcontext index URL_OR_PATH",
            )
        wanted = self._wanted(filters or Filters())
        if question is None:
            return self._retriever.take([change.row for change in wanted[:top]])
        commits = {change.commit for change in wanted}
        allowed = np.zeros(len(self._traits.is_change), dtype=bool)
        allowed[[row for row, commit in self._said.items() if commit in commits]] = True
        return _best_of_each(self._retriever.search_among(question, 3 * top, allowed))[:top]

    def of(self, commit: str) -> list[Result]:
        """One change, by its commit's id or the beginning of it, and after it what was said about it.

        Raises:
            UsageError: there is no such change, or several.
        """
        wanted = commit.strip().lower()
        if not re.fullmatch(f"[0-9a-f]{{{SHORTEST_COMMIT},40}}", wanted):
            raise UsageError(f"{commit!r} names no commit", fix=f"give {SHORTEST_COMMIT} to 40 digits of its id")
        found = [change for change in self._newest if change.commit.startswith(wanted)]
        if len(found) != 1:
            what = "several changes are" if found else "no indexed change is"
            raise UsageError(
                f"{what} called {wanted}", fix="give all 40 digits; changes older than the index are not in it"
            )
        said = (row for row, its in self._said.items() if its == found[0].commit and row != found[0].row)
        return self._retriever.take([found[0].row, *said])

    def _wanted(self, filters: Filters) -> list[_Change]:
        since, until = (_moment(text) if text else "" for text in (filters.since, filters.until))
        if since and until and since > until and not since.startswith(until):
            raise UsageError(f"nothing is since {since} and until {until}", fix="give the earlier date as `since`")
        author = (filters.author or "").casefold()
        touched = self._touched(filters)
        return [
            change
            for change in self._newest
            if (touched is None or change.commit in touched)
            and author in change.author
            and (not since or change.date[: len(since)] >= since)
            and (not until or change.date[: len(until)] <= until)
        ]

    def _touched(self, filters: Filters) -> set[str] | None:
        """The commits that touched the file, folder and symbol of the filters; None where neither is asked for."""
        path = posixpath.normpath((filters.path or "").strip("/"))
        path = "" if path == "." else path
        symbol = (filters.symbol or "").replace("::", ".").lower()
        if not path and not symbol:
            return None
        last = re.compile(rf"\b{re.escape(symbol.rpartition('.')[2])}\b", re.IGNORECASE)
        passages = [
            row
            for row, (where, name) in enumerate(zip(self._traits.paths, self._traits.symbols, strict=True))
            if where and _within(where, path) and (not symbol or f".{name}".endswith(f".{symbol}"))
        ]
        named = {
            change.commit
            for change in self._newest
            if (not path or any(_within(each, path) for each in change.paths))
            and (not symbol or any(last.search(place) for place in change.places))
        }
        if not passages and not named:
            raise self._unknown(path, symbol)
        return named | set(self._behind(passages))

    def _behind(self, passages: Iterable[int]) -> Iterable[str]:
        """The commits that lines of these passages come from."""
        for row in passages:
            yield from (self._said[change] for change in self._traits.changes[row])
            yield from (commits[row] for commits in self._lineage if commits[row])

    def _unknown(self, path: str, symbol: str) -> UsageError:
        hint = "paths are given from the top of the repository"
        if symbol:
            hint = "ask for changes by a question instead"
            last = symbol.rpartition(".")[2]
            near = dict.fromkeys(name for name in self._traits.symbols if last in name)
        else:
            last = path.rpartition("/")[2]
            near = dict.fromkeys(where for where in self._traits.paths if where.endswith(f"/{last}"))
        what = f"no symbol {symbol!r}" + (f" in {path!r}" if path else "") if symbol else f"no file or folder {path!r}"
        fix = f"is it one of {', '.join(list(near)[:3])}?" if near else hint
        return UsageError(f"{what} is indexed, and no change names one", fix=fix)


def _change(row: int, told: Mapping[str, Any]) -> _Change:
    hunks = (line[3:] for line in told["text"].split("\n") if line.startswith("@@ "))
    places = tuple(next((hunk[len(path) :] for path in told["paths"] if hunk.startswith(path)), hunk) for hunk in hunks)
    author, when = (told["author"] or "").casefold(), told["date"] or ""
    return _Change(row, told["commit"], author, when, tuple(told["paths"]), places)


def _within(path: str, folder: str) -> bool:
    return not folder or path == folder or path.startswith(f"{folder}/")


def _best_of_each(results: Iterable[Result]) -> list[Result]:
    """The first result of each change."""
    best: dict[str | None, Result] = {}
    for result in results:
        best.setdefault(result.commit, result)
    return list(best.values())


def _moment(text: str) -> str:
    """A year, month, day, or moment in UTC, in the form of the chunk table's dates and cut off where `text` ends."""
    try:
        if _CALENDAR.fullmatch(text):
            date.fromisoformat(f"{text}-01-01"[:10])
            return text
        moment = datetime.fromisoformat(text)
        return moment.replace(tzinfo=moment.tzinfo or UTC).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError) as error:
        raise UsageError(f"{text!r} is no date", fix="e.g. 2024, 2024-05 or 2024-05-31") from error
