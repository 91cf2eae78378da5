"""Merged pull requests: what the git history and the changelog tell of each, and what GitHub adds; from where it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from gitcontext_pipeline.corpus.changelog import entries_of
from gitcontext_pipeline.corpus.changes import Change
from gitcontext_pipeline.corpus.discussion import Comment, LinkedIssue, ReviewThread, discussion_of, threads_of
from gitcontext_pipeline.corpus.github.reading import closed_issues
from gitcontext_pipeline.corpus.github.records import CommentRecord, PullRecord
from gitcontext_pipeline.corpus.noise import noise_of

HISTORY, GITHUB, CHANGELOG = "git history", "GitHub", "changelog"
"""The sources of a row's fields."""


@dataclass(frozen=True, slots=True)
class PullRequest:
    """A merged pull request. Dates are ISO 8601 in UTC; `reverts` has commit ids and references of what it takes back.

    `within` is the change whose merge brought this one in, where that is not the pinned branch itself. `noise` says
    what kind of routine it is, if it is one. `changelog` has the project's own words about it. `sources` names the
    source of every field that is not empty.
    """

    number: int
    title: str
    body: str
    merge_sha: str
    author: str
    created: str
    merged: str
    files: tuple[str, ...]
    symbols: tuple[str, ...]
    commits: tuple[str, ...]
    reverts: tuple[str, ...]
    within: str | None = None
    noise: str | None = None
    url: str | None = None
    labels: tuple[str, ...] = ()
    issues: tuple[LinkedIssue, ...] = ()
    threads: tuple[ReviewThread, ...] = ()
    comments: tuple[Comment, ...] = ()
    changelog: tuple[str, ...] = ()
    sources: Mapping[str, str] = field(default_factory=dict)

    @property
    def from_github(self) -> bool:
        return GITHUB in self.sources.values()


@dataclass(frozen=True, slots=True)
class Known:
    """What GitHub told so far. `pulls` has None for numbers that are no pull requests, `brought` maps commits to them.

    Comments written after `until` (ISO 8601) are of a time that the pinned revision does not know, and are left out.
    """

    pulls: Mapping[int, PullRecord | None] = field(default_factory=dict)
    comments: Mapping[int, Sequence[CommentRecord]] = field(default_factory=dict)
    brought: Mapping[str, int | None] = field(default_factory=dict)
    until: str = "9999"


def number_changes(changes: Iterable[Change], known: Known) -> list[Change]:
    """`changes` with the numbers that GitHub knows of: of rebased pull requests, whose commits name none.

    A number that is an issue's is taken away again.
    """
    return [_numbered(change, known) for change in changes]


def _numbered(change: Change, known: Known) -> Change:
    if change.number is None:
        number = known.brought.get(change.sha)
        return change if number is None or known.pulls.get(number) is None else renumbered(change, number)
    is_issue = is_github_number(change) and change.number in known.pulls and known.pulls[change.number] is None
    return renumbered(change, None) if is_issue else change


def renumbered(change: Change, number: int | None) -> Change:
    """`change` as a pull request of that number, or as a commit of its own."""
    if number == change.number:
        return change
    if number is None:
        return replace(change, number=None, reference=None, kind="commit")
    return replace(change, number=number, reference=f"#{number}", kind="pull_request")


def is_github_number(change: Change) -> bool:
    """Whether a change names a pull request as GitHub does, and not as GitLab does (`!12`)."""
    return change.reference is not None and change.reference.startswith("#")


def build_pull_requests(
    changes: Iterable[Change], known: Known | None = None, changelog: Mapping[int, tuple[str, ...]] | None = None
) -> list[PullRequest]:
    """The pull requests among `changes`, in their order.

    A number that comes twice (a rebased pull request; one that was merged, undone and merged again) keeps a row for
    each, and what GitHub tells stands in the newest. `changelog` has the entries of the pinned tree's by number.
    """
    known = known or Known()
    told: set[int] = set()
    rows = []
    for change in changes:
        if change.number is None:
            continue
        row = _from_history(change, change.number)
        record = known.pulls.get(row.number)
        # A number that was given to something else only later means another repository's.
        if record is not None and is_github_number(change) and record.created <= change.date:
            comments = known.comments.get(row.number, ()) if row.number not in told else ()
            row = _enriched(row, record, [each for each in comments if each.date <= known.until])
            told.add(row.number)
        entries = entries_of([row.number, *(issue.number for issue in row.issues)], changelog or {})
        if entries:
            row = replace(row, changelog=entries, sources={**row.sources, "changelog": CHANGELOG})
        rows.append(row)
    return rows


def _from_history(change: Change, number: int) -> PullRequest:
    paths = tuple(path.path for path in change.paths)
    row = PullRequest(
        number=number,
        title=change.title,
        body=change.body,
        merge_sha=change.sha,
        author=change.author,
        created=change.authored,
        merged=change.date,
        files=paths,
        symbols=tuple(dict.fromkeys(hunk.symbol for hunk in change.hunks if hunk.symbol)),
        commits=tuple(commit.sha for commit in change.commits),
        reverts=change.reverts,
        within=change.within,
        noise=noise_of(change.title, change.bot, paths),
        issues=tuple(LinkedIssue(issue, "", "") for issue in closed_issues(f"{change.title}\n{change.body}")),
    )
    named = ("title", "body", "merge_sha", "author", "created", "merged", "files", "symbols", "commits", "reverts")
    return replace(row, sources={name: HISTORY for name in (*named, "issues") if getattr(row, name)})


def _enriched(row: PullRequest, record: PullRecord, comments: Sequence[CommentRecord]) -> PullRequest:
    told: dict[str, Any] = {
        "title": record.title,
        "body": record.body,
        "author": row.author or record.author or "",
        "created": record.created,
        "url": record.url,
        "labels": record.labels,
        "issues": tuple(LinkedIssue(*issue) for issue in record.issues),
        "threads": threads_of(comments),
        "comments": discussion_of(comments),
    }
    better = {name: value for name, value in told.items() if value and value != getattr(row, name)}
    sources = {**row.sources, **dict.fromkeys(better, GITHUB)}
    noise = row.noise or noise_of(record.title, record.bot, row.files)
    return replace(row, **better, noise=noise, sources=sources)
