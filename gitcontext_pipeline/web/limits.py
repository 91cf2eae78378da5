"""How often one client may ask."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable

from starlette.types import ASGIApp, Receive, Scope, Send

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
    """Refuses what comes too often; `refused` is told of each."""

    def __init__(self, app: ASGIApp, rate: RateLimit, refused: Callable[[], None]) -> None:
        self._app = app
        self._rate = rate
        self._refused = refused

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        free = scope["type"] != "http" or scope["path"].startswith(FREE_PATHS)
        seconds = 0.0 if free else self._rate.wait(scope["client"][0] if scope.get("client") else "")
        if not seconds:
            await self._app(scope, receive, send)
            return
        self._refused()
        after = str(max(1, math.ceil(seconds)))
        problem = Problem(429, "too many requests", None, f"ask again in {after} s", {"Retry-After": after})
        await respond(scope, problem)(scope, receive, send)
