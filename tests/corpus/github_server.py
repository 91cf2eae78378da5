"""A GitHub server on loopback: REST and GraphQL over the same pull requests, with its limits and its bad days."""

from __future__ import annotations

import hashlib
import json
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from tests.corpus.servers import reply, serving

SCHEMA = """
scalar DateTime
scalar URI
scalar GitObjectID
scalar BigInt
interface Node { id: ID! }
interface Actor { login: String! }
type User implements Actor { login: String! }
type Bot implements Actor { login: String! }
type PageInfo { hasNextPage: Boolean! endCursor: String }
interface GitObject { oid: GitObjectID! }
type Commit implements GitObject & Node {
  id: ID! oid: GitObjectID! associatedPullRequests(first: Int, after: String): PullRequestConnection
}
type Label { name: String! }
type LabelConnection { nodes: [Label] pageInfo: PageInfo! }
type Issue { number: Int! title: String! url: URI! }
type IssueConnection { nodes: [Issue] pageInfo: PageInfo! }
type IssueComment implements Node {
  id: ID! fullDatabaseId: BigInt author: Actor createdAt: DateTime! updatedAt: DateTime! body: String! url: URI!
  isMinimized: Boolean! minimizedReason: String
}
type IssueCommentConnection { nodes: [IssueComment] pageInfo: PageInfo! }
type PullRequestReview implements Node {
  id: ID! fullDatabaseId: BigInt author: Actor createdAt: DateTime! updatedAt: DateTime! submittedAt: DateTime
  body: String! url: URI! isMinimized: Boolean! minimizedReason: String
}
type PullRequestReviewConnection { nodes: [PullRequestReview] pageInfo: PageInfo! }
type PullRequestReviewComment implements Node {
  id: ID! fullDatabaseId: BigInt author: Actor createdAt: DateTime! updatedAt: DateTime! body: String! url: URI!
  isMinimized: Boolean! minimizedReason: String diffHunk: String! originalCommit: Commit
}
type PullRequestReviewCommentConnection { nodes: [PullRequestReviewComment] pageInfo: PageInfo! }
type PullRequestReviewThread implements Node {
  id: ID! isResolved: Boolean! path: String! line: Int originalLine: Int startLine: Int originalStartLine: Int
  comments(first: Int, after: String): PullRequestReviewCommentConnection!
}
type PullRequestReviewThreadConnection { nodes: [PullRequestReviewThread] pageInfo: PageInfo! }
type PullRequest implements Node {
  id: ID! number: Int! title: String! body: String! url: URI! createdAt: DateTime! mergedAt: DateTime
  updatedAt: DateTime! author: Actor mergeCommit: Commit
  labels(first: Int, after: String): LabelConnection
  closingIssuesReferences(first: Int, after: String): IssueConnection
  reviewThreads(first: Int, after: String): PullRequestReviewThreadConnection!
  comments(first: Int, after: String): IssueCommentConnection!
  reviews(first: Int, after: String): PullRequestReviewConnection
}
type PullRequestConnection { nodes: [PullRequest] pageInfo: PageInfo! }
type Repository implements Node {
  id: ID! nameWithOwner: String! pullRequest(number: Int!): PullRequest object(oid: GitObjectID): GitObject
}
type Query { repository(owner: String!, name: String!): Repository node(id: ID!): Node }
"""
"""The part of GitHub's schema that is asked for, with its names and types."""


@dataclass
class Said:
    """A comment; `path` and `line` for one on a line of the diff, `submitted` for the text of a review."""

    body: str
    author: str | None = "bob"
    date: str = "2023-12-01T10:00:00Z"
    bot: bool = False
    hidden: str | None = None


@dataclass
class Thread:
    path: str
    line: int | None
    comments: list[Said]
    hunk: str = "@@ -1 +1,2 @@\n one\n+two"
    start: int | None = None
    resolved: bool = False
    outdated: bool = False


@dataclass
class Pull:
    number: int
    title: str = "A title"
    body: str | None = "A body."
    author: str | None = "ada"
    bot: bool = False
    created: str = "2023-11-20T10:00:00Z"
    merged: str | None = "2023-12-01T10:00:00Z"
    merge_sha: str | None = None
    updated: str = "2023-12-02T10:00:00Z"
    labels: list[str] = field(default_factory=list)
    issues: list[tuple[int, str]] = field(default_factory=list)
    comments: list[Said] = field(default_factory=list)
    reviews: list[Said] = field(default_factory=list)
    threads: list[Thread] = field(default_factory=list)


Trouble = Callable[[BaseHTTPRequestHandler], None]


