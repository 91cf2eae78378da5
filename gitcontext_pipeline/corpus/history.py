"""The changes that led to a revision: its first-parent steps, and the pull requests merged inside them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from gitcontext_pipeline.corpus.changes import WIDE_PATHS, Change, Commit, Hunk, PathChange
from gitcontext_pipeline.corpus.command import read_git
from gitcontext_pipeline.corpus.commit_log import LoggedCommit, read_commits
from gitcontext_pipeline.corpus.git import shallow_commits
from gitcontext_pipeline.corpus.merges import belonging
from gitcontext_pipeline.corpus.messages import Message, read_message, read_subject
from gitcontext_pipeline.corpus.patch_log import CommitPatch, PathPatch, read_patches, read_patches_of, read_paths

MAX_LINES = 40
MAX_COLUMNS = 120
_SUBMODULE = "160000"
_BOT = re.compile(
    r"\[bot\]$|^(?:dependabot(?:-preview)?|renovate(?: bot)?|renovate-bot|pre-commit-ci|pre-commit\.ci|github-actions"
    r"|github actions?|greenkeeper(?:io)?|pyup(?:\.io)?[ -]bot|snyk[ -]bot|allcontributors|mergify|semantic-release-bot"
    r"|imgbot|weblate|transifex[ -]integration)$",
    re.IGNORECASE,
)


def read_changes(repository: Path, revision: str, limit: int | None = None) -> list[Change]:
    """The last `limit` first-parent steps that led to `revision` (None: all), newest first.

    A merge and the commits it brought in are one change; a pull request among them is a change of its own, which
    follows the one it was merged within. Where the history was cut (a shallow clone), the oldest change's paths are not
    known and left empty. A handful of git commands in all, whatever the length.
    """
    steps = _steps(repository, revision, limit)
    if not steps:
        return []
    beyond = _beyond(repository, steps[-1])
    commits = {commit.sha: commit for commit in read_commits(repository, [revision, *(f"^{sha}" for sha in beyond)])}
    belongs = belonging(steps, commits)
    touched = _touched(repository, revision, beyond) if belongs.brought else {}
    cut = shallow_commits(repository)
    bound = [] if limit is None else [f"--max-count={limit}"]

    def made(patch: CommitPatch) -> Change:
        if patch.sha in cut:
            patch = CommitPatch(patch.sha, [])
        parts = [commits[sha] for sha in belongs.brought.get(patch.sha, ())]
        return _change(commits[patch.sha], patch, parts, touched, belongs.within.get(patch.sha))

    nested: dict[str, list[Change]] = {}
    for patch in read_patches_of(repository, list(belongs.within), lines=MAX_LINES):
        touched[patch.sha] = tuple(path.path for path in patch.paths)
        nested.setdefault(belongs.within[patch.sha], []).append(made(patch))
    order = {sha: position for position, sha in enumerate(commits)}
    changes: list[Change] = []
    waiting: list[Change] = []
    for patch in read_patches(repository, [revision], *bound, lines=MAX_LINES):
        waiting.append(made(patch))
        while waiting:
            changes.append(waiting.pop())
            inside = nested.get(changes[-1].sha, ())
            waiting.extend(sorted(inside, key=lambda change: order[change.sha], reverse=True))
    return changes


def _steps(repository: Path, revision: str, limit: int | None) -> list[str]:
    bound = [] if limit is None else [f"--max-count={limit}"]
    listed = read_git("rev-list", "--first-parent", *bound, "--end-of-options", revision, "--", repository=repository)
    return listed.decode().split()


def _beyond(repository: Path, oldest: str) -> list[str]:
    """The first parent of the oldest step: what it could reach already was brought in by nobody after it."""
    listed = read_git("rev-list", "--parents", "--max-count=1", oldest, "--", repository=repository)
    return listed.decode().split()[1:2]


def _touched(repository: Path, revision: str, beyond: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The paths that each commit changed, merges left out."""
    excluded = [f"^{sha}" for sha in beyond]
    return {
        commit.sha: tuple(path.path for path in commit.paths)
        for commit in read_paths(repository, [revision, *excluded], "--no-merges")
    }


def _change(
    commit: LoggedCommit,
    patch: CommitPatch,
    brought: Sequence[LoggedCommit],
    touched: Mapping[str, tuple[str, ...]],
    within: str | None,
) -> Change:
    message = read_message(commit.message)
    authors = Counter(part.author for part in brought if len(part.parents) < 2 and part.author)
    author = authors.most_common(1)[0][0] if authors else commit.author
    wide = len(patch.paths) > WIDE_PATHS
    return Change(
        sha=commit.sha,
        kind="commit" if message.number is None else "pull_request",
        number=message.number,
        reference=message.reference,
        title=_title(commit, message, brought),
        body=message.body,
        author=author,
        merger=commit.author if len(commit.parents) > 1 else None,
        co_authors=message.co_authors,
        date=commit.date,
        authored=min([commit.authored, *(part.authored for part in brought)]),
        parents=commit.parents,
        paths=tuple(map(_path, patch.paths)),
        hunks=() if wide else tuple(_digest(patch.paths)),
        commits=tuple(
            Commit(part.sha, read_message(part.message).title, part.author, touched.get(part.sha, ()))
            for part in brought
        ),
        reverts=message.reverts,
        wide=wide,
        bot=all(map(is_bot, authors or [author])),
        within=within,
    )


def _title(commit: LoggedCommit, message: Message, brought: Sequence[LoggedCommit]) -> str:
    """The message's title; for a merge that has none of its own, the subject of the first commit it brought in."""
    untitled = message.title.startswith("Merge") and message.title == read_subject(commit.message)
    if untitled and brought and (message.number is not None or len(brought) == 1):
        return read_message(brought[-1].message).title
    return message.title


def is_bot(author: str) -> bool:
    """Whether a name is that of one of the usual robots."""
    return bool(_BOT.search(author.strip()))


def _path(patch: PathPatch) -> PathChange:
    return PathChange(
        path=patch.path,
        status=patch.status,
        old_path=patch.old_path if patch.status in "RC" else None,
        added=sum(hunk.new_count for hunk in patch.hunks),
        deleted=sum(hunk.old_count for hunk in patch.hunks),
        binary=patch.binary,
    )


def _digest(patches: Iterable[PathPatch]) -> Iterator[Hunk]:
    """The hunks with their first few lines, no more than MAX_LINES lines in all."""
    left = MAX_LINES
    for patch in patches:
        if _SUBMODULE in (patch.old_mode, patch.new_mode):
            continue
        for hunk in patch.hunks:
            added = _short(hunk.added[:left])
            removed = _short(hunk.removed[: left - len(added)])
            left -= len(added) + len(removed)
            symbol = hunk.context.decode(errors="replace").strip()
            if added or removed or symbol:
                yield Hunk(patch.path, symbol, added, removed)
            if left <= 0:
                return


def _short(lines: Sequence[bytes]) -> tuple[str, ...]:
    texts = (line.decode(errors="replace").strip()[:MAX_COLUMNS].rstrip() for line in lines)
    return tuple(text for text in texts if text)
