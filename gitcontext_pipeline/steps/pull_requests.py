"""The pull request cache: what the history names, and what GitHub adds to it where it may be asked.

By default GitHub is asked only when there is a token: without one, 60 calls an hour would keep a repository of some
size waiting for hours. `gitcontext fetch-prs` asks without a token, too, and what it fetched is used ever after.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from gitcontext_pipeline.corpus.changelog import CHANGELOG, entries_by_number
from gitcontext_pipeline.corpus.changes import Change
from gitcontext_pipeline.corpus.checkout import Checkout
from gitcontext_pipeline.corpus.github.client import Client
from gitcontext_pipeline.corpus.github.credentials import find_token
from gitcontext_pipeline.corpus.github.fetch import Wanted, fetch
from gitcontext_pipeline.corpus.github.store import Store
from gitcontext_pipeline.corpus.history import read_changes
from gitcontext_pipeline.corpus.origins import read_checkout
from gitcontext_pipeline.corpus.pull_request_table import PULL_REQUESTS, write_pull_requests
from gitcontext_pipeline.corpus.pull_requests import (
    Known,
    PullRequest,
    build_pull_requests,
    is_github_number,
    number_changes,
    renumbered,
)
from gitcontext_pipeline.steps.ledger import StepResult
from gitcontext_pipeline.steps.snapshots import material
from gitcontext_pipeline.steps.workspace import Workspace
from gitcontext_pipeline.storage import fingerprint, locked

STORE = "github.sqlite"
HISTORY_VERSION = 4
"""Part of fingerprints; raised whenever the history is read, or attributed to lines, differently."""

FRESH_DAYS = 7
"""From this age on what GitHub said is called old."""
NOT_ASKED, STOPPED = "not asked", "stopped"


@dataclass(frozen=True, slots=True)
class Asking:
    """How much GitHub is asked about: the `limit` newest pull requests, those merged `since` an ISO 8601 date."""

    limit: int | None = None
    since: str | None = None
    without_token: bool = False


def cache_pull_requests(workspace: Workspace, asking: Asking | None = None) -> StepResult:
    """Every pull request merged into the pinned revision: as the git history tells of it, and as GitHub does where it
    was asked. No history, as in a release archive, has none. GitHub out of reach is said, and never a failure."""
    checkout = material(workspace, "repo_checkout")
    with locked(workspace.corpus.directory):
        opened = read_checkout(workspace.corpus.directory)
        history = cache(lambda: read_history(workspace, opened, "finding the pull requests in the history"))
        contact = _ask(workspace, opened, history, asking or Asking())
        input_ = fingerprint(checkout.fingerprint, HISTORY_VERSION, workspace.spec.repository, _version(workspace))
        path = workspace.corpus.directory / PULL_REQUESTS
        done = workspace.ledger.entry("pr_cache")
        if done is not None and done.facts.get("input") == input_ and path.is_file():
            facts = {**done.facts, **contact}
            if facts != done.facts:
                workspace.ledger.record("pr_cache", done.fingerprint, facts)
            return StepResult(done.fingerprint, facts, skipped=True)
        known = _known(workspace, history())
        changes = number_changes(history(), known)
        rows = build_pull_requests(changes, known, entries_by_number(_changelogs(opened)) if changes else {})
        write_pull_requests(rows, path)
        facts = {"input": input_, **_told(rows, changes), "asked": _asked(workspace), **contact}
        made = fingerprint(checkout.fingerprint, HISTORY_VERSION, [asdict(row) for row in rows])
        workspace.ledger.record("pr_cache", made, facts)
        return StepResult(made, facts, skipped=False)


def read_history(workspace: Workspace, checkout: Checkout, progress: str) -> list[Change]:
    """Every change that led to the checked-out revision; none where the corpus has no history.

    `progress` tells the user what it is read for.
    """
    if checkout.repository is None or workspace.spec.history == "none":
        return []
    workspace.progress(progress)
    return read_changes(checkout.repository, checkout.revision)


def changes_as_cached(workspace: Workspace, checkout: Checkout, pulls: Mapping[str, PullRequest]) -> list[Change]:
    """The history, with the numbers that the cached table has; `pulls` are its rows by the commit that merged them."""
    changes = read_history(workspace, checkout, "reading the changes of the history")
    return [renumbered(change, pulls[change.sha].number if change.sha in pulls else None) for change in changes]


def _changelogs(checkout: Checkout) -> list[str]:
    files = [file for file in checkout.files() if CHANGELOG.match(file.path)]
    return [checkout.read(file).decode("utf-8-sig", errors="replace") for file in files]


def age_in_days(asked: str | None) -> float | None:
    """How long ago GitHub last answered to the end; None if it never did."""
    if asked is None:
        return None
    return (datetime.now(UTC) - datetime.fromisoformat(asked)).total_seconds() / 86_400


def _ask(
    workspace: Workspace, checkout: Checkout, history: Callable[[], list[Change]], asking: Asking
) -> dict[str, Any]:
    """Ask GitHub, if it may be asked; what to say about it."""
    slug = workspace.spec.github
    if slug is None:
        return _not_asked("the corpus names no GitHub repository")
    if checkout.repository is None or workspace.spec.history == "none":
        return _not_asked("there is no history to ask about")
    token = find_token(workspace.spec.github_url)
    if token is None and not asking.without_token:
        return _not_asked("there is no token (GITHUB_TOKEN, GH_TOKEN or `gh auth token`)")
    wanted = _wanted(history(), asking)
    workspace.progress(f"asking GitHub about {slug} {f'with {token.source}' if token else 'without a token'}")
    with (
        Client(workspace.spec.github_url, token, heard=workspace.progress) as client,
        Store(_store(workspace), _identity(workspace)) as store,
    ):
        fetched = fetch(client, store, slug, wanted, workspace.advance)
    return {
        "github": f"{STOPPED}: {fetched.why}" if fetched.why else "up to date",
        "token": token.source if token else None,
        "calls": fetched.calls,
        "limit_left": fetched.left,
        "until": fetched.until,
        "asked": _asked(workspace),
    }


def _not_asked(why: str) -> dict[str, Any]:
    return {"github": f"{NOT_ASKED}: {why}", "token": None, "calls": 0, "limit_left": None, "until": None}


def _wanted(changes: Sequence[Change], asking: Asking) -> Wanted:
    numbers: dict[int, None] = {}
    unnamed: list[str] = []
    for change in changes:
        if asking.limit is not None and len(numbers) >= asking.limit:
            break
        if asking.since is not None and change.date < asking.since:
            continue
        if change.number is not None and is_github_number(change):
            numbers[change.number] = None
        elif change.number is None and change.within is None:
            unnamed.append(change.sha)
    return Wanted(list(numbers), unnamed)


def _known(workspace: Workspace, changes: Sequence[Change]) -> Known:
    if not changes or not _store(workspace).is_file() or workspace.spec.github is None:
        return Known()
    with Store(_store(workspace), _identity(workspace)) as store:
        brought = store.commits()
        numbers = {change.number for change in changes if change.number is not None}
        numbers |= {number for number in brought.values() if number is not None}
        return Known(store.pulls(numbers), store.comments(numbers), brought, until=changes[0].date)


def _told(rows: Sequence[PullRequest], changes: Sequence[Change]) -> dict[str, Any]:
    dates = sorted(row.merged for row in rows)
    named = {change.number for change in changes if change.number is not None}
    return {
        "rows": len(rows),
        "named": len(named),
        "cached": len({row.number for row in rows}),
        "sources": {"git history": len(rows), "GitHub": len({row.number for row in rows if row.from_github})},
        "threads": sum(len(row.threads) for row in rows),
        "comments": sum(len(row.comments) for row in rows),
        "noise": dict(Counter(row.noise for row in rows if row.noise)),
        "changes": len(changes),
        "oldest": dates[0] if dates else None,
        "newest": dates[-1] if dates else None,
    }


def _asked(workspace: Workspace) -> str | None:
    """When GitHub last answered to the end."""
    if not _store(workspace).is_file() or workspace.spec.github is None:
        return None
    with Store(_store(workspace), _identity(workspace)) as store:
        return store.fact("asked")


def _version(workspace: Workspace) -> int:
    if not _store(workspace).is_file() or workspace.spec.github is None:
        return 0
    with Store(_store(workspace), _identity(workspace)) as store:
        return store.version


def _store(workspace: Workspace) -> Path:
    return workspace.corpus.directory / STORE


def _identity(workspace: Workspace) -> str:
    return f"{workspace.spec.github_url}/{workspace.spec.github}"
