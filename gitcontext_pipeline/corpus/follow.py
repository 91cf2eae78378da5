"""Following some lines of one file back through every commit that changed them, across renames.

By `git log -L` (https://git-scm.com/docs/git-log), which also tells of changes whose lines are gone since; `lineage`
answers the same for all files at once, from blame. A commit on a branch is told as the pull request that brought it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from gitcontext_pipeline.corpus.blame import is_reformatting, listed_to_ignore
from gitcontext_pipeline.corpus.changes import WIDE_PATHS
from gitcontext_pipeline.corpus.command import read_git
from gitcontext_pipeline.corpus.commit_log import LoggedCommit, read_commits
from gitcontext_pipeline.corpus.git import shallow_commits
from gitcontext_pipeline.corpus.messages import read_message
from gitcontext_pipeline.corpus.patch_log import read_paths
from gitcontext_pipeline.corpus.pull_requests import PullRequest


@dataclass(frozen=True, slots=True)
class Touch:
    """A change that touched the lines: `sha` merged it or is it, `pull` is its pull request if it is one."""

    sha: str
    title: str
    author: str
    date: str
    pull: PullRequest | None
    reformatting: bool

    @property
    def name(self) -> str:
        """`#12` or the beginning of the commit's id."""
        return f"#{self.pull.number}" if self.pull else self.sha[:12]


@dataclass(frozen=True, slots=True)
class Followed:
    """The changes that touched the lines, newest first. `cut` says that the history that is there ends before them."""

    touches: tuple[Touch, ...]
    cut: bool

    @property
    def introduced(self) -> Touch | None:
        """The change that the lines began with, where the history reaches as far."""
        return None if self.cut or not self.touches else self.touches[-1]

    @property
    def changed(self) -> Touch | None:
        """The one that last changed them, reformatting left aside."""
        return next((touch for touch in self.touches if not touch.reformatting), None)


def follow_lines(
    repository: Path, revision: str, path: str, start: int, end: int, pulls: Iterable[PullRequest] = ()
) -> Followed:
    """Every change that touched the lines `start` to `end` (1-based, inclusive) of `path` as it is at `revision`."""
    shas = _log(repository, revision, f"-L{start},{end}:{path}", "--no-patch")
    return _told(repository, revision, shas, pulls)


def follow_file(repository: Path, revision: str, path: str, pulls: Iterable[PullRequest] = ()) -> Followed:
    """Every change that touched a file, under whatever names it had."""
    return _told(repository, revision, _log(repository, revision, "--follow", "--", path), pulls)


def _log(repository: Path, revision: str, *what: str) -> list[str]:
    options, paths = (what[: what.index("--")], what[what.index("--") :]) if "--" in what else (what, ())
    listed = read_git(
        "log", "--format=%H", "--no-show-signature", "-M", *options, revision, *paths, repository=repository
    )
    return listed.decode().split()


def _told(repository: Path, revision: str, shas: Sequence[str], pulls: Iterable[PullRequest]) -> Followed:
    # The oldest commit of a cut history seems to have written everything that is there.
    boundary = shallow_commits(repository).intersection(shas)
    shas = [sha for sha in shas if sha not in boundary]
    if not shas:
        return Followed((), cut=bool(boundary))
    commits = {commit.sha: commit for commit in read_commits(repository, shas, "--no-walk=unsorted")}
    reformatting = _reformatting(repository, revision, commits.values())
    brought = {sha: pull for pull in pulls for sha in (*pull.commits, pull.merge_sha)}
    found: dict[str, Touch] = {}
    for sha in shas:
        touch = _touch(commits[sha], brought.get(sha), sha in reformatting)
        if touch.sha not in found or found[touch.sha].reformatting:
            found[touch.sha] = touch
    return Followed(tuple(found.values()), cut=bool(boundary))


def _touch(commit: LoggedCommit, pull: PullRequest | None, reformatting: bool) -> Touch:
    if pull is None:
        title = read_message(commit.message).title
        return Touch(commit.sha, title, commit.author, commit.date, None, reformatting)
    return Touch(pull.merge_sha, pull.title, pull.author, pull.merged, pull, reformatting)


def _reformatting(repository: Path, revision: str, commits: Iterable[LoggedCommit]) -> set[str]:
    """Those that only changed how the code looks: they are listed as such, or say so and touch very many files."""
    suspected = [commit.sha for commit in commits if is_reformatting(read_message(commit.message).title)]
    found = {commit.sha for commit in commits} & listed_to_ignore(repository, revision)
    if suspected:
        options = ("--no-walk=unsorted", "--diff-merges=first-parent")
        patches = read_paths(repository, suspected, *options)
        found |= {patch.sha for patch in patches if len(patch.paths) > WIDE_PATHS}
    return found
