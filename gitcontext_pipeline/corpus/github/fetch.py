"""One fetch from beginning to end: what changed, what is missing, and how far it came."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from gitcontext_pipeline.corpus.github.by_listing import fetch_by_listing
from gitcontext_pipeline.corpus.github.by_query import fetch_by_query, find_pull_requests
from gitcontext_pipeline.corpus.github.client import Client
from gitcontext_pipeline.corpus.github.limits import RateLimited, Unavailable
from gitcontext_pipeline.corpus.github.store import Store
from gitcontext_pipeline.corpus.github.updates import begin, mark_changed, take_changed

Advance = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the history names, newest first: numbers, and the steps whose messages name none."""

    numbers: Sequence[int]
    unnamed: Sequence[str]


@dataclass(frozen=True, slots=True)
class Fetched:
    """How a fetch went. `why` says what stopped it, and `until` when it may go on; both None where it is complete."""

    calls: int
    left: int | None
    why: str | None = None
    until: str | None = None


def fetch(
    client: Client, store: Store, slug: str, wanted: Wanted, advance: Advance = lambda done, total: None
) -> Fetched:
    """Bring the store up to date with all that is wanted. Whatever happens, what has arrived stays; never raises
    because of GitHub."""
    try:
        if store.fact("begun") is None:
            begin(client, store)
            store.note(begun="yes")
        elif client.has_token:
            mark_changed(client, store, slug)
        else:
            take_changed(client, store, slug, wanted.numbers)
        if client.has_token:
            _query(client, store, slug, wanted, advance)
        else:
            fetch_by_listing(client, store, slug, wanted.numbers, advance)
    except RateLimited as error:
        return Fetched(client.calls, client.left, error.what, error.until)
    except Unavailable as error:
        return Fetched(client.calls, client.left, error.what)
    store.note(asked=datetime.fromtimestamp(client.patience.now(), UTC).strftime("%Y-%m-%dT%H:%M:%SZ"))
    return Fetched(client.calls, client.left)


def _query(client: Client, store: Store, slug: str, wanted: Wanted, advance: Advance) -> None:
    asked = store.commits()
    find_pull_requests(client, store, slug, [sha for sha in wanted.unnamed if sha not in asked])
    found = store.commits()
    unnamed = [number for sha in wanted.unnamed if (number := found.get(sha)) is not None]
    known = store.known(whole=True)
    missing = [number for number in dict.fromkeys([*wanted.numbers, *unnamed]) if number not in known]
    fetch_by_query(client, store, slug, missing, advance)
