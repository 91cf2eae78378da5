"""Serving over HTTP: under which names the server is asked, and with which token."""

from __future__ import annotations

import hmac
import socket
from collections.abc import Iterable
from typing import Any

import uvicorn
from mcp.server.auth.middleware.bearer_auth import BearerAuthBackend, RequireAuthMiddleware
from mcp.server.auth.provider import AccessToken
from mcp.server.mcpserver import MCPServer
from mcp.server.transport_security import TransportSecuritySettings
from starlette.middleware.authentication import AuthenticationMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from gitcontext_pipeline.errors import UsageError
from gitcontext_pipeline.listening import LOOPBACK_NAMES, end_on_signals, is_loopback, own_name, strong
from gitcontext_pipeline.slow_clients import Patient

ENDPOINT = "/mcp"


class OneToken:
    """Accepts exactly one token, compared in constant time."""

    def __init__(self, token: str) -> None:
        self._token = token.encode()

    async def verify_token(self, token: str) -> AccessToken | None:
        known = hmac.compare_digest(token.encode("utf-8", "surrogatepass"), self._token)
        return AccessToken(token=token, client_id="token", scopes=[]) if known else None


class TokenRequired:
    """Refuses requests without the token; starting and stopping the application needs none."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._guarded = AuthenticationMiddleware(
            RequireAuthMiddleware(app, required_scopes=[]), backend=BearerAuthBackend(OneToken(token))
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await (self._guarded if scope["type"] == "http" else self._app)(scope, receive, send)


def make_app(server: MCPServer[Any], bound: socket.socket, token: str | None, names: Iterable[str] = ()) -> ASGIApp:
    """The application that answers at ENDPOINT to requests by the names of this machine, its address, or `names`.

    Raises:
        UsageError: other machines reach it and there is no token, or the token is too weak.
    """
    if token is None and not is_loopback(bound):
        raise UsageError("other machines could read every corpus, and no token is set", fix="set GITCONTEXT_TOKEN")
    if token is not None:
        strong(token)
    known = {*LOOPBACK_NAMES, *filter(None, [own_name(bound)]), *names}
    # With a port and without: a proxy in front of the server may leave it out.
    hosts = [f"{name}{port}" for name in known for port in ("", ":*")]
    security = TransportSecuritySettings(
        allowed_hosts=hosts, allowed_origins=[f"{scheme}://{host}" for scheme in ("http", "https") for host in hosts]
    )
    app = server.streamable_http_app(streamable_http_path=ENDPOINT, transport_security=security)
    return TokenRequired(app, token) if token else app


def serve(app: ASGIApp, bound: socket.socket) -> None:
    """Answer on `bound` until SIGINT or SIGTERM."""
    # An agent that waits for news keeps its connection open: it is not waited for in turn.
    config = uvicorn.Config(app, http=Patient, log_level="warning", access_log=False, timeout_graceful_shutdown=2)
    server = uvicorn.Server(config)
    end_on_signals(server)
    server.run(sockets=[bound])
