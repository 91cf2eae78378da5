"""Why GitHub did not answer, and how long it wants to be left alone.

https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api#exceeding-the-rate-limit
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from gitcontext_pipeline.errors import GitContextError

_WITHOUT_A_TIME = 60.0
"""GitHub asks for at least a minute where it does not say how long."""
_HEAVY = ("MAX_NODE_LIMIT_EXCEEDED", "RESOURCE_LIMITS_EXCEEDED")


class Unavailable(GitContextError):
    """GitHub could not be asked, or not to the end. Whatever was fetched before is kept."""


class Unreachable(Unavailable):
    """No answer, or none that can be understood."""


class Refused(Unavailable):
    """An answer that would be the same if we asked again."""


class RateLimited(Unavailable):
    """Nothing more before `until` (seconds since 1970)."""

    def __init__(self, until: float, has_token: bool) -> None:
        self.until = datetime.fromtimestamp(until, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        hint = "" if has_token else "; with a token (GITHUB_TOKEN) the limit is far higher"
        super().__init__(f"its rate limit is used up until {self.until}{hint}")


class Passing(Unreachable):
    """A failure that may be gone at the next attempt, `after` so many seconds (None: soon)."""

    def __init__(self, what: str, after: float | None = None) -> None:
        self.after = after
        super().__init__(what)


class TooMuch(Unreachable):
    """A query that the server cannot work out in time; half of it may do."""


def is_limited(status: int, headers: Mapping[str, str], content: Any) -> bool:
    """Whether an answer means "not now": the hour's limit, or the secondary limit on bursts."""
    if status == 200:
        return "RATE_LIMITED" in _types(content)
    if status not in {403, 429}:
        return False
    message = str(content.get("message", "")) if isinstance(content, dict) else ""
    return (
        status == 429
        or headers.get("x-ratelimit-remaining") == "0"
        or "retry-after" in headers
        or "rate limit" in message.lower()
    )


def is_too_much(status: int, content: Any) -> bool:
    """Whether an answer to a query says that it ran out of time or asked for too many nodes."""
    if status in {502, 503, 504}:
        return True
    told = " ".join(str(error.get("message", "")) for error in _errors(content))
    nothing = isinstance(content, dict) and not content.get("data")
    timed_out = nothing and ("Something went wrong" in told or "timeout" in told.lower())
    return bool(_types(content).intersection(_HEAVY)) or timed_out


def seconds_to_wait(headers: Mapping[str, str], now: float) -> float:
    """How long a limited answer asks to wait: Retry-After first, then the time at which the hour begins anew."""
    if headers.get("retry-after", "").isdecimal():
        return float(headers["retry-after"])
    reset = headers.get("x-ratelimit-reset", "")
    if headers.get("x-ratelimit-remaining") == "0" and reset.isdecimal():
        return max(0.0, float(reset) - now) + 1
    return _WITHOUT_A_TIME


def _errors(content: Any) -> list[dict[str, Any]]:
    errors = content.get("errors") if isinstance(content, dict) else None
    return [error for error in errors if isinstance(error, dict)] if isinstance(errors, list) else []


def _types(content: Any) -> set[str]:
    return {str(error.get("type") or error.get("code") or "") for error in _errors(content)}
