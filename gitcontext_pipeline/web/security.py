"""Who may ask, under which name, and what a browser may do with the answer."""

from __future__ import annotations

import hashlib
import hmac
from http.cookies import CookieError, SimpleCookie
from urllib.parse import quote

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gitcontext_pipeline.web.problems import Problem, respond

COOKIE = "gitcontext"
OPEN_PATHS = ("/login", "/static/", "/healthz")
"""What is answered without a token."""
SECURITY_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


class SecurityHeaders:
    """Adds SECURITY_HEADERS to every response, and keeps answers out of caches unless the route says otherwise."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(SECURITY_HEADERS)
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        await self._app(scope, receive, with_headers if scope["type"] == "http" else send)


class KnownHost:
    """Refuses requests by another name: a page elsewhere could point a name of its own at this machine (rebinding)."""

    def __init__(self, app: ASGIApp, hosts: frozenset[str]) -> None:
        self._app = app
        self._hosts = frozenset(host.lower() for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and host_name(Headers(scope=scope).get("host", "")) not in self._hosts:
            fix = "open it by a name it knows, or start it with --allow-host NAME"
            problem = Problem(421, "this server is not known by the name it was asked by", "Host", fix)
            await respond(scope, problem)(scope, receive, send)
        else:
            await self._app(scope, receive, send)


class TokenRequired:
    """Lets through who brings the token as a bearer, or the cookie that the login form gave for it."""

    def __init__(self, app: ASGIApp, token: str | None) -> None:
        self._app = app
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        known = self._token is None or knows_token(Headers(scope=scope), self._token)
        scope.setdefault("state", {})["known"] = known
        if known or scope["path"].startswith(OPEN_PATHS):
            await self._app(scope, receive, send)
        elif _is_page(scope):
            wanted = quote(scope["path"] + ("?" + scope["query_string"].decode("latin-1")).rstrip("?"), safe="")
            await RedirectResponse(f"/login?next={wanted}", 303)(scope, receive, send)
        else:
            fix = "send the header Authorization: Bearer TOKEN"
            problem = Problem(401, "a token is needed", "Authorization", fix, {"WWW-Authenticate": "Bearer"})
            await respond(scope, problem)(scope, receive, send)


def knows_token(headers: Headers, token: str) -> bool:
    """Whether the token, or a cookie made from it, is among the headers; compared in constant time."""
    scheme, _, given = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and same(given.strip(), token):
        return True
    return same(_cookie(headers.get("cookie", "")), session_of(token))


def session_of(token: str) -> str:
    """The value of the cookie: it proves that the token was known, and does not tell it."""
    return hmac.new(token.encode(), b"gitcontext session", hashlib.sha256).hexdigest()


def same(given: str, wanted: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), wanted.encode("utf-8", "surrogatepass"))


def host_name(header: str) -> str:
    """The name in a Host header, without the port; an IPv6 address keeps its brackets."""
    name, _, port = header.lower().rpartition(":")
    return name if name and port.isdigit() and not name.endswith(":") else header.lower()


def inner(target: str) -> str:
    """`target` if it is a path of this server, else the front page: nobody is sent elsewhere after logging in."""
    plain = target.startswith("/") and not target.startswith("//") and "\\" not in target and target.isprintable()
    return target if plain else "/"


def _cookie(header: str) -> str:
    try:
        found = SimpleCookie(header).get(COOKIE)
    except CookieError:
        return ""
    return found.value if found else ""


def _is_page(scope: Scope) -> bool:
    return scope["path"] in {"/", "/why", "/source", "/quality", "/api"} and scope["method"] == "GET"
