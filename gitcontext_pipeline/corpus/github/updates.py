"""What changed at GitHub since the last time: usually one conditional call that costs nothing (304, Not Modified)."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from gitcontext_pipeline.corpus.github.by_listing import COMMENTS
from gitcontext_pipeline.corpus.github.client import Client
from gitcontext_pipeline.corpus.github.reading import comment_of_rest, pull_of_rest
from gitcontext_pipeline.corpus.github.records import PullRecord
from gitcontext_pipeline.corpus.github.store import Store

PULLS = "issues"
"""Its listing has pull requests too, is asked by date, and is much smaller than that of the pull requests alone."""
_OVERLAP = 3600
"""Seconds by which two clocks may differ."""


def begin(client: Client, store: Store) -> None:
    """Before anything is fetched: from now on, changes are what comes after this moment."""
    moment = datetime.fromtimestamp(client.patience.now() - _OVERLAP, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    with store.together():
        for listing in (PULLS, *COMMENTS):
            if store.fact(f"{listing} since") is None:
                store.note(**{f"{listing} since": moment})


def mark_changed(client: Client, store: Store, slug: str) -> None:
    """Have the pull requests that changed fetched again."""
    for items in _changed(client, store, slug, PULLS):
        pulls = {one.number: one for one in map(pull_of_rest, _pull_items(items))}
        kept = store.pulls(pulls)
        changed = [number for number, before in kept.items() if before and before.updated < pulls[number].updated]
        store.mark_stale(changed)


def take_changed(client: Client, store: Store, slug: str, wanted: Collection[int]) -> None:
    """Without a token the listings of what changed are all there is: take it from them."""
    for items in _changed(client, store, slug, PULLS):
        pulls = [pull_of_rest(item) for item in _pull_items(items)]
        kept = store.pulls({one.number for one in pulls})
        taken = [one for one in pulls if one.number in kept or one.number in wanted]
        store.put_pulls((_merged(one, kept.get(one.number)) for one in taken), whole=False)
    for listing in COMMENTS:
        for items in _changed(client, store, slug, listing):
            store.put_comments(filter(None, map(comment_of_rest, items)))


def _merged(now: PullRecord, before: PullRecord | None) -> PullRecord:
    """This listing does not tell the merge's commit, nor the titles of issues."""
    return now if before is None else replace(now, merge_sha=before.merge_sha, issues=before.issues or now.issues)


def _changed(client: Client, store: Store, slug: str, listing: str) -> Iterator[list[dict[str, Any]]]:
    """The pages of what changed, the oldest change first; a page that was dealt with is not asked for again."""
    since = store.fact(f"{listing} since") or ""
    asked = {"since": since, "sort": "updated", "direction": "asc", "per_page": "100"}
    asked |= {"state": "closed"} if listing == PULLS else {}
    page = client.get(f"repos/{slug}/{listing}", etag=store.etag(f"{listing} {since}"), **asked)
    etag, newest = page.etag, since
    while page.content is not None:
        items = [item for item in page.content if isinstance(item, dict)]
        newest = max([newest, *(str(item.get("updated_at") or "") for item in items)])
        with store.together():
            yield items
            store.note(**{f"{listing} since": newest})
        if page.next is None:
            break
        page = client.get(page.next)
    if newest == since:
        store.put_etag(f"{listing} {since}", etag)


def _pull_items(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [item for item in items if "pull_request" in item]
