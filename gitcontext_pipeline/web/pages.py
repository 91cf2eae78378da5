"""The pages that people read: asking, the lines of a file, and how they came about."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, PlainTextResponse, Response, StreamingResponse

from gitcontext_pipeline.answer.evidence import STRONGEST, printable
from gitcontext_pipeline.answer.local_model import why_off
from gitcontext_pipeline.answer.source import Place
from gitcontext_pipeline.errors import GitContextError, NotIndexed, UsageError
from gitcontext_pipeline.retrieval.retriever import SCOPES
from gitcontext_pipeline.web.cards import AROUND, cards_of, source_link, why_link
from gitcontext_pipeline.web.highlighting import highlighted_file
from gitcontext_pipeline.web.problems import Problem, problem_of
from gitcontext_pipeline.web.quality import examples
from gitcontext_pipeline.web.questions import Asked
from gitcontext_pipeline.web.service import Service, pinned, service_of
from gitcontext_pipeline.web.streaming import explanation_events
from gitcontext_pipeline.web.templates import render

TOPS = (5, 10, 20)
MOST_CONTEXT = 200
MOST_LINES = 600
"""Lines that one page of a file shows."""
LONGEST_LINE = 500

router = APIRouter(include_in_schema=False)


@router.get("/")
async def ask(request: Request) -> Response:
    service, problem, asked = service_of(request), None, Asked()
    found: dict[str, Any] = {"answer": None, "cards": (), "strongest": (), "link": None}
    try:
        asked = Asked.read(request.query_params)
        if asked.question:
            found = await _found(service, asked)
    except GitContextError as error:
        asked = replace(asked, question=asked.question or request.query_params.get("q", ""))
        problem = problem_of(error)
    known = await service.look(lambda: _surroundings(service, asked))
    page = render(
        "ask.html", asked=asked, problem=problem, scopes=SCOPES, tops=sorted({*TOPS, asked.top}), **known, **found
    )
    return _page(page, problem)


@router.get("/answer.md")
async def answer_as_markdown(request: Request) -> Response:
    service, asked = service_of(request), Asked.read(request.query_params)
    corpus, answer = await service.run(lambda: service.answer(asked))
    if asked.explain:
        answer = await service.explain(corpus, answer)
    return PlainTextResponse(answer.as_markdown(), media_type="text/markdown")


@router.get("/explanation")
async def explanation(request: Request) -> Response:
    service, asked = service_of(request), Asked.read(request.query_params)
    corpus, answer = await service.run(lambda: service.answer(asked))
    if asked.snapshot not in {None, corpus.snapshot}:  # its numbers would point at other cards than the page's
        raise UsageError("another snapshot was published meanwhile", fix="ask again")
    events = explanation_events(service, corpus, answer, request.is_disconnected)
    return StreamingResponse(events, media_type="text/event-stream")


@router.get("/source")
async def source(request: Request) -> Response:
    service, given, problem = service_of(request), request.query_params, None
    found: dict[str, Any] = {"source": None}
    try:
        found = await service.run(lambda: _read(service, given.get("corpus") or None, dict(given)))
    except GitContextError as error:
        problem = problem_of(error)
    return _page(render("source.html", problem=problem, path=printable(given.get("path", "")), **found), problem)


@router.get("/why")
async def why(request: Request) -> Response:
    service, given, problem = service_of(request), request.query_params, None
    place, name = given.get("place", "").strip(), given.get("corpus") or None
    found: dict[str, Any] = {"why": None, "source": None, "lines": ()}
    try:
        if place:
            found = await service.run(lambda: _followed(service, name, place))
    except GitContextError as error:
        problem = problem_of(error)
    corpora = await service.look(service.library.corpora)
    page = render("why.html", problem=problem, place=place, corpus=name, corpora=corpora, **found)
    return _page(page, problem)


async def _found(service: Service, asked: Asked) -> dict[str, Any]:
    def search() -> dict[str, Any]:
        corpus, answer = service.answer(asked)
        cards = cards_of(corpus, answer)
        strongest = list({card.result.name: card for card in reversed(cards[:STRONGEST])}.values())[::-1]
        link = pinned(asked, corpus)
        return {"opened": corpus, "answer": answer, "cards": cards, "strongest": strongest, "link": link}

    found = await service.run(search)
    if asked.explain:
        found["answer"] = await service.explain(found["opened"], found["answer"])
    return found


def _surroundings(service: Service, asked: Asked) -> dict[str, Any]:
    """What stands around the answer: the corpora to pick from, questions to begin with, whether there is a model."""
    corpora = service.library.corpora()
    try:
        chosen = service.library.state.choose(asked.corpus)
    except (NotIndexed, UsageError):
        return {"corpora": corpora, "chosen": None, "examples": (), "off": None}
    begin = [] if asked.question else [(text, Asked(text, chosen.name).link()) for text in examples(chosen)]
    return {"corpora": corpora, "chosen": chosen.name, "examples": begin, "off": why_off(service.library.state)}


def _read(service: Service, name: str | None, given: dict[str, str]) -> dict[str, Any]:
    corpus = service.library.open(name)
    place = place_of(given.get("path", ""), given.get("lines", ""))
    context = given.get("context") or str(AROUND)
    if not (context.isascii() and context.isdigit() and int(context[:9]) <= MOST_CONTEXT):
        raise UsageError(f"context is {context!r}", fix=f"ask for 0 to {MOST_CONTEXT} lines around")
    shown = Place.of(place.path, place.start, min(place.end, place.start + MOST_LINES - 1))
    found = corpus.read(shown.path, shown.start, shown.end, int(context))
    text = "\n".join(printable(line)[:LONGEST_LINE] for line in found.text.split("\n"))
    wider = min(MOST_CONTEXT, 2 * int(context) + AROUND)
    return {
        "source": found,
        "lines": highlighted_file(text, found.path),
        "place": shown,
        "corpus": corpus,
        "why": why_link(corpus.name, shown.path, shown.start, shown.end),
        "wider": source_link(corpus.name, shown.path, shown.start, shown.end, wider),
    }


def _followed(service: Service, name: str | None, text: str) -> dict[str, Any]:
    place = Place.parse(text)
    corpus, found = service.why(name, place)
    shown = Place.of(place.path, place.start, min(place.end, place.start + MOST_LINES - 1))
    source = corpus.read(shown.path, shown.start, shown.end)
    code = "\n".join(printable(line)[:LONGEST_LINE] for line in source.text.split("\n"))
    return {"why": found, "source": source, "lines": highlighted_file(code, source.path)}


def place_of(path: str, lines: str) -> Place:
    """Lines of a file from two parameters; without `lines`, its beginning.

    Raises:
        UsageError: there is no path, or `lines` is neither `12` nor `12-20`.
    """
    if not path:
        raise UsageError("no file is named", fix="name one, and lines of it: path=src/module.py&lines=12-20")
    return Place.parse(f"{path}:{lines or '1'}")


def _page(html: str, problem: Problem | None) -> Response:
    if problem is None:
        return HTMLResponse(html)
    return HTMLResponse(html, problem.status, headers=dict(problem.headers))
