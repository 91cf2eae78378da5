"""Logging in with the token: a form, and a cookie that no script and no other site can use."""

from __future__ import annotations

from urllib.parse import parse_qs

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from gitcontext_pipeline.web.problems import Problem
from gitcontext_pipeline.web.security import COOKIE, inner, same, session_of
from gitcontext_pipeline.web.service import service_of
from gitcontext_pipeline.web.templates import render

DAYS = 30
BODY_BYTES = 16_384
"""Only this form is sent in a body; no other route reads one."""

router = APIRouter(include_in_schema=False)


@router.get("/login")
async def form(request: Request) -> Response:
    target = inner(request.query_params.get("next", "/"))
    if service_of(request).settings.token is None:
        return RedirectResponse(target, 303)
    return HTMLResponse(render("login.html", target=target, problem=None))


@router.post("/login", max_body_size=BODY_BYTES)
async def log_in(request: Request) -> Response:
    token = service_of(request).settings.token
    fields = parse_qs((await request.body()).decode("utf-8", "replace"))
    target = inner(fields.get("next", ["/"])[0])
    if token is None:
        return RedirectResponse(target, 303)
    if not same(fields.get("token", [""])[0].strip(), token):
        problem = Problem(
            401, "that is not the token of this server", None, "it is the one the server was started with"
        )
        return HTMLResponse(render("login.html", target=target, problem=problem), 401)
    response = RedirectResponse(target, 303)
    response.set_cookie(
        COOKIE,
        session_of(token),
        max_age=DAYS * 86_400,
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )
    return response


@router.post("/logout")
async def log_out() -> Response:
    response = RedirectResponse("/login", 303)
    response.delete_cookie(COOKIE)
    return response
