"""What was said about a pull request as chunks: each review thread with the code it is about, and the discussion."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from gitcontext_pipeline.chunks.table import Chunk
from gitcontext_pipeline.corpus.discussion import Comment, ReviewThread
from gitcontext_pipeline.corpus.noise import trimmed
from gitcontext_pipeline.corpus.pull_requests import PullRequest

REVIEW, DISCUSSION = "review", "discussion"
"""`symbol_kind` of these chunks."""
HUNK_LINES = 40
"""Lines of the diff, down to those that a thread is about."""
PIECE = 4000
"""Characters from which a discussion is continued in another chunk; no comment is cut for it."""


def said_chunks(pull: PullRequest, merged: Chunk, template: Collection[str] = ()) -> Iterator[Chunk]:
    """The chunks of what was said about `pull`, whose own chunk is `merged`; each comment with its author and date."""
    for thread in pull.threads:
        yield _thread_chunk(pull, thread, merged, template)
    for comments in _pieces(pull.comments):
        heading = f"Discussion of #{pull.number} {pull.title}"
        yield _chunk(merged, DISCUSSION, comments, [heading], (), template)


def _thread_chunk(pull: PullRequest, thread: ReviewThread, merged: Chunk, template: Collection[str]) -> Chunk:
    lines = f"{thread.start_line}-{thread.line}" if thread.start_line < thread.line else str(thread.line)
    place = f"{thread.path}:{lines}" if thread.line else thread.path
    code = "\n".join(thread.hunk.splitlines()[-HUNK_LINES:])
    heading = f"Review of {place} in #{pull.number} {pull.title}"
    return _chunk(merged, REVIEW, thread.comments, [heading, code], (thread.path,), template)


def _chunk(
    merged: Chunk,
    kind: str,
    comments: Sequence[Comment],
    heading: Sequence[str],
    paths: tuple[str, ...],
    template: Collection[str],
) -> Chunk:
    spoken = [comment for comment in comments if not comment.chatter]
    text = "\n\n".join([*(part for part in heading if part), *map(_said, comments)])
    searched = "\n\n".join(
        [*(part for part in heading if part), *(trimmed(comment.body, template) for comment in spoken)]
    )
    first = (spoken or comments)[0]
    return replace(
        merged,
        role="main" if spoken else "bot",
        symbol_kind=kind,
        end_line=text.count("\n") + 1,
        text=text,
        paths=paths,
        author=first.author or None,
        date=first.date or None,
        url=comments[0].url or merged.url,
        search_text=searched,
    )


def _said(comment: Comment) -> str:
    return f"{comment.author or 'a deleted account'} on {comment.date[:10]}:\n{comment.body}"


def _pieces(comments: Iterable[Comment]) -> Iterator[list[Comment]]:
    piece: list[Comment] = []
    length = 0
    for comment in comments:
        if piece and length + len(comment.body) > PIECE:
            yield piece
            piece, length = [], 0
        piece.append(comment)
        length += len(comment.body)
    if piece:
        yield piece
