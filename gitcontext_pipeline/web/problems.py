"""Whatever goes wrong, told with a status: as JSON `{error, where, fix}` to programs, as a page to people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, Response
from starlette.exceptions import HTTPException
from starlette.types import Scope

from gitcontext_pipeline.answer.evidence import printable
from gitcontext_pipeline.answer.host import Busy
from gitcontext_pipeline.errors import GitContextError, NotIndexed, UsageError
from gitcontext_pipeline.web.service import NoHistory
from gitcontext_pipeline.web.templates import render
from gitcontext_pipeline.web.workers import Overloaded

RETRY_SECONDS = {Overloaded: 2, Busy: 60}
_STATUS: Sequence[tuple[type[GitContextError], int]] = (
    (Overloaded, 503),
    (Busy, 503),
    (NotIndexed, 503),
    (NoHistory, 409),
    (UsageError, 400),
    (GitContextError, 500),
)
_FOR_PROGRAMS = ("/api/", "/healthz", "/metrics", "/openapi.json", "/answer.md", "/explanation")


@dataclass(frozen=True, slots=True)
class Problem:
    """What a request came to instead of an answer."""

    status: int
    error: str
    where: str | None = None
    fix: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        return {"error": self.error, "where": self.where, "fix": self.fix}


def problem_of(error: GitContextError) -> Problem:
    """The status that an error of the core stands for."""
    status = next(status for kind, status in _STATUS if isinstance(error, kind))
    seconds = RETRY_SECONDS.get(type(error))
    headers = {} if seconds is None else {"Retry-After": str(seconds)}
    where, fix = (None if text is None else printable(" ".join(text.split())) for text in (error.where, error.fix))
    return Problem(status, printable(" ".join(error.what.split())), where, fix, headers)


def respond(scope: Scope, problem: Problem) -> Response:
    """The response in the form that whoever asked for this path reads."""
    if scope["path"].startswith(_FOR_PROGRAMS):
        return JSONResponse(problem.as_json(), problem.status, headers=dict(problem.headers))
    return HTMLResponse(render("problem.html", problem=problem), problem.status, headers=dict(problem.headers))


def add_handlers(app: FastAPI, headers: Mapping[str, str]) -> None:
    """Have every exception of `app` told so; `headers` go with what is raised where nothing else adds them."""

    @app.exception_handler(GitContextError)
    def known(request: Request, error: GitContextError) -> Response:
        return respond(request.scope, problem_of(error))

    @app.exception_handler(RequestValidationError)
    def invalid(request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        where = str(first["loc"][-1])
        return respond(request.scope, Problem(400, first["msg"], where, "the parameters are listed at /api"))

    @app.exception_handler(HTTPException)
    def plain(request: Request, error: HTTPException) -> Response:
        found = {404: "there is no such page", 405: "that is no way to ask this page", 413: "too much was sent"}
        fix = "start from the front page, /, or from the list of the API, /api"
        problem = Problem(error.status_code, found.get(error.status_code, error.detail), None, fix, error.headers or {})
        return respond(request.scope, problem)

    @app.exception_handler(Exception)
    def unexpected(request: Request, error: Exception) -> Response:
        response = respond(
            request.scope,
            Problem(500, f"unexpected {type(error).__name__}", None, "the log of the server says where it comes from"),
        )
        response.headers.update(headers)
        return response
