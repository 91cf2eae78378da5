"""The application behind a socket, stopped without cutting anybody off."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import uvicorn

from gitcontext_pipeline.answer.library import Library
from gitcontext_pipeline.errors import GitContextError
from gitcontext_pipeline.listening import address_of, end_on_signals, own_name
from gitcontext_pipeline.slow_clients import Patient
from gitcontext_pipeline.web.app import create_app
from gitcontext_pipeline.web.settings import Settings

HEADER_BYTES = 65_536
CONNECTIONS = 1000


def make(library: Library, settings: Settings, bound: socket.socket) -> uvicorn.Server:
    """A server of the application, that knows the name of the socket it will answer on."""
    config = uvicorn.Config(
        create_app(library, replace(settings, hosts=settings.hosts | {own_name(bound) or "localhost"})),
        http=Patient,
        h11_max_incomplete_event_size=HEADER_BYTES,
        ws="none",
        lifespan="on",
        log_level="warning",
        access_log=False,  # questions are the business of those who ask them
        server_header=False,
        proxy_headers=False,  # anybody could claim to be another client
        limit_concurrency=CONNECTIONS,
        timeout_graceful_shutdown=settings.grace,
    )
    return uvicorn.Server(config)


def serve(library: Library, settings: Settings, bound: socket.socket, announce: Callable[[str], None]) -> None:
    """Answer on `bound` until SIGINT or SIGTERM; requests that are being answered then are finished first."""
    made = make(library, settings, bound)
    end_on_signals(made)
    # No daemon: a process that ends while one is in native code may abort.
    threading.Thread(target=_warm_up, args=(library,)).start()
    announce(address_of(bound))
    made.run(sockets=[bound])


def _warm_up(library: Library) -> None:
    """Load what the first question would wait for; what cannot be loaded is told to who asks."""
    with suppress(GitContextError):
        library.open().search("warm up", 1)
