"""Commits and merged pull requests as chunks, so that "why was it done so?" has something to find."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gitcontext_pipeline.chunks.collect import Identity
from gitcontext_pipeline.chunks.table import Chunk
from gitcontext_pipeline.corpus.changes import Change
from gitcontext_pipeline.corpus.permalinks import commit_url

CHANGES_VERSION = 1
"""Part of the chunk table's fingerprint; raised whenever this module makes other rows of the same changes."""

MOST_PATHS = 50


def change_chunks(changes: Iterable[Change], identity: Identity) -> Iterator[Chunk]:
    """One chunk a change; a merge and the commits it brought in are one change."""
    for change in changes:
        text = change_text(change)
        paths = tuple(changed.path for changed in change.paths[:MOST_PATHS])
        yield Chunk(
            corpus=identity.corpus,
            kind="commit" if change.number is None else "pull_request",
            path="",
            language="text",
            role="bot" if change.bot else "main",
            symbol=None,
            symbol_kind=None,
            signature=change.title,
            doc="",
            start_line=1,
            end_line=text.count("\n") + 1,
            text=text,
            history=(),
            paths=paths,
            revision=identity.revision,
            commit=change.sha,
            pr=change.number,
            author=change.author or None,
            date=change.date or None,
            url=commit_url(identity.github, change.sha),
        )


def change_text(change: Change) -> str:
    """A change as one passage: title, message, the commits it brought in, what it touched and a few of its lines."""
    pieces = [change.title, change.body]
    subjects = [commit.subject for commit in change.commits if commit.subject not in {change.title, ""}]
    pieces.append("\n".join(f"* {subject}" for subject in dict.fromkeys(subjects)))
    if change.paths:
        named = [f"{path.status} {path.path}" for path in change.paths[:MOST_PATHS]]
        left_out = len(change.paths) - len(named)
        pieces.append("\n".join(named + ([f"and {left_out} more files"] if left_out else [])))
    for hunk in change.hunks:
        head = [f"@@ {hunk.path} {hunk.symbol}".rstrip()]
        pieces.append("\n".join([*head, *(f"-{line}" for line in hunk.removed), *(f"+{line}" for line in hunk.added)]))
    return "\n\n".join(piece for piece in pieces if piece.strip())
