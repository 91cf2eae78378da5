"""A change: one step of the pinned branch, or a pull request that was merged inside such a step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

WIDE_PATHS = 100
"""A change of more paths than this (a reformatting, a move of everything) says little about any one of them."""


@dataclass(frozen=True, slots=True)
class PathChange:
    """What happened to one path, relative to the first parent. `status` is git's letter: A, D, M, R, C or T.

    `old_path` is set for renames and copies. `added` and `deleted` count lines; a binary file has none.
    """

    path: str
    status: str
    old_path: str | None = None
    added: int = 0
    deleted: int = 0
    binary: bool = False


@dataclass(frozen=True, slots=True)
class Hunk:
    """A digest of one changed place: the enclosing symbol as git names it, and a few of the lines, cut short."""

    path: str
    symbol: str
    added: tuple[str, ...]
    removed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit that a merge brought in: part of that change, not a change of its own.

    `paths` are what it changed; none for a merge, unless the merge is a change of its own.
    """

    sha: str
    subject: str
    author: str
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """One first-parent step, or a pull request merged `within` one. Dates are ISO 8601 in UTC; no e-mail is kept.

    `date` is when it landed, `authored` when it was first written. For a merge, `author` wrote most of the commits it
    brought in and `merger` merged them. `reverts` has commit ids and references (`#12`) of what it takes back.
    `within` is None for a step, else the id of the change whose merge brought this one in.
    """

    sha: str
    kind: Literal["pull_request", "commit"]
    number: int | None
    reference: str | None
    title: str
    body: str
    author: str
    merger: str | None
    co_authors: tuple[str, ...]
    date: str
    authored: str
    parents: tuple[str, ...]
    paths: tuple[PathChange, ...]
    hunks: tuple[Hunk, ...]
    commits: tuple[Commit, ...]
    reverts: tuple[str, ...]
    wide: bool
    bot: bool
    within: str | None = None
