"""Calls of GitHub's REST and GraphQL interfaces that wait, try again, follow a rename, or say why they cannot.

https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api,
https://docs.github.com/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api

Over httpx rather than a client library: githubkit 0.16.1 brings 56 MB of generated schemas for the four calls that are
made here, did not import with the hishel that pip chose for it, and what is hard here (shrinking a query that was too
much, stopping with what there is at a rate limit) would have been ours to write all the same.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin, urlsplit

from gitcontext_pipeline.corpus.github.credentials import Token
from gitcontext_pipeline.corpus.github.limits import (
    Passing,
    RateLimited,
    Refused,
    TooMuch,
    Unreachable,
    is_limited,
    is_too_much,
    seconds_to_wait,
)
from gitcontext_pipeline.corpus.permalinks import GITHUB

CONNECT, READ = 3.0, 30.0
_ATTEMPTS = 5
_REDIRECTS = 5
_HEADERS = {
    "Accept": "application/vnd.github+json",
    "X-GitHub-Api-Version": "2022-11-28",
    "User-Agent": "gitcontext",
}


@dataclass(frozen=True, slots=True)
class Page:
    """An answer of the REST interface; `content` is None when it is what it was at the `etag` given (304)."""

    content: Any
    etag: str | None
    next: str | None


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    headers: Mapping[str, str]
    content: Any
    next: str | None


@dataclass(frozen=True, slots=True)
class Patience:
    """The longest single wait in seconds, and how to wait; time itself can be replaced."""

    longest: float = 60.0
    sleep: Callable[[float], None] = time.sleep
    now: Callable[[], float] = time.time


class Client:
    """One server and one token, or none. `close()` it, or use it as a context manager."""

    def __init__(
        self,
        github_url: str = GITHUB,
        token: Token | None = None,
        *,
        patience: Patience | None = None,
        heard: Callable[[str], None] = lambda line: None,
    ) -> None:
        import httpx

        self.rest, self.graphql = interfaces(github_url)
        self.has_token = token is not None
        self.patience = patience or Patience()
        self.heard = heard
        self.calls = 0
        """Requests sent, attempts and redirects included."""
        self.left: int | None = None
        """Calls (GraphQL: points) that the current hour has left, as the server last said."""
        self._answered = False
        headers = _HEADERS | ({"Authorization": f"Bearer {token.value}"} if token else {})
        self._http = httpx.Client(headers=headers, timeout=httpx.Timeout(READ, connect=CONNECT))

    def get(self, path: str, *, etag: str | None = None, **parameters: str) -> Page:
        """One page of the REST interface; `path` is below the interface's address, or a whole address of it.

        Raises:
            Refused: the server will not, whatever we do: no such repository, no right to see it, a wrong token.
            RateLimited: not before a time that is too far away.
            Unreachable: no answer, after several attempts if there ever was one.
        """
        import httpx

        url = httpx.URL(_followed(self.rest + "/", path.lstrip("/")))
        if parameters:
            url = url.copy_merge_params(parameters)
        answer = self._persist("GET", str(url), headers={"If-None-Match": etag} if etag else {})
        if answer.status == 304:
            return Page(None, etag, None)
        return Page(answer.content, answer.headers.get("etag"), answer.next)

    def query(self, text: str, variables: Mapping[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        """The data of a GraphQL query, and the errors about parts of it that are not there.

        Raises:
            TooMuch: the query asks for more than the server can work out in time; ask for less.
            Refused, RateLimited, Unreachable: as for `get`.
        """
        answer = self._persist("POST", self.graphql, json={"query": text, "variables": dict(variables)})
        content = answer.content if isinstance(answer.content, dict) else {}
        errors = [error for error in content.get("errors") or [] if isinstance(error, dict)]
        if content.get("data") is None:
            raise Refused(str(errors[0].get("message")) if errors else "it gave no data")
        return content["data"], errors

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _persist(self, method: str, url: str, **content: Any) -> _Answer:
        """Send until there is an answer that stands, waiting in between as long as the server asks."""
        from tenacity import RetryCallState, Retrying, retry_if_exception_type, stop_after_attempt

        def wait(state: RetryCallState) -> float:
            failure = state.outcome.exception() if state.outcome else None
            asked = failure.after if isinstance(failure, Passing) else None
            return min(30.0, 0.5 * 2**state.attempt_number) if asked is None else asked

        def tell(state: RetryCallState) -> None:
            failure = state.outcome.exception() if state.outcome else None
            self.heard(f"GitHub: {failure}; trying again in {state.upcoming_sleep:.0f} s")

        retrying = Retrying(
            retry=retry_if_exception_type(Passing),
            stop=stop_after_attempt(_ATTEMPTS),
            wait=wait,
            before_sleep=tell,
            sleep=self.patience.sleep,
            reraise=True,
        )
        answer: _Answer = retrying(self._once, method, url, **content)
        return answer

    def _once(self, method: str, url: str, **content: Any) -> _Answer:
        for _ in range(_REDIRECTS):
            answer = self._send(method, url, **content)
            if answer.status not in {301, 302, 307, 308}:
                self._judge(answer, is_query=method == "POST")
                return answer
            url = _followed(url, answer.headers.get("location", ""))
        raise Unreachable("it redirects without end")

    def _send(self, method: str, url: str, **content: Any) -> _Answer:
        import httpx

        self.calls += 1
        try:
            response = self._http.request(method, url, **content)
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.ProxyError) as error:
            told = f"{urlsplit(url).hostname} does not answer ({_reason(error)})"
            raise (Passing if self._answered else Unreachable)(told) from error
        except httpx.ReadTimeout as error:
            raise (TooMuch if method == "POST" else Passing)(f"no answer within {READ:.0f} s") from error
        except httpx.HTTPError as error:
            raise Passing(f"the answer broke off ({_reason(error)})") from error
        self._answered = True
        try:
            parsed = response.json() if response.content else None
        except ValueError as error:
            if response.is_success:
                raise Passing("the answer is not complete") from error
            parsed = None  # an error page of whatever stands in between
        following = response.links.get("next", {}).get("url")
        return _Answer(response.status_code, response.headers, parsed, following)

    def _judge(self, answer: _Answer, is_query: bool) -> None:
        left = answer.headers.get("x-ratelimit-remaining", "")
        self.left = int(left) if left.isdecimal() else self.left
        status = answer.status
        if is_limited(status, answer.headers, answer.content):
            now = self.patience.now()
            seconds = seconds_to_wait(answer.headers, now)
            if seconds > self.patience.longest:
                raise RateLimited(now + seconds, self.has_token)
            raise Passing("the rate limit is reached", after=seconds)
        if is_query and is_too_much(status, answer.content):
            raise TooMuch(f"the query was too much for the server ({status})")
        if status >= 500 or status == 408:
            raise Passing(f"the server failed ({status})")
        if status == 401:
            raise Refused("it does not accept the token; check GITHUB_TOKEN, GH_TOKEN or `gh auth status`")
        if status in {403, 404, 410, 451}:
            seen = "this token may see" if self.has_token else "can be seen without a token"
            raise Refused(f"it has no such repository that {seen} ({status})")
        if status >= 400:
            raise Refused(f"it does not accept the request ({status})")


def interfaces(github_url: str) -> tuple[str, str]:
    """The addresses of the REST and the GraphQL interface of a server; Enterprise has them below its own address."""
    parts = urlsplit(github_url)
    if github_url == GITHUB or (parts.hostname or "").endswith(".ghe.com"):
        api = f"{parts.scheme}://api.{parts.netloc}"
        return api, f"{api}/graphql"
    return f"{github_url}/api/v3", f"{github_url}/api/graphql"


def _followed(url: str, location: str) -> str:
    """Where a link or a redirect leads; never to another server, which would be sent the token."""
    target = urljoin(url, location)
    if urlsplit(target)[:2] != urlsplit(url)[:2]:
        raise Refused(f"it leads to another server, {urlsplit(target).hostname}")
    return target


def _reason(error: Exception) -> str:
    return str(error) or type(error).__name__
