"""A retriever behind an HTTP endpoint.

A plain URL is asked by POST with the JSON object `{"query": …, "top": 10, "scope": "code" or null}`. A URL that
contains `{query}` is asked by GET with `{query}`, `{top}` and `{scope}` (empty for none) filled in, percent-encoded.
The answer is JSON: a list of rows, or an object whose `results` is that list; a row is an object with `path` and
optionally `symbol`, `start_line`, `end_line`, `commit`, `pr`, `score`. Any status but 200 fails the case.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from gitcontext_pipeline.errors import UsageError
from gitcontext_pipeline.evaluation.rows import BadAnswer

if TYPE_CHECKING:
    import httpx

LOOPBACK = {"localhost", "127.0.0.1", "::1"}
SHOWN = 200
"""Characters of an endpoint's error message that are kept."""


class HttpRetriever:
    """One endpoint, with one connection pool for the whole run. `seconds` bounds each network wait, not the query."""

    def __init__(self, url: str, seconds: float = 30.0) -> None:
        try:
            host = urlsplit(url).hostname
        except ValueError as error:
            raise UsageError(f"{url!r} is no URL: {error}", fix="Such as http://127.0.0.1:8000/search.") from error
        if not host:
            raise UsageError(f"{url!r} names no host", fix="Such as http://127.0.0.1:8000/search.")
        self._url = url
        self._host = host
        self._seconds = seconds
        self._client: httpx.Client | None = None

    def __call__(self, query: str, top: int, scope: str | None, /) -> Sequence[Mapping[str, Any]]:
        import httpx

        try:
            response = self._ask(query, top, scope)
        except httpx.HTTPError as error:
            raise BadAnswer(f"{self._host} did not answer: {type(error).__name__}: {error}") from error
        if response.status_code != 200:
            raise BadAnswer(f"{self._host} answered {response.status_code}: {response.text[:SHOWN]}")
        try:
            answer = response.json()
        except ValueError as error:
            raise BadAnswer(f"{self._host} answered something that is not JSON") from error
        rows = answer.get("results") if isinstance(answer, dict) else answer
        if not isinstance(rows, list):
            raise BadAnswer(f'{self._host} answered neither a list nor {{"results": […]}}')
        return rows

    def _ask(self, query: str, top: int, scope: str | None) -> httpx.Response:
        if self._client is None:
            import httpx

            self._client = httpx.Client(timeout=self._seconds, trust_env=self._host not in LOOPBACK)
        if "{query}" not in self._url:
            return self._client.post(self._url, json={"query": query, "top": top, "scope": scope})
        filled = {"{query}": query, "{top}": str(top), "{scope}": scope or ""}
        url = self._url
        for name, value in filled.items():
            url = url.replace(name, quote(value, safe=""))
        return self._client.get(url)
