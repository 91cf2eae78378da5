"""What is published while the server runs, and how it ends."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from gitcontext_pipeline.answer.library import Library
from gitcontext_pipeline.errors import UsageError
from gitcontext_pipeline.index.snapshot import roll_back
from gitcontext_pipeline.listening import address_of, bind
from gitcontext_pipeline.state import STATE_VARIABLE, State
from gitcontext_pipeline.web import server
from gitcontext_pipeline.web.settings import Settings
from tests.web.conftest import UNLIMITED, client_of
from tests.web.published import CORPUS, QUESTION, copied
from tests.web.running import running
from tests.web.test_limits import Slow

PUBLISHED = 4


def test_publishing_under_load_costs_no_request(corpora: State, models: Path, tmp_path: Path) -> None:
    state = copied(corpora, tmp_path / "copy", models)
    over, replies = threading.Event(), []

    def ask(client: httpx.Client) -> None:
        while not over.is_set():
            replies.append(client.get("/api/search", params={"q": QUESTION, "top": 1}))

    with running(Library(state), UNLIMITED) as address, client_of(address) as client, ThreadPoolExecutor(4) as pool:
        ask_once = client.get("/api/search", params={"q": QUESTION, "top": 1})
        for _ in range(4):
            pool.submit(ask, client)
        published = [roll_back(state.corpus(CORPUS)).id for _ in range(PUBLISHED) if _seen_more(replies)]
        last = client.get("/api/search", params={"q": QUESTION, "top": 1})
        over.set()
    assert len(published) == PUBLISHED
    assert {reply.status_code for reply in [ask_once, *replies, last]} == {200}
    assert {reply.json()["snapshot"] for reply in replies} == set(published)
    assert last.json()["snapshot"] == published[-1]


def _seen_more(replies: list[httpx.Response], more: int = 8) -> bool:
    """Wait until so many more were answered."""
    wanted, pause = len(replies) + more, threading.Event()
    while len(replies) < wanted:
        pause.wait(0.01)
    return True


def test_a_request_that_is_being_answered_is_finished_before_the_end(corpora: State) -> None:
    library = Slow(corpora)
    bound = bind("127.0.0.1", 0)
    made = server.make(library, Settings(), bound)
    thread = threading.Thread(target=made.run, kwargs={"sockets": [bound]})
    thread.start()
    with client_of(address_of(bound)) as client, ThreadPoolExecutor() as pool:
        asked = pool.submit(client.get, "/api/ask", params={"q": QUESTION})
        assert library.waiting.acquire(timeout=30)
        made.should_exit = True
        library.go.set()
        assert asked.result().status_code == 200
    thread.join(timeout=30)
    assert not thread.is_alive()


@pytest.fixture
def environment(corpora: State) -> dict[str, str]:
    return {**os.environ, STATE_VARIABLE: str(corpora.root)}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_command_announces_its_address_and_ends_well(environment: dict[str, str], number: signal.Signals) -> None:
    with _served(environment, "--port", "0") as process:
        assert process.stdout is not None
        address = re.match(r"(http://127\.0\.0\.1:\d+) ", process.stdout.readline())
        assert address is not None
        assert CORPUS in process.stdout.readline()
        with client_of(address[1]) as client:
            assert client.get("/api/search", params={"q": QUESTION}).status_code == 200
        process.send_signal(number)
        assert process.wait(timeout=60) == 0
        assert process.stderr is not None
        assert process.stderr.read() == ""


@pytest.mark.parametrize("seconds", [0.1, 0.2, 0.3])
def test_the_end_may_come_while_the_index_is_being_loaded(environment: dict[str, str], seconds: float) -> None:
    with _served(environment, "--port", "0") as process:
        assert process.stdout is not None
        assert "http://" in process.stdout.readline()
        threading.Event().wait(seconds)
        process.send_signal(signal.SIGTERM)
        assert (process.wait(timeout=60), process.stderr.read() if process.stderr else None) == (0, "")


def _served(environment: dict[str, str], *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "gitcontext_pipeline", "serve", *arguments]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        yield other.getsockname()[1]


def test_a_port_that_is_taken_is_a_mistake_told_in_one_line(taken: int) -> None:
    with pytest.raises(UsageError, match=rf"127\.0\.0\.1:{taken}: address already in use") as told:
        bind("127.0.0.1", taken)
    assert told.value.exit_code == 2
