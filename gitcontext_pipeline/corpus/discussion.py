"""What was said about a pull request: threads about lines of code, and the discussion below it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gitcontext_pipeline.corpus.github.records import CommentRecord
from gitcontext_pipeline.corpus.noise import is_chatter


@dataclass(frozen=True, slots=True)
class Comment:
    """`author` is a login, empty where the account was deleted; `chatter` says that it says nothing of the change."""

    author: str
    date: str
    body: str
    url: str
    chatter: bool


@dataclass(frozen=True, slots=True)
class ReviewThread:
    """A conversation about lines `start_line` to `line` of `path` at `commit`; `hunk` is the diff down to them.

    Where GitHub no longer tells the lines (0), the end of the hunk is the place.
    """

    path: str
    start_line: int
    line: int
    commit: str
    hunk: str
    resolved: bool
    comments: tuple[Comment, ...]


@dataclass(frozen=True, slots=True)
class LinkedIssue:
    """An issue that a pull request closed; `title` and `url` are empty where only its number is known."""

    number: int
    title: str
    url: str


def threads_of(records: Iterable[CommentRecord]) -> tuple[ReviewThread, ...]:
    """The review threads among `records`, each where its first comment comes."""
    grouped: dict[str, list[CommentRecord]] = {}
    for record in records:
        if record.kind == "review":
            grouped.setdefault(record.thread or record.id, []).append(record)
    return tuple(_thread(each) for each in grouped.values())


def discussion_of(records: Iterable[CommentRecord]) -> tuple[Comment, ...]:
    """The comments below a pull request, and the texts of its reviews, in their order."""
    return tuple(_comment(record) for record in records if record.kind == "discussion" and record.body.strip())


def _thread(records: list[CommentRecord]) -> ReviewThread:
    first = records[0]
    line = first.line or 0
    return ReviewThread(
        path=first.path or "",
        start_line=first.start_line or line,
        line=line,
        commit=first.commit or "",
        hunk=first.hunk or "",
        resolved=first.resolved,
        comments=tuple(map(_comment, records)),
    )


def _comment(record: CommentRecord) -> Comment:
    chatter = is_chatter(record.body, record.bot, record.hidden)
    return Comment(record.author or "", record.date, record.body, record.url, chatter)
