"""How often one client may ask, and how much it may send."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gitcontext_pipeline.web.problems import Problem, respond

CLIENTS = 10_000
"""Clients that are remembered; the one that was quiet longest is forgotten first."""
FREE_PATHS = ("/static/", "/healthz", "/metrics")


class RateLimit:
    """A bucket of `burst` requests for each client, filled again at `a_minute`. `clock` is in seconds."""

    def __init__(self, a_minute: int, burst: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._a_second = a_minute / 60
        self._burst = float(burst)
        self._clock = clock
        self._clients: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, client: str) -> float:
        """Take one request of `client`: 0 if it may pass, else the seconds after which the next one may."""
        if not self._a_second:
            return 0.0
        now = self._clock()
        left, seen = self._clients.pop(client, (self._burst, now))
        left = min(self._burst, left + (now - seen) * self._a_second)
        passes = left >= 1
        self._clients[client] = (left - 1 if passes else left, now)
        if len(self._clients) > CLIENTS:
            self._clients.popitem(last=False)
        return 0.0 if passes else (1 - left) / self._a_second


class Limited:
    """Refuses what comes too often (429) or is too large (413); `refused` is told the reason."""

    def __init__(self, app: ASGIApp, rate: RateLimit, body_bytes: int, refused: Callable[[str], None]) -> None:
        self._app = app
        self._rate = rate
        self._most = body_bytes
        self._refused = refused

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        problem = self._problem(scope)
        if problem is not None:
            await respond(scope, problem)(scope, receive, send)
            return
        got = 0

        async def bounded() -> Message:
            nonlocal got
            message = await receive()
            got += len(message.get("body", b""))
            # Nothing here reads a body as it comes, so whoever lies about its length is as good as gone.
            return {"type": "http.disconnect"} if got > self._most else message

        await self._app(scope, bounded, send)

    def _problem(self, scope: Scope) -> Problem | None:
        length = Headers(scope=scope).get("content-length", "0")
        if not length.isdigit() or int(length[:12]) > self._most:
            self._refused("body")
            return Problem(413, f"more than {self._most} bytes were sent", "body", "send less")
        if scope["path"].startswith(FREE_PATHS):
            return None
        seconds = self._rate.wait(scope["client"][0] if scope.get("client") else "")
        if not seconds:
            return None
        self._refused("rate")
        after = str(max(1, math.ceil(seconds)))
        return Problem(429, "too many requests", None, f"ask again in {after} s", {"Retry-After": after})
