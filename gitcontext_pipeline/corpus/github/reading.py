"""From the JSON of both interfaces to records, however little of it is there.

https://docs.github.com/rest/pulls, https://docs.github.com/graphql/reference/objects#pullrequest
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from gitcontext_pipeline.corpus.github.records import CommentRecord, PullRecord
from gitcontext_pipeline.corpus.history import is_bot

Json = Mapping[str, Any]

_CLOSES = re.compile(r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+#([1-9]\d{0,8})\b", re.IGNORECASE)
_NUMBER_OF_URL = re.compile(r"/(?:pull|pulls|issues)/(\d+)(?:[/#?]|$)")


def closed_issues(text: str) -> tuple[int, ...]:
    """The issues that a text says it closes, by GitHub's keywords, in their order."""
    return tuple(dict.fromkeys(int(number) for number in _CLOSES.findall(text)))


def number_in(url: object) -> int | None:
    """The pull request or issue that an address is about."""
    found = _NUMBER_OF_URL.search(str(url or ""))
    return int(found[1]) if found else None


def pull_of_query(node: Json) -> PullRecord:
    """A node of the query in `queries`."""
    login, bot = _author(node.get("author"))
    return PullRecord(
        number=int(node["number"]),
        title=_line(node.get("title")),
        body=_text(node.get("body")),
        url=str(node.get("url") or ""),
        author=login,
        bot=bot,
        created=str(node.get("createdAt") or ""),
        merged=node.get("mergedAt"),
        merge_sha=(node.get("mergeCommit") or {}).get("oid"),
        updated=str(node.get("updatedAt") or ""),
        labels=tuple(label["name"] for label in _nodes(node, "labels")),
        issues=tuple(
            (int(issue["number"]), _line(issue.get("title")), str(issue.get("url") or ""))
            for issue in _nodes(node, "closingIssuesReferences")
        ),
    )


def discussion_of_query(number: int, node: Json) -> CommentRecord:
    """A comment below a pull request, or the text that came with a review."""
    login, bot = _author(node.get("author"))
    date = str(node.get("submittedAt") or node.get("createdAt") or "")
    hidden = node.get("minimizedReason") if node.get("isMinimized") else None
    return CommentRecord(
        # Reviews, comments below and comments on lines are numbered apart from each other.
        id=f"{'v' if 'submittedAt' in node else 'c'}{_id(node)}",
        number=number,
        kind="discussion",
        author=login,
        bot=bot,
        date=date,
        updated=str(node.get("updatedAt") or date),
        body=_text(node.get("body")),
        url=str(node.get("url") or ""),
        hidden=str(hidden).lower() if hidden else None,
    )


def review_of_query(number: int, thread: Json, root: str, node: Json) -> CommentRecord:
    """A comment of a review thread; its lines are those it was written about, where they are still told."""
    login, bot = _author(node.get("author"))
    hidden = node.get("minimizedReason") if node.get("isMinimized") else None
    return CommentRecord(
        id=f"r{_id(node)}",
        number=number,
        kind="review",
        author=login,
        bot=bot,
        date=str(node.get("createdAt") or ""),
        updated=str(node.get("updatedAt") or node.get("createdAt") or ""),
        body=_text(node.get("body")),
        url=str(node.get("url") or ""),
        thread=root,
        path=thread.get("path"),
        line=_first(thread.get("originalLine"), thread.get("line")),
        start_line=_first(thread.get("originalStartLine"), thread.get("startLine")),
        commit=(node.get("originalCommit") or {}).get("oid"),
        hunk=node.get("diffHunk"),
        resolved=bool(thread.get("isResolved")),
        hidden=str(hidden).lower() if hidden else None,
    )


def thread_root(thread: Json) -> str | None:
    """The id of a thread's first comment, which names the thread; None for one without comments."""
    first = _nodes(thread, "comments")[:1]
    return f"r{_id(first[0])}" if first else None


def pull_of_rest(item: Json) -> PullRecord:
    """An item of `GET /repos/{slug}/pulls` or of `GET /repos/{slug}/issues`."""
    login, bot = _author(item.get("user"))
    body = _text(item.get("body"))
    merged = item.get("merged_at") or (item.get("pull_request") or {}).get("merged_at")
    return PullRecord(
        number=int(item["number"]),
        title=_line(item.get("title")),
        body=body,
        url=str(item.get("html_url") or ""),
        author=login,
        bot=bot,
        created=str(item.get("created_at") or ""),
        merged=merged,
        merge_sha=item.get("merge_commit_sha") if merged else None,
        updated=str(item.get("updated_at") or ""),
        labels=tuple(label["name"] for label in item.get("labels") or () if isinstance(label, Mapping)),
        issues=tuple((number, "", "") for number in closed_issues(body)),
    )


def comment_of_rest(item: Json) -> CommentRecord | None:
    """An item of `GET /repos/{slug}/pulls/comments` or of `.../issues/comments`; None when it is about an issue."""
    review = "pull_request_url" in item
    number = number_in(item.get("pull_request_url") or item.get("html_url"))
    if number is None or (not review and "/issues/" in str(item.get("html_url"))):
        return None
    login, bot = _author(item.get("user"))
    return CommentRecord(
        id=f"{'r' if review else 'c'}{item['id']}",
        number=number,
        kind="review" if review else "discussion",
        author=login,
        bot=bot,
        date=str(item.get("created_at") or ""),
        updated=str(item.get("updated_at") or ""),
        body=_text(item.get("body")),
        url=str(item.get("html_url") or ""),
        thread=f"r{item.get('in_reply_to_id') or item['id']}" if review else None,
        path=item.get("path") if review else None,
        line=_first(item.get("original_line"), item.get("line")) if review else None,
        start_line=_first(item.get("original_start_line"), item.get("start_line")) if review else None,
        commit=item.get("original_commit_id") if review else None,
        hunk=item.get("diff_hunk") if review else None,
    )


def _nodes(node: Json, name: str) -> list[Json]:
    return [each for each in (node.get(name) or {}).get("nodes") or () if each]


def _author(account: object) -> tuple[str | None, bool]:
    """Login, and whether it is a robot's; None for a deleted account."""
    if not isinstance(account, Mapping) or not account.get("login"):
        return None, False
    login = str(account["login"])
    return login, "Bot" in {account.get("__typename"), account.get("type")} or is_bot(login)


def _id(node: Json) -> str:
    return str(node.get("fullDatabaseId") or node.get("databaseId") or node.get("id"))


def _text(value: object) -> str:
    return str(value or "").replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")


def _line(value: object) -> str:
    return " ".join(_text(value).split())


def _first(*values: int | None) -> int | None:
    return next((value for value in values if value is not None), None)
