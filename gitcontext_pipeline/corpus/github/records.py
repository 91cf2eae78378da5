"""Pull requests and comments as GitHub tells of them, whichever of its two interfaces was asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class PullRecord:
    """One pull request. `author` is None when the account was deleted; dates are GitHub's, ISO 8601 in UTC.

    `issues` are those that it closes, as (number, title, link); a title is empty where it was not told.
    """

    number: int
    title: str
    body: str
    url: str
    author: str | None
    bot: bool
    created: str
    merged: str | None
    merge_sha: str | None
    updated: str
    labels: tuple[str, ...]
    issues: tuple[tuple[int, str, str], ...]


@dataclass(frozen=True, slots=True)
class CommentRecord:
    """One comment. A `review` comment stands in a thread, named by its first comment's id, at lines of a path.

    `line` and `start_line` count in the commit that was reviewed, `hunk` is the diff down to that line.
    """

    id: str
    number: int
    kind: Literal["review", "discussion"]
    author: str | None
    bot: bool
    date: str
    updated: str
    body: str
    url: str
    thread: str | None = None
    path: str | None = None
    line: int | None = None
    start_line: int | None = None
    commit: str | None = None
    hunk: str | None = None
    resolved: bool = False
    hidden: str | None = None
    """Why a maintainer hid it (`outdated`, `spam`, ...), in lower case."""
