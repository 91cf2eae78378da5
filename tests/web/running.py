"""A real server on loopback, in a thread of the test's process."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from gitcontext_pipeline.answer.library import Library
from gitcontext_pipeline.listening import address_of, bind
from gitcontext_pipeline.web import server
from gitcontext_pipeline.web.settings import Settings


@contextmanager
def running(library: Library, settings: Settings | None = None) -> Iterator[str]:
    """The address of a server that answers until the block ends."""
    bound = bind("127.0.0.1", 0)
    made = server.make(library, settings or Settings(), bound)
    thread = threading.Thread(target=made.run, kwargs={"sockets": [bound]}, daemon=True)
    thread.start()
    _wait_until_started(made)
    try:
        yield address_of(bound)
    finally:
        made.should_exit = True
        thread.join(timeout=30)
        assert not thread.is_alive()


def _wait_until_started(made: uvicorn.Server) -> None:
    deadline = time.monotonic() + 30
    while not made.started:
        assert time.monotonic() < deadline
        time.sleep(0.01)
