"""The application behind a socket: bound before anything is promised, and stopped without cutting anybody off."""

from __future__ import annotations

import ipaddress
import signal
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import uvicorn

from gitcontext_pipeline.answer.library import Library
from gitcontext_pipeline.errors import GitContextError, UsageError
from gitcontext_pipeline.web.app import create_app
from gitcontext_pipeline.web.settings import Settings

HEADER_BYTES = 16_384
CONNECTIONS = 1000


def bind(host: str, port: int) -> socket.socket:
    """A socket that listens there.

    Raises:
        UsageError: the port is taken or not allowed, or there is no such address here.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        bound = socket.socket(family, kind, protocol)
    except (OSError, UnicodeError) as error:
        raise UsageError(f"{host!r} is no address", fix="e.g. --host 127.0.0.1") from error
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind(address)
        bound.listen(128)
    except OSError as error:
        bound.close()
        told = f"cannot listen at {host}:{port}: {(error.strerror or str(error)).lower()}"
        raise UsageError(told, fix="choose another port with --port; 0 is any that is free") from error
    bound.set_inheritable(True)
    return bound


def is_loopback(bound: socket.socket) -> bool:
    """Whether only this machine can reach it."""
    return ipaddress.ip_address(bound.getsockname()[0].partition("%")[0]).is_loopback


def address_of(bound: socket.socket) -> str:
    """The address of the page, for a browser on this machine."""
    ip, port = ipaddress.ip_address(bound.getsockname()[0].partition("%")[0]), bound.getsockname()[1]
    shown = "localhost" if ip.is_unspecified else f"[{ip}]" if ip.version == 6 else str(ip)
    return f"http://{shown}:{port}"


def make(library: Library, settings: Settings, bound: socket.socket) -> uvicorn.Server:
    """A server of the application, that knows the name of the socket it will answer on."""
    config = uvicorn.Config(
        create_app(library, _with_own_name(settings, bound)),
        http="h11",  # the one of uvicorn's parsers that bounds the size of headers
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
    for number in (signal.SIGINT, signal.SIGTERM):
        # uvicorn raises the signal once more when it is done; the end was asked for, and is none to die of.
        signal.signal(number, lambda *_: None)
    threading.Thread(target=_warm_up, args=(library,), daemon=True).start()
    announce(address_of(bound))
    made.run(sockets=[bound])


def _with_own_name(settings: Settings, bound: socket.socket) -> Settings:
    """The settings with the address that was bound among the names of the server."""
    ip = ipaddress.ip_address(bound.getsockname()[0].partition("%")[0])
    return (
        settings
        if ip.is_unspecified
        else replace(settings, hosts=settings.hosts | {f"[{ip}]" if ip.version == 6 else str(ip)})
    )


def _warm_up(library: Library) -> None:
    """Load what the first question would wait for; what cannot be loaded is told to who asks."""
    with suppress(GitContextError):
        library.open().search("warm up", 1)
