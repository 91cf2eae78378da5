"""To which change each commit of a history belongs: to a step of the pinned branch, or to a pull request inside one.

A pull request is often merged into a branch that is merged itself later (a release branch, somebody's `git pull`). Such
a one is a change of its own, with the commits that it brought in; the step around it keeps the rest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gitcontext_pipeline.corpus.commit_log import LoggedCommit
from gitcontext_pipeline.corpus.messages import read_message

_FORK = 20
"""A number this many times smaller than those merged before it counts a fork's pull requests, not this repository's."""
_GITHUB = "GitHub"
"""Committer of what is merged on github.com."""


@dataclass(frozen=True, slots=True)
class Belonging:
    """`brought` has the commits of each change, newest first; `within` says in which change a nested one was merged."""

    brought: dict[str, list[str]] = field(default_factory=dict)
    within: dict[str, str] = field(default_factory=dict)


def belonging(steps: Sequence[str], commits: Mapping[str, LoggedCommit]) -> Belonging:
    """Give every commit that was not reachable before the step that merged it to that step, or to a change within it.

    `steps` are the first-parent steps, newest first; `commits` has them and all that they brought in.
    """
    found = Belonging()
    numbers = {step: read_message(commits[step].message).number for step in steps}
    highest = 0
    taken = set(steps)
    for step in reversed(steps):
        highest = max(highest, numbers[step] or 0)
        waiting = [(parent, step) for parent in reversed(commits[step].parents[1:])]
        while waiting:
            tip, owner = waiting.pop()
            line: list[str] = []
            while tip in commits and tip not in taken:
                taken.add(tip)
                line.append(tip)
                tip = commits[tip].parents[0] if commits[tip].parents else ""
            for sha in line:
                found.brought.setdefault(owner, []).append(sha)
                own = _own_number(commits[sha], [numbers[each] for each in _around(owner, found.within)], highest)
                if own is not None:
                    numbers[sha] = own
                    found.within[sha] = owner
                # The oldest merge of the line ends up on top: what two of them could bring in belongs to the first.
                waiting.extend((parent, owner if own is None else sha) for parent in reversed(commits[sha].parents[1:]))
    order = {sha: position for position, sha in enumerate(commits)}
    for parts in found.brought.values():
        parts.sort(key=order.__getitem__)
    return found


def _own_number(commit: LoggedCommit, around: Sequence[int | None], highest: int) -> int | None:
    """The pull request that a commit on a merged branch is, if it is one; `around` are the numbers it lies within.

    A plain commit of somebody's pull request that ends in `(#12)` mentions an issue, unless GitHub itself committed it.
    """
    number = read_message(commit.message).number
    if number is None or number in around or number * _FORK < highest:
        return None
    squashed = len(commit.parents) < 2
    return None if squashed and around[0] is not None and commit.committer != _GITHUB else number


def _around(owner: str, within: Mapping[str, str]) -> list[str]:
    found = [owner]
    while owner in within:
        owner = within[owner]
        found.append(owner)
    return found