@dataclass
class GitHubServer:
    """What it serves, and what was asked of it. `troubles` befall the next calls, one each; None lets one pass."""

    slug: str = "acme/client"
    pulls: dict[int, Pull] = field(default_factory=dict)
    issues: set[int] = field(default_factory=set)
    brought: dict[str, int] = field(default_factory=dict)
    token: str | None = None
    called_before: str | None = None
    budget: int | None = None
    reset: int = 0
    heaviest: int = 1000
    per_page: int = 100
    troubles: deque[Trouble | None] = field(default_factory=deque)
    asked: list[str] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
    authorizations: list[str | None] = field(default_factory=list)
    url: str = ""

    def add(self, *pulls: Pull) -> None:
        self.pulls.update({pull.number: pull for pull in pulls})

    @contextmanager
    def running(self) -> Iterator[GitHubServer]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *args: object) -> None:
                return

            def do_GET(self) -> None:
                server.answer(self, None)

            def do_POST(self) -> None:
                server.answer(self, self.rfile.read(int(self.headers["Content-Length"])))

            def send_response(self, code: int, message: str | None = None) -> None:
                server.statuses.append(code)
                super().send_response(code, message)

        with serving(Handler) as address:
            self.url = address
            yield self

    def answer(self, request: BaseHTTPRequestHandler, posted: bytes | None) -> None:
        url = urlsplit(request.path)
        self.asked.append(f"{request.command} {request.path}")
        self.authorizations.append(request.headers.get("Authorization"))
        trouble = self.troubles.popleft() if self.troubles else None
        if trouble is not None:
            trouble(request)
        elif self.token and request.headers.get("Authorization") not in {None, f"Bearer {self.token}"}:
            send(request, 401, {"message": "Bad credentials"})
        elif self.budget is not None and self.budget <= 0:
            send(request, 403, {"message": "API rate limit exceeded"}, self._limits())
        elif posted is not None:
            self._query(request, json.loads(posted))
        else:
            self._list(request, url.path, {name: values[0] for name, values in parse_qs(url.query).items()})

    def _limits(self) -> dict[str, str]:
        if self.budget is None:
            return {}
        return {"X-RateLimit-Remaining": str(max(0, self.budget)), "X-RateLimit-Reset": str(self.reset)}

    def _spend(self) -> dict[str, str]:
        if self.budget is not None:
            self.budget -= 1
        return self._limits()

    # The REST interface.

    def _list(self, request: BaseHTTPRequestHandler, path: str, asked: dict[str, str]) -> None:
        path = path.removeprefix("/api/v3")
        if self.called_before and path.startswith(f"/repos/{self.called_before}/"):
            moved = path.replace(f"/repos/{self.called_before}", "/repositories/1")
            place = f"{self.url}/api/v3{moved}?{urlencode(asked)}"
            return send(request, 301, {"message": "Moved Permanently"}, {"Location": place, **self._spend()})
        for prefix in (f"/repos/{self.slug}/", "/repositories/1/"):
            if path.startswith(prefix):
                items = self._listing(path.removeprefix(prefix), asked)
                if items is not None:
                    return self._page(request, f"{self.url}/api/v3{path}", items, asked)
        return send(request, 404, {"message": "Not Found"}, self._spend())

    def _listing(self, what: str, asked: dict[str, str]) -> list[dict[str, Any]] | None:
        match what:
            case "pulls":
                items = [self._pull_item(pull) for pull in self.pulls.values()]
            case "issues":
                items = [{**self._pull_item(pull), "pull_request": {"merged_at": pull.merged}, "merge_commit_sha": None}
                         for pull in self.pulls.values()]  # fmt: skip
                items += [self._issue_item(number) for number in self.issues]
            case "pulls/comments":
                items = [item for pull in self.pulls.values() for item in self._line_comments(pull)]
            case "issues/comments":
                items = [self._comment(pull.number, number, said) for pull in self.pulls.values()
                         for number, said in enumerate(pull.comments)]  # fmt: skip
                link = f"{self.url}/{self.slug}/issues"
                items += [{**self._comment(issue, 0, Said("About an issue.")), "html_url": f"{link}/{issue}#c"}
                          for issue in self.issues]  # fmt: skip
            case _:
                return None
        since = asked.get("since", "")
        key = "updated_at" if asked.get("sort") == "updated" else "created_at"
        chosen = [item for item in items if item["updated_at"] >= since]
        return sorted(
            chosen, key=lambda item: (item[key], item.get("number") or 0), reverse=asked.get("direction") == "desc"
        )

    def _page(self, request: BaseHTTPRequestHandler, place: str, items: list[Any], asked: dict[str, str]) -> None:
        size = min(self.per_page, int(asked.get("per_page", "30")))
        page = int(asked.get("page", "1"))
        shown = items[(page - 1) * size : page * size]
        etag = f'W/"{hashlib.sha256(json.dumps(shown).encode()).hexdigest()}"'
        if request.headers.get("If-None-Match") == etag:
            return send(request, 304, None, {"ETag": etag, **self._limits()})
        headers = {"ETag": etag, **self._spend()}
        if page * size < len(items):
            following = urlencode({**asked, "page": str(page + 1)})
            headers["Link"] = f'<{place}?{following}>; rel="next", <{place}?page=99>; rel="last"'
        return send(request, 200, shown, headers)

    def _pull_item(self, pull: Pull) -> dict[str, Any]:
        return {
            "number": pull.number, "title": pull.title, "body": pull.body, "state": "closed",
            "html_url": f"{self.url}/{self.slug}/pull/{pull.number}",
            "user": _user(pull.author, pull.bot),
            "created_at": pull.created, "merged_at": pull.merged, "updated_at": pull.updated,
            "merge_commit_sha": pull.merge_sha, "labels": [{"name": name} for name in pull.labels],
        }  # fmt: skip

    def _issue_item(self, number: int) -> dict[str, Any]:
        return {
            "number": number, "title": "An issue", "body": "", "user": _user("eve", False), "labels": [],
            "html_url": f"{self.url}/{self.slug}/issues/{number}",
            "created_at": "2023-11-01T10:00:00Z", "updated_at": "2023-11-01T10:00:00Z",
        }  # fmt: skip

    def _comment(self, pull: int, number: int, said: Said) -> dict[str, Any]:
        return {
            "id": pull * 1000 + number, "user": _user(said.author, said.bot), "body": said.body,
            "created_at": said.date, "updated_at": said.date,
            "html_url": f"{self.url}/{self.slug}/pull/{pull}#issuecomment-{pull * 1000 + number}",
        }  # fmt: skip

    def _line_comments(self, pull: Pull) -> Iterator[dict[str, Any]]:
        for position, thread in enumerate(pull.threads):
            root = pull.number * 10_000 + position * 100
            for number, said in enumerate(thread.comments):
                yield {
                    **self._comment(pull.number, 0, said),
                    "id": root + number,
                    **({"in_reply_to_id": root} if number else {}),
                    "html_url": f"{self.url}/{self.slug}/pull/{pull.number}#discussion_r{root + number}",
                    "pull_request_url": f"{self.url}/api/v3/repos/{self.slug}/pulls/{pull.number}",
                    "path": thread.path,
                    "line": None if thread.outdated else thread.line,
                    "original_line": thread.line,
                    "start_line": thread.start,
                    "original_start_line": thread.start,
                    "original_commit_id": "c" * 40,
                    "diff_hunk": thread.hunk,
                }

    # The GraphQL interface.

    def _query(self, request: BaseHTTPRequestHandler, posted: dict[str, Any]) -> None:
        from graphql import graphql_sync

        if not request.headers.get("Authorization"):
            return send(request, 401, {"message": "This endpoint requires you to be authenticated."})
        if posted["query"].count(": pullRequest(number") > self.heaviest:
            return send(request, 502, {"message": "We couldn't respond to your request in time."}, self._spend())
        result = graphql_sync(
            _schema(),
            posted["query"],
            root_value={"repository": self._repository, "node": self._node},
            variable_values=posted["variables"],
            field_resolver=_resolve,
        )
        answer: dict[str, Any] = {"data": result.data}
        if result.errors:
            answer["errors"] = [
                {"message": error.message, "path": error.path, **(error.extensions or {})} for error in result.errors
            ]
        return send(request, 200, answer, self._spend())

    def _repository(self, owner: str, name: str) -> dict[str, Any]:
        if f"{owner}/{name}" not in {self.slug, self.called_before}:
            raise _not_found(f"Could not resolve to a Repository with the name '{owner}/{name}'.")
        return {"nameWithOwner": self.slug, "pullRequest": self._pull, "object": self._commit}

    def _pull(self, number: int) -> dict[str, Any]:
        if number not in self.pulls:
            raise _not_found(f"Could not resolve to a PullRequest with the number of {number}.")
        return self._pull_node(self.pulls[number])

    def _commit(self, oid: str) -> dict[str, Any] | None:
        pulls = [self._pull_node(self.pulls[self.brought[oid]])] if oid in self.brought else []
        return {"__typename": "Commit", "oid": oid, "associatedPullRequests": pulls}

    def _node(self, id: str) -> dict[str, Any]:  # noqa: A002
        number, _, thread = id.partition("/")
        pull = self._pull_node(self.pulls[int(number)])
        return pull if not thread else dict(pull["reviewThreads"][int(thread)])

    def _pull_node(self, pull: Pull) -> dict[str, Any]:
        item = self._pull_item(pull)
        return {
            "__typename": "PullRequest", "id": str(pull.number), "number": pull.number, "title": pull.title,
            "body": pull.body or "", "url": item["html_url"], "createdAt": pull.created, "mergedAt": pull.merged,
            "updatedAt": pull.updated, "author": _actor(pull.author, pull.bot),
            "mergeCommit": {"oid": pull.merge_sha} if pull.merge_sha else None, "labels": item["labels"],
            "closingIssuesReferences": [
                {"number": number, "title": title, "url": f"{self.url}/{self.slug}/issues/{number}"}
                for number, title in pull.issues
            ],
            "comments": [_said(self._comment(pull.number, n, said), said) for n, said in enumerate(pull.comments)],
            "reviews": [
                _said({**self._comment(pull.number, n, said), "submitted_at": said.date}, said)
                for n, said in enumerate(pull.reviews)
            ],
            "reviewThreads": [self._thread_node(pull, n, thread) for n, thread in enumerate(pull.threads)],
        }  # fmt: skip

    def _thread_node(self, pull: Pull, position: int, thread: Thread) -> dict[str, Any]:
        items = [item for item in self._line_comments(pull) if item["id"] // 100 == pull.number * 100 + position]
        return {
            "__typename": "PullRequestReviewThread", "id": f"{pull.number}/{position}",
            "isResolved": thread.resolved, "path": thread.path,
            "line": None if thread.outdated else thread.line, "originalLine": thread.line,
            "startLine": thread.start, "originalStartLine": thread.start,
            "comments": [
                {**_said(item, said), "diffHunk": thread.hunk, "originalCommit": {"oid": "c" * 40}}
                for item, said in zip(items, thread.comments, strict=True)
            ],
        }  # fmt: skip


def send(request: BaseHTTPRequestHandler, status: int, content: Any, headers: dict[str, str] | None = None) -> None:
    body = b"" if content is None else json.dumps(content).encode()
    request.send_response(status)
    for name, value in {
        **(headers or {}),
        "Content-Type": "application/json",
        "Content-Length": str(len(body)),
    }.items():
        request.send_header(name, value)
    request.end_headers()
    request.wfile.write(body)


def failing(status: int, headers: dict[str, str] | None = None, content: Any = None) -> Trouble:
    """A call that is answered with this."""
    return lambda request: send(request, status, {"message": "no"} if content is None else content, headers)


def truncated(request: BaseHTTPRequestHandler) -> None:
    """JSON that ends in the middle, as a proxy that gave up leaves it."""
    reply(request, 200, "application/json", b'{"data": {"repository": {"nameWithOwner": "acme/cl')


def dropped(request: BaseHTTPRequestHandler) -> None:
    """The connection breaks while the answer is under way."""
    request.send_response(200)
    request.send_header("Content-Length", "1000")
    request.end_headers()
    request.wfile.write(b'{"data"')
    request.wfile.flush()
    request.close_connection = True


@cache
def _schema() -> Any:
    from graphql import build_schema

    return build_schema(SCHEMA)


def _resolve(source: Any, info: Any, first: int | None = None, after: str | None = None, **asked: Any) -> Any:
    """A field of a dict; a list that is asked for by `first` is a page of a connection."""
    value = source.get(info.field_name)
    if callable(value):
        return value(**asked)
    if isinstance(value, list) and first is not None:
        start = int(after or 0)
        end = start + first
        return {
            "nodes": value[start:end],
            "pageInfo": {"hasNextPage": end < len(value), "endCursor": str(end)},
        }
    return value


def _not_found(message: str) -> Exception:
    from graphql import GraphQLError

    return GraphQLError(message, extensions={"type": "NOT_FOUND"})


def _user(login: str | None, bot: bool) -> dict[str, str] | None:
    return None if login is None else {"login": login, "type": "Bot" if bot else "User"}


def _actor(login: str | None, bot: bool) -> dict[str, str] | None:
    return None if login is None else {"login": login, "__typename": "Bot" if bot else "User"}


def _said(item: dict[str, Any], said: Said) -> dict[str, Any]:
    return {
        "id": str(item["id"]), "fullDatabaseId": str(item["id"]), "author": _actor(said.author, said.bot),
        "createdAt": item["created_at"], "updatedAt": item["updated_at"], "body": said.body, "url": item["html_url"],
        "isMinimized": said.hidden is not None, "minimizedReason": said.hidden,
        **({"submittedAt": item["submitted_at"]} if "submitted_at" in item else {}),
    }  # fmt: skip
