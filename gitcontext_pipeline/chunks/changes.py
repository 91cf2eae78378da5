"""Commits and merged pull requests as chunks, so that "why was it done so?" has something to find."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from gitcontext_pipeline.chunks.collect import Identity
from gitcontext_pipeline.chunks.discussions import said_chunks
from gitcontext_pipeline.chunks.table import Chunk
from gitcontext_pipeline.corpus.changes import Change
from gitcontext_pipeline.corpus.lineage import Stretch
from gitcontext_pipeline.corpus.noise import noise_of, trimmed
from gitcontext_pipeline.corpus.permalinks import commit_url, file_url
from gitcontext_pipeline.corpus.pull_requests import PullRequest

CHANGES_VERSION = 4
"""Part of the chunk table's fingerprint; raised whenever this module makes other rows of the same changes."""

MOST_PATHS = 50
MOST_STANDING = 3


def change_chunks(
    changes: Iterable[Change],
    identity: Identity,
    pulls: Mapping[str, PullRequest] | None = None,
    template: Collection[str] = (),
    standing: Callable[[str], Sequence[Stretch]] = lambda sha: (),
) -> Iterator[Chunk]:
    """A chunk for each change, a merge and the commits it brought in being one; then, for each, what was said about it.

    `pulls` has the pull requests by the id of the commit that merged them. `template` are lines that say nothing.
    `standing` tells where lines of a change still stand.
    """
    for change in changes:
        pull = (pulls or {}).get(change.sha)
        links = _links(standing(change.sha), identity)
        chunk = replace(_change_chunk(change, pull, identity, template), stands=links)
        yield chunk
        if pull is not None:
            yield from said_chunks(pull, chunk, template)


def _change_chunk(change: Change, pull: PullRequest | None, identity: Identity, template: Collection[str]) -> Chunk:
    paths = tuple(changed.path for changed in change.paths[:MOST_PATHS])
    noise = pull.noise if pull else noise_of(change.title, change.bot, [path.path for path in change.paths])
    text = change_text(change, pull)
    searched = change_text(change, pull, lambda body: trimmed(body, template, by_robot=noise is not None))
    return Chunk(
        corpus=identity.corpus,
        kind="commit" if change.number is None else "pull_request",
        path="",
        language="text",
        role="bot" if noise else "main",
        symbol=None,
        symbol_kind=None,
        signature=pull.title if pull else change.title,
        doc="",
        start_line=1,
        end_line=text.count("\n") + 1,
        text=text,
        history=(),
        paths=paths,
        revision=identity.revision,
        commit=change.sha,
        pr=change.number,
        author=(pull.author if pull else change.author) or None,
        date=change.date or None,
        url=commit_url(identity.github, change.sha),
        search_text=searched if searched != text else None,
    )


def _links(stretches: Sequence[Stretch], identity: Identity) -> tuple[str, ...]:
    return tuple(
        file_url(identity.github, identity.revision, path, start, end) for path, start, end in stretches[:MOST_STANDING]
    )


def change_text(change: Change, pull: PullRequest | None = None, read: Callable[[str], str] = lambda body: body) -> str:
    """A change as one passage: title, message, the commits it brought in, what it touched and a few of its lines.

    What the changelog and GitHub add (the description, closed issues, labels) comes with the message; `read` is applied
    to the message and to the description.
    """
    title = pull.title if pull else change.title
    bodies = [pull.body] if pull and pull.body else []
    if change.body and change.body not in bodies:
        bodies.append(change.body)
    pieces = [title, *map(read, bodies)]
    if pull:
        pieces += ["\n".join(f"Changelog: {entry}" for entry in pull.changelog)]
        pieces += ["\n".join(f"Closes #{issue.number} {issue.title}".rstrip() for issue in pull.issues if issue.title)]
        pieces += [f"Labels: {', '.join(pull.labels)}" if pull.labels else ""]
    subjects = [change.title, *(commit.subject for commit in change.commits)]
    pieces.append("\n".join(f"* {subject}" for subject in dict.fromkeys(subjects) if subject not in {title, ""}))
    if change.paths:
        named = [f"{path.status} {path.path}" for path in change.paths[:MOST_PATHS]]
        left_out = len(change.paths) - len(named)
        pieces.append("\n".join(named + ([f"and {left_out} more files"] if left_out else [])))
    for hunk in change.hunks:
        head = [f"@@ {hunk.path} {hunk.symbol}".rstrip()]
        pieces.append("\n".join([*head, *(f"-{line}" for line in hunk.removed), *(f"+{line}" for line in hunk.added)]))
    return "\n\n".join(piece for piece in pieces if piece.strip())
