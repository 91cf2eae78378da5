"""Fetching without a token: GitHub's listings, a hundred items a call, for which 60 calls an hour are allowed.

They are read from the newest item on until it is older than anything wanted. Where one run stops, the next goes on: a
listing that grew meanwhile shows some items twice, and hides none.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from gitcontext_pipeline.corpus.github.client import Client
from gitcontext_pipeline.corpus.github.reading import comment_of_rest, pull_of_rest
from gitcontext_pipeline.corpus.github.store import Store

Advance = Callable[[int, int], None]

COMMENTS = ("pulls/comments", "issues/comments")
_ENDED = "ended"
_NEWEST_FIRST = {"sort": "created", "direction": "desc", "per_page": "100"}


def fetch_by_listing(client: Client, store: Store, slug: str, wanted: Collection[int], advance: Advance) -> None:
    """Put the pull requests `wanted` into the store, and all that was said about them.

    Raises:
        Unavailable: see `limits`.
    """
    _pulls(client, store, slug, frozenset(wanted), advance)
    created = [record.created for record in store.pulls(wanted).values() if record is not None]
    if created:
        for listing in COMMENTS:
            _comments(client, store, slug, listing, min(created))


def _pulls(client: Client, store: Store, slug: str, wanted: frozenset[int], advance: Advance) -> None:
    missing = wanted - store.known(whole=False)
    path = store.fact("pulls next") or f"repos/{slug}/pulls"
    while missing and path != _ENDED:
        page = client.get(path, **({"state": "closed", **_NEWEST_FIRST} if path.startswith("repos/") else {}))
        items = _items(page.content)
        numbers = [int(item["number"]) for item in items]
        highest = int(store.fact("pulls highest") or max(numbers, default=0))
        lowest = min(numbers) if page.next and numbers else 0
        with store.together():
            kept = [item for item in items if item.get("merged_at") or int(item["number"]) in wanted]
            store.put_pulls(map(pull_of_rest, kept), whole=False)
            # Within what was listed, a number that did not come is an issue's.
            gone = {number for number in missing - store.known(whole=False) if lowest < number <= highest}
            store.put_absent(gone)
            store.note(**{"pulls next": page.next or _ENDED, "pulls highest": str(highest)})
        path = page.next or _ENDED
        missing = wanted - store.known(whole=False)
        advance(len(wanted) - len(missing), len(wanted))


def _comments(client: Client, store: Store, slug: str, listing: str, back_to: str) -> None:
    path = store.fact(f"{listing} next") or f"repos/{slug}/{listing}"
    reached = store.fact(f"{listing} reached")
    while path != _ENDED and (reached is None or reached >= back_to):
        page = client.get(path, **(_NEWEST_FIRST if path.startswith("repos/") else {}))
        items = _items(page.content)
        reached = min([str(item["created_at"]) for item in items], default=reached)
        with store.together():
            store.put_comments(filter(None, map(comment_of_rest, items)))
            store.note(**{f"{listing} next": page.next or _ENDED, f"{listing} reached": reached})
        path = page.next or _ENDED


def _items(content: Any) -> list[dict[str, Any]]:
    return [item for item in content if isinstance(item, dict)] if isinstance(content, list) else []
