"""Limits: how often, how much, how many at once."""

from __future__ import annotations

import contextlib
import socket
import threading
from concurrent.futures import ThreadPoolExecutor

import httpx

from gitcontext_pipeline.answer.library import Library
from gitcontext_pipeline.answer.opened import Corpus
from gitcontext_pipeline.state import State
from gitcontext_pipeline.web.limits import CLIENTS, RateLimit
from gitcontext_pipeline.web.settings import Settings
from tests.web.conftest import client_of
from tests.web.published import QUESTION
from tests.web.running import running


class Clock:
    """A clock that stands still unless it is told to go on."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_burst_passes_and_then_a_steady_rate() -> None:
    clock = Clock()
    rate = RateLimit(60, 3, clock)
    assert [rate.wait("a") for _ in range(3)] == [0, 0, 0]
    assert rate.wait("a") == 1
    assert rate.wait("b") == 0
    clock.now = 1.5
    assert (rate.wait("a"), rate.wait("a")) == (0, 0.5)


def test_a_limit_of_zero_is_none() -> None:
    rate = RateLimit(0, 1, Clock())
    assert {rate.wait("a") for _ in range(100)} == {0}


def test_clients_without_number_take_no_memory_without_number() -> None:
    rate = RateLimit(60, 1, Clock())
    for number in range(CLIENTS + 10):
        rate.wait(str(number))
    assert rate.wait(str(CLIENTS + 9)) > 0  # known
    assert rate.wait("0") == 0  # forgotten


def test_too_many_requests_are_told_when_to_come_back(corpora: State) -> None:
    with running(Library(corpora), Settings(requests_a_minute=60, burst=2)) as address, client_of(address) as client:
        replies = [client.get("/api/corpora") for _ in range(4)]
        assert [reply.status_code for reply in replies[:2]] == [200, 200]
        assert replies[-1].status_code == 429
        assert int(replies[-1].headers["retry-after"]) >= 1
        assert client.get("/").status_code == 429
        assert client.get("/static/page.js").status_code == 200
        assert 'gitcontext_refused_total{limit="rate"} 3.0' in client.get("/metrics").text


def test_a_body_that_is_too_large_is_refused(client: httpx.Client) -> None:
    for content in (b"a" * 20_000, iter([b"a" * 10_000, b"a" * 10_000])):
        reply = client.post("/login", content=content)
        assert (reply.status_code, reply.headers["x-content-type-options"]) == (413, "nosniff")


def test_an_address_that_is_too_long_is_refused(client: httpx.Client) -> None:
    url = client.base_url
    with socket.create_connection((url.host, url.port or 80), timeout=30) as raw, contextlib.suppress(ConnectionError):
        raw.sendall(b"GET /?q=" + b"a" * 200_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert raw.recv(1000).startswith(b"HTTP/1.1 400 ")
    assert client.get("/healthz").status_code == 200


class Slow(Library):
    """A library that opens nothing before it is told to."""

    def __init__(self, state: State) -> None:
        super().__init__(state)
        self.go = threading.Event()
        self.waiting = threading.Semaphore(0)

    def open(self, name: str | None = None) -> Corpus:
        self.waiting.release()
        assert self.go.wait(30)
        return super().open(name)


def test_a_full_queue_refuses_and_the_rest_goes_on(corpora: State) -> None:
    library = Slow(corpora)
    settings = Settings(workers=1, waiting=1, requests_a_minute=0)
    with running(library, settings) as address, client_of(address) as client, ThreadPoolExecutor() as pool:
        asked = [pool.submit(client.get, "/api/ask", params={"q": QUESTION}) for _ in range(2)]
        assert library.waiting.acquire(timeout=30)
        refused = client.get("/api/ask", params={"q": QUESTION})
        while refused.status_code == 200:  # the second of them was not there yet
            refused = client.get("/api/ask", params={"q": QUESTION})
        listed, page = client.get("/api/corpora"), client.get("/", params={"q": QUESTION})
        library.go.set()
        assert [each.result().status_code for each in asked] == [200, 200]
    assert (refused.status_code, refused.headers["retry-after"]) == (503, "2")
    assert listed.status_code == 200
    assert (page.status_code, 'role="alert"' in page.text) == (503, True)
