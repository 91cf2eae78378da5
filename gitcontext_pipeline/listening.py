"""What servers have in common: sockets bound before anything is promised, who can reach them, tokens, the end."""

from __future__ import annotations

import ipaddress
import re
import signal
import socket
from typing import TYPE_CHECKING

from gitcontext_pipeline.errors import UsageError

if TYPE_CHECKING:
    import uvicorn

LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "[::1]"})
"""What this machine calls itself, as a Host header has it."""
_TOKEN = re.compile(r"[!-~]{16,}")


def bind(host: str, port: int) -> socket.socket:
    """A socket that listens there; port 0 is any that is free.

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
    return bound


def is_loopback(bound: socket.socket) -> bool:
    """Whether only this machine can reach it."""
    return _ip(bound).is_loopback


def own_name(bound: socket.socket) -> str | None:
    """The address as a Host header has it; None where it listens on all of them."""
    ip = _ip(bound)
    return None if ip.is_unspecified else f"[{ip}]" if ip.version == 6 else str(ip)


def address_of(bound: socket.socket) -> str:
    """The beginning of every address of the server, for somebody on this machine."""
    return f"http://{own_name(bound) or 'localhost'}:{bound.getsockname()[1]}"


def strong(token: str) -> str:
    """The token, if nobody can guess it; raises UsageError."""
    if not _TOKEN.fullmatch(token):
        raise UsageError("that token could be guessed, or not be sent", fix="take 16 or more letters, digits and signs")
    return token


def end_on_signals(server: uvicorn.Server) -> None:
    """From now on SIGINT and SIGTERM end `server` in good order, before it runs, while it does, and for good.

    uvicorn raises the signal once more when it is done; the end was asked for, and is none to die of.
    """

    def end(*_: object) -> None:
        server.should_exit = True

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)


def _ip(bound: socket.socket) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    return ipaddress.ip_address(bound.getsockname()[0].partition("%")[0])
