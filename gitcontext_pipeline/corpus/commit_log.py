"""Who, when and why of many commits from one `git log`, whatever bytes their messages and names consist of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from gitcontext_pipeline.corpus.command import git_output

# A NUL ends each field; no message can contain a NUL, since git itself ends a message at the first one.
_FIELDS = ("%H", "%P", "%aN", "%cN", "%at", "%ct", "%B")
_FORMAT = "--format=tformat:" + "%x00".join(_FIELDS)
_READ = 1 << 20


@dataclass(frozen=True, slots=True)
class LoggedCommit:
    """A commit as the log has it; dates are ISO 8601 in UTC."""

    sha: str
    parents: tuple[str, ...]
    author: str
    committer: str
    authored: str
    date: str
    message: str


def read_commits(repository: Path, revisions: Sequence[str], *options: str) -> Iterator[LoggedCommit]:
    """The commits of `git log OPTIONS REVISIONS`, newest first. Names are as the revision's .mailmap has them."""
    arguments = ("log", "-z", "--no-show-signature", "--encoding=UTF-8", _FORMAT, *options, "--end-of-options")
    config = {"mailmap.blob": f"{revisions[0]}:.mailmap", "mailmap.file": ""}
    with git_output(*arguments, *revisions, "--", repository=repository, config=config) as output:
        fields: list[bytes] = []
        rest = b""
        while data := output.read(_READ):
            *whole, rest = (rest + data).split(b"\0")
            for part in whole:
                fields.append(part)
                if len(fields) == len(_FIELDS):
                    yield _commit(fields)
                    fields = []


def _commit(fields: Sequence[bytes]) -> LoggedCommit:
    sha, parents, author, committer, authored, date, message = (field.decode(errors="replace") for field in fields)
    return LoggedCommit(
        sha=sha.strip(),
        parents=tuple(parents.split()),
        author=" ".join(author.split()),
        committer=" ".join(committer.split()),
        authored=utc(authored),
        date=utc(date),
        message=message,
    )


def utc(seconds: str) -> str:
    """`2026-08-03T17:52:44Z`; a date that is missing or not of this era becomes the beginning of it, 1970."""
    try:
        moment = datetime.fromtimestamp(int(seconds), UTC)
    except (ValueError, OverflowError, OSError):
        moment = datetime.fromtimestamp(0, UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ").zfill(20)
