"""Which pull request inside a merge wrote the lines that blame gives to the merge as a whole.

A merge of a long-lived branch brings in many pull requests; the lines it wrote are followed along that branch.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from gitcontext_pipeline.corpus.changes import Change
from gitcontext_pipeline.corpus.command import read_git
from gitcontext_pipeline.corpus.line_trail import NO_LINE, Trail
from gitcontext_pipeline.corpus.patch_log import PathPatch, read_difference, read_patches

Written = Mapping[str, Sequence[int]]
"""For each path of a merge's tree, what each of its lines became in the pinned version, or NO_LINE.

The same line stands for the same one in all paths: the lines of different files must have different numbers.
"""

_DEEPEST = 20
_FEW = 200
"""Paths up to which only these are compared; the whole trees of an old and a new branch differ in very much."""


class NestedBlame:
    """Attributes lines to the `nested` changes instead of to the merges that brought them in."""

    def __init__(self, repository: Path, revision: str, changes: Sequence[Change], ignore: Collection[str]) -> None:
        self._repository = repository
        self._ignore = ignore
        self._nested = {change.sha for change in changes if change.within is not None}
        self._outer = {change.within for change in changes if change.within is not None}
        self._parents = _merges(repository, revision) if self._nested else {}

    def is_outer(self, sha: str) -> bool:
        """Whether other changes were merged inside this one."""
        return sha in self._outer

    def authors(self, merge: str, written: Written) -> dict[int, str]:
        """For the pinned lines that `merge` wrote, the nested change that wrote each, as far as one did."""
        return dict(self._found(merge, written, 0))

    def _found(self, merge: str, written: Written, depth: int) -> Iterator[tuple[int, str]]:
        before, branch = self._parents[merge][:2]
        trails = self._at_branch(merge, branch, written)
        if not trails:
            return
        for commit in read_patches(self._repository, [branch, f"^{before}"]):
            if not trails:
                return
            wrote: dict[str, list[int]] = {}
            for patch in commit.paths:
                trail = trails.pop(patch.path, None)
                if trail is not None:
                    wrote[patch.path] = _step(trail, patch, commit.sha, commit.sha in self._ignore)
                    if trail.left:
                        trails[patch.old_path] = trail
            lines = [line for each in wrote.values() for line in each if line != NO_LINE]
            is_nested = commit.sha in self._nested
            if is_nested:
                yield from ((line, commit.sha) for line in lines)
            # Further in: a pull request with others inside it, or somebody's pull on the branch.
            further = commit.sha in (self._outer if is_nested else self._parents)
            if lines and further and depth < _DEEPEST:
                yield from self._found(commit.sha, wrote, depth + 1)

    def _at_branch(self, merge: str, branch: str, written: Written) -> dict[str, Trail]:
        """The lines that the merge took from its branch as they are, by their paths there."""
        trails = {path: _trail(lines) for path, lines in written.items() if any(line != NO_LINE for line in lines)}
        if not trails:
            return {}
        few = list(trails) if len(trails) <= _FEW else []
        for patch in read_difference(self._repository, branch, merge, few):
            trail = trails.pop(patch.path, None)
            if trail is not None:
                _step(trail, patch, merge, ignored=False)
                trails[patch.old_path] = trail
        return {path: trail for path, trail in trails.items() if trail.left > 0}


def _trail(lines: Sequence[int]) -> Trail:
    kept = [line for line in lines if line != NO_LINE]
    return Trail(list(lines), [""] * (max(kept, default=-1) + 1), len(kept))


def _step(trail: Trail, patch: PathPatch, sha: str, ignored: bool) -> list[int]:
    """Step back over a patch; returns the lines as they were, without those that it did not write."""
    lines = trail.lines
    if patch.status in "AT" or patch.binary:
        trail.settle_rest(sha)
    else:
        trail.step_back(patch.hunks, sha, ignored)
    return [line if line != NO_LINE and trail.shas[line] == sha else NO_LINE for line in lines]


def _merges(repository: Path, revision: str) -> dict[str, list[str]]:
    listed = read_git("rev-list", "--min-parents=2", "--parents", revision, "--", repository=repository)
    return {sha: parents for sha, *parents in (line.split() for line in listed.decode().splitlines())}
