"""Fetching with a token: a few GraphQL calls for many pull requests, each with everything that was said about it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from gitcontext_pipeline.corpus.github import queries
from gitcontext_pipeline.corpus.github.client import Client
from gitcontext_pipeline.corpus.github.limits import Refused, TooMuch, Unreachable
from gitcontext_pipeline.corpus.github.reading import (
    Json,
    discussion_of_query,
    pull_of_query,
    review_of_query,
    thread_root,
)
from gitcontext_pipeline.corpus.github.records import CommentRecord
from gitcontext_pipeline.corpus.github.store import Store

Advance = Callable[[int, int], None]


def fetch_by_query(client: Client, store: Store, slug: str, numbers: Sequence[int], advance: Advance) -> None:
    """Put the pull requests `numbers` into the store, in their order; a batch that arrived stays.

    Raises:
        Unavailable: see `limits`.
    """
    done, size = 0, queries.BATCH
    while done < len(numbers):
        batch = numbers[done : done + size]
        try:
            repository = _repository(client, slug, queries.pulls_query(batch))
        except TooMuch as error:
            if size == 1:
                raise Unreachable(f"it cannot tell of #{batch[0]}: {error.what}") from error
            size = max(1, size // 2)
            client.patience.sleep(1)
            continue
        found = {number: node for number in batch if (node := repository.get(f"p{number}"))}
        comments = {number: list(_comments(client, number, node)) for number, node in found.items()}
        with store.together():
            store.put_pulls([pull_of_query(node) for node in found.values()], whole=True)
            store.put_absent([number for number in batch if number not in found])
            for number, said in comments.items():
                store.replace_comments(number, said)
        done += len(batch)
        size = min(queries.BATCH, size + 5)
        advance(done, len(numbers))


def find_pull_requests(client: Client, store: Store, slug: str, shas: Sequence[str]) -> None:
    """Ask which pull request brought each commit whose message names none (rebased ones do not)."""
    for start in range(0, len(shas), queries.COMMITS):
        batch = shas[start : start + queries.COMMITS]
        repository = _repository(client, slug, queries.commits_query(batch))
        with store.together():
            store.put_commits((sha, _merged(repository.get(f"c{position}"))) for position, sha in enumerate(batch))


def _repository(client: Client, slug: str, query: str) -> Json:
    owner, name = slug.split("/")
    data, errors = client.query(query, {"owner": owner, "name": name})
    repository = data.get("repository")
    if not isinstance(repository, dict):
        told = str(errors[0].get("message")) if errors else "no such repository"
        raise Refused(f"it has no repository {slug} that this token may see ({told})")
    # A number that is no pull request is an error of its own; anything else means that a null says nothing.
    for error in errors:
        if error.get("type") != "NOT_FOUND":
            raise Unreachable(f"it answered in part: {error.get('message')}")
    return repository


def _merged(commit: Json | None) -> int | None:
    """The pull request that was merged first of those that a commit is part of."""
    nodes = ((commit or {}).get("associatedPullRequests") or {}).get("nodes") or ()
    merged = [(str(node["mergedAt"]), int(node["number"])) for node in nodes if node and node.get("mergedAt")]
    return min(merged)[1] if merged else None


def _comments(client: Client, number: int, pull: Json) -> Iterator[CommentRecord]:
    for what in ("comments", "reviews"):
        for node in _all(client, pull["id"], what, pull.get(what)):
            if str(node.get("body") or "").strip():
                yield discussion_of_query(number, node)
    for thread in _all(client, pull["id"], "reviewThreads", pull.get("reviewThreads")):
        root = thread_root(thread)
        if root is not None:
            for node in _all(client, thread["id"], "thread", thread.get("comments")):
                yield review_of_query(number, thread, root, node)


def _all(client: Client, node: str, what: str, first: Json | None) -> Iterator[Json]:
    """The nodes of a list whose first page has come already, to its end."""
    page: Any = first
    while page:
        yield from (each for each in page.get("nodes") or () if each)
        info = page.get("pageInfo") or {}
        if not info.get("hasNextPage"):
            return
        data, _ = client.query(queries.more_query(what), {"id": node, "after": info["endCursor"]})
        page = (data.get("node") or {}).get("comments" if what == "thread" else what)
