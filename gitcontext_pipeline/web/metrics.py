"""What a monitoring system is told, in the text format of Prometheus."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import InfoMetricFamily, Metric
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gitcontext_pipeline.answer.library import Listed

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0)
"""Seconds; the last ones are for questions that a model explains."""


class Metrics:
    """The counters of one server. `corpora` says what is published, at the time of each scrape."""

    def __init__(self, corpora: Callable[[], Sequence[Listed]]) -> None:
        self._registry = CollectorRegistry()
        self._corpora = corpora
        self.requests = Counter(
            "gitcontext_requests", "Requests by route and status.", ["route", "status"], registry=self._registry
        )
        self.seconds = Histogram(
            "gitcontext_request_seconds",
            "Seconds from a request to the end of its response.",
            ["route"],
            buckets=BUCKETS,
            registry=self._registry,
        )
        self.in_flight = Gauge("gitcontext_requests_in_flight", "Requests being answered.", registry=self._registry)
        self.refused = Counter(
            "gitcontext_refused", "Requests refused by a limit, by which.", ["limit"], registry=self._registry
        )
        for limit in ("queue", "rate"):
            self.refused.labels(limit)
        self._registry.register(self)

    def text(self) -> bytes:
        """All of it, as it stands now."""
        return generate_latest(self._registry)

    def describe(self) -> list[Metric]:
        return []

    def collect(self) -> Iterator[Metric]:
        """What is published, by corpus."""
        family = InfoMetricFamily("gitcontext_snapshot", "The published snapshot of each corpus.", labels=["corpus"])
        for corpus in self._corpora():
            if corpus.snapshot is not None:
                told = {"snapshot": corpus.snapshot, "revision": corpus.revision or ""}
                family.add_metric([corpus.name], told)
        yield family


class Measured:
    """Counts every request of `app`, by the route that answered and not by the path, which strangers choose."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status = time.perf_counter(), 500

        async def watched(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        self._metrics.in_flight.inc()
        try:
            await self._app(scope, receive, watched)
        finally:
            self._metrics.in_flight.dec()
            route = getattr(scope.get("route"), "path", "none")
            self._metrics.requests.labels(route, str(status)).inc()
            self._metrics.seconds.labels(route).observe(time.perf_counter() - began)
