"""The application, put together."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from gitcontext_pipeline import __version__
from gitcontext_pipeline.answer.library import Library
from gitcontext_pipeline.web import api, login, pages, problems, quality, reference
from gitcontext_pipeline.web.limits import Limited, RateLimit
from gitcontext_pipeline.web.metrics import Measured
from gitcontext_pipeline.web.security import SECURITY_HEADERS, KnownHost, SecurityHeaders, TokenRequired
from gitcontext_pipeline.web.service import Service
from gitcontext_pipeline.web.settings import Settings
from gitcontext_pipeline.web.templates import STATIC


class Assets(StaticFiles):
    """Static files, whose addresses change with their content: a browser need not ask for one again."""

    def file_response(self, *arguments: object, **options: object) -> Response:
        response = super().file_response(*arguments, **options)  # type: ignore[arg-type]
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
        return response


class HeadAsGet:
    """Answers HEAD as it would GET; the server that the application runs in leaves the body out."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] == "HEAD":
            scope = {**scope, "method": "GET"}
        await self._app(scope, receive, send)


def create_app(library: Library, settings: Settings) -> FastAPI:
    """The page and the API over the corpora of `library`."""
    service = Service(library, settings)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        service.close()

    app = FastAPI(
        title="GitContext",
        version=__version__,
        description="Evidence-first answers about a pinned git repository, as JSON.",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
    )
    app.state.service = service
    for part in (pages, quality, reference, login, api):
        app.include_router(part.router)
    app.mount("/static", Assets(directory=STATIC))
    problems.add_handlers(app, SECURITY_HEADERS)
    # Each wraps what was added before it: the last one sees a request first.
    rate = RateLimit(settings.requests_a_minute, settings.burst)
    app.add_middleware(TokenRequired, token=settings.token)
    app.add_middleware(Limited, rate=rate, refused=service.metrics.refused.labels("rate").inc)
    app.add_middleware(KnownHost, hosts=settings.hosts)
    app.add_middleware(SecurityHeaders)
    app.add_middleware(Measured, metrics=service.metrics)
    app.add_middleware(HeadAsGet)
    return app
