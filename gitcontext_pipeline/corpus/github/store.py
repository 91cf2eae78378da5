"""What was fetched so far, in one SQLite file: killed at any moment, it has every page that had arrived.

https://www.sqlite.org/atomiccommit.html
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from gitcontext_pipeline.corpus.github.records import CommentRecord, PullRecord

_SCHEMA = 1
_WHOLE, _LISTED, _STALE = "whole", "listed", "stale"
_TABLES = """
create table if not exists facts (name text primary key, value text not null);
create table if not exists pulls (number integer primary key, state text not null, record text);
create table if not exists comments (id text primary key, number integer not null, record text not null);
create index if not exists comments_of on comments (number);
create table if not exists commits (sha text primary key, number integer);
create table if not exists etags (url text primary key, etag text not null);
"""


class Store:
    """The store of one repository at one server; another one's content is dropped. Use it as a context manager."""

    def __init__(self, path: Path, repository: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        identity = f"{_SCHEMA} {repository}"
        self._database = _open(path)
        if self.fact("identity") != identity:
            self._database.close()
            _remove(path)
            self._database = _open(path)
            self.note(identity=identity)

    def close(self) -> None:
        self._database.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def together(self) -> Iterator[None]:
        """All that is written in the block is there afterwards, or none of it."""
        with self._database:
            self._database.execute("begin immediate")
            yield

    def fact(self, name: str) -> str | None:
        found = self._database.execute("select value from facts where name = ?", (name,)).fetchone()
        return None if found is None else str(found[0])

    def note(self, **facts: str | None) -> None:
        """Remember named values; None forgets one."""
        for name, value in facts.items():
            if value is None:
                self._database.execute("delete from facts where name = ?", (name,))
            else:
                self._database.execute("insert or replace into facts values (?, ?)", (name, value))

    @property
    def version(self) -> int:
        """A number that is another whenever a pull request, a comment or a commit's pull request is."""
        return int(self.fact("version") or 0)

    def known(self, *, whole: bool) -> set[int]:
        """The numbers that need not be asked for: up to date, or known to be no pull request.

        `whole`: with everything that was said about them, which a listing of pull requests does not tell.
        """
        rows = self._database.execute("select number, state from pulls")
        return {number for number, state in rows if state == _WHOLE or (state == _LISTED and not whole)}

    def pulls(self, numbers: Collection[int]) -> dict[int, PullRecord | None]:
        """What is known of `numbers`; None for one that is an issue, or nothing at all."""
        rows = self._database.execute("select number, record from pulls")
        return {number: _pull(record) for number, record in rows if number in numbers}

    def comments(self, numbers: Collection[int]) -> dict[int, list[CommentRecord]]:
        """The comments of `numbers`, each pull request's in the order of their dates."""
        found: dict[int, list[CommentRecord]] = {}
        for number, record in self._database.execute("select number, record from comments"):
            if number in numbers:
                found.setdefault(number, []).append(CommentRecord(**json.loads(record)))
        return {number: sorted(each, key=lambda one: (one.date, one.id)) for number, each in found.items()}

    def commits(self) -> dict[str, int | None]:
        """The pull request that brought each commit that was asked about; None where there is none."""
        return dict(self._database.execute("select sha, number from commits"))

    def put_pulls(self, records: Iterable[PullRecord], *, whole: bool) -> None:
        """Add or replace pull requests, which are up to date then."""
        state = _WHOLE if whole else _LISTED
        self._write("pulls (number, state, record)", [(one.number, state, _text(one)) for one in records])

    def put_absent(self, numbers: Iterable[int]) -> None:
        """Note numbers that are no pull requests."""
        self._write("pulls (number, state, record)", [(number, _WHOLE, None) for number in numbers])

    def put_comments(self, records: Iterable[CommentRecord]) -> None:
        """Add or replace comments by their ids."""
        self._write("comments (id, number, record)", [(one.id, one.number, _text(one)) for one in records])

    def replace_comments(self, number: int, records: Iterable[CommentRecord]) -> None:
        """These are all the comments of a pull request; those that are gone were deleted."""
        self._database.execute("delete from comments where number = ?", (number,))
        self.put_comments(records)

    def put_commits(self, commits: Iterable[tuple[str, int | None]]) -> None:
        self._write("commits (sha, number)", list(commits))

    def mark_stale(self, numbers: Iterable[int]) -> None:
        """These have changed at the server since."""
        rows = [(_STALE, number) for number in numbers]
        self._database.executemany("update pulls set state = ? where number = ?", rows)

    def etag(self, url: str) -> str | None:
        found = self._database.execute("select etag from etags where url = ?", (url,)).fetchone()
        return None if found is None else str(found[0])

    def put_etag(self, url: str, etag: str | None) -> None:
        if etag is not None:
            self._database.execute("insert or replace into etags values (?, ?)", (url, etag))

    def _write(self, into: str, rows: Sequence[tuple[Any, ...]]) -> None:
        if not rows:
            return
        places = ", ".join("?" * len(rows[0]))
        self._database.executemany(f"insert or replace into {into} values ({places})", rows)  # noqa: S608
        self.note(version=str(self.version + 1))


def _open(path: Path) -> sqlite3.Connection:
    try:
        return _prepared(path)
    except sqlite3.DatabaseError:
        # Not a database, or a damaged one: everything in it can be fetched again.
        _remove(path)
        return _prepared(path)


def _remove(path: Path) -> None:
    path.unlink(missing_ok=True)
    # A killed run's journal would be rolled back into the new file.
    path.with_name(f"{path.name}-journal").unlink(missing_ok=True)


def _prepared(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(path, isolation_level=None, timeout=30)
    try:
        database.executescript(_TABLES)
        database.execute("select count(*) from facts").fetchone()
    except sqlite3.DatabaseError:
        database.close()
        raise
    return database


def _text(record: PullRecord | CommentRecord) -> str:
    return json.dumps(asdict(record), ensure_ascii=False, separators=(",", ":"))


def _pull(text: str | None) -> PullRecord | None:
    if text is None:
        return None
    fields = json.loads(text)
    issues = tuple((number, title, url) for number, title, url in fields["issues"])
    return PullRecord(**{**fields, "labels": tuple(fields["labels"]), "issues": issues})
