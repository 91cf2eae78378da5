"""The JSON API. Every parameter, response and example is in /openapi.json, and for people at /api."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse, Response

from gitcontext_pipeline.answer.opened import Corpus
from gitcontext_pipeline.answer.source import Place
from gitcontext_pipeline.errors import GitContextError
from gitcontext_pipeline.retrieval.result import Result
from gitcontext_pipeline.web.metrics import CONTENT_TYPE
from gitcontext_pipeline.web.models import (
    AnswerModel,
    CorpusModel,
    ErrorModel,
    HealthModel,
    SearchModel,
    SourceModel,
    WhyModel,
)
from gitcontext_pipeline.web.pages import MOST_CONTEXT, place_of
from gitcontext_pipeline.web.questions import MOST, Asked
from gitcontext_pipeline.web.service import service_of

ERRORS: dict[int | str, dict[str, Any]] = {
    400: {"model": ErrorModel, "description": "The request itself is wrong."},
    401: {"model": ErrorModel, "description": "A token is needed."},
    429: {"model": ErrorModel, "description": "Too many requests; `Retry-After` says when to ask again."},
    503: {"model": ErrorModel, "description": "Nothing is published, or too many are waiting (`Retry-After`)."},
}
Question = Annotated[
    str,
    Query(
        description="A question in plain words, an identifier, or an error message.",
        examples=["Where does Requests strip redirect authorization?"],
    ),
]
CorpusName = Annotated[
    str | None, Query(description="Which corpus; without it, the one published last.", examples=["requests"])
]
Scope = Annotated[
    Literal["code", "docs", "history", "tests", ""],
    Query(description="Where to look; empty for everywhere.", examples=["code"]),
]
Top = Annotated[int, Query(ge=1, le=MOST, description="How many results.", examples=[5])]

router = APIRouter(responses=ERRORS)


@router.get("/api/search", response_model=SearchModel, summary="Search")
async def search(request: Request, q: Question, top: Top = 10, scope: Scope = "", corpus: CorpusName = None) -> Any:
    """The strongest pieces of evidence, best first, as a retriever returns them."""
    service, asked = service_of(request), Asked(q, corpus, scope or None, top)

    def found() -> tuple[Corpus, list[Result]]:
        opened = service.open(asked)
        return opened, opened.search(asked.question, asked.top, asked.scope)

    opened, results = await service.run(found)
    return {
        "question": q,
        "corpus": opened.name,
        "revision": opened.revision,
        "snapshot": opened.snapshot,
        "results": [result.as_row() for result in results],
    }


@router.get("/api/ask", response_model=AnswerModel, summary="Ask")
async def ask(
    request: Request,
    q: Question,
    top: Top = 5,
    scope: Scope = "",
    corpus: CorpusName = None,
    generate: Annotated[
        bool, Query(description="Let the local model explain; only what can be checked is told.", examples=[False])
    ] = False,
) -> Any:
    """The answer: the strongest symbols by name, the evidence with its links, and an explanation if asked for."""
    service, asked = service_of(request), Asked(q, corpus, scope or None, top)
    opened, answer = await service.run(lambda: service.answer(asked))
    if generate:
        answer = await service.explain(opened, answer)
    return {**answer.as_json(), "snapshot": opened.snapshot}


@router.get("/api/corpora", response_model=list[CorpusModel], summary="Corpora")
async def corpora(request: Request) -> Any:
    """Every corpus, by name, with the revision and the snapshot that answer."""
    service = service_of(request)
    return [listed.as_json() for listed in await service.look(service.library.corpora)]


@router.get("/api/why", response_model=WhyModel, summary="Why", responses={409: {"model": ErrorModel}})
async def why(
    request: Request,
    place: Annotated[
        str, Query(description="`FILE:LINE` or `FILE:FIRST-LAST`.", examples=["src/requests/sessions.py:154-184"])
    ],
    corpus: CorpusName = None,
) -> Any:
    """Which changes introduced some lines and last really changed them; 409 where the corpus has no history."""
    service = service_of(request)
    _, found = await service.run(lambda: service.why(corpus, Place.parse(place)))
    return found.as_json()


@router.get("/api/source", response_model=SourceModel, summary="Source")
async def source(
    request: Request,
    path: Annotated[str, Query(description="From the top of the repository.", examples=["src/requests/sessions.py"])],
    lines: Annotated[str, Query(description="`12`, or `12-20`.", examples=["154-184"])] = "1",
    context: Annotated[int, Query(ge=0, le=MOST_CONTEXT, description="Lines more on either side.", examples=[3])] = 0,
    corpus: CorpusName = None,
) -> Any:
    """Lines of a file at the pinned revision."""
    service, place = service_of(request), place_of(path, lines)
    found = await service.run(lambda: service.library.open(corpus).read(place.path, place.start, place.end, context))
    return found.as_json()


@router.get("/healthz", response_model=HealthModel, summary="Health", responses={503: {"model": HealthModel}})
async def healthz(request: Request) -> Response:
    """200 when something is published and can be read; needs no token, but then says neither names nor why."""
    service = service_of(request)
    try:
        await service.look(service.library.open)
    except GitContextError as error:
        why = {"why": error.what} if request.state.known else {}  # it can hold names, and the place of the state
        return JSONResponse({"status": "unavailable", **why}, 503)
    told: dict[str, Any] = {"status": "ok"}
    if request.state.known:
        listed = await service.look(service.library.corpora)
        told["corpora"] = {corpus.name: corpus.snapshot for corpus in listed if corpus.snapshot}
    return JSONResponse(told)


@router.get("/metrics", response_class=Response, summary="Metrics")
async def metrics(request: Request) -> Response:
    """Requests by route and status, their latency, those in flight and those refused, and what is published."""
    service = service_of(request)
    return Response(await service.look(service.metrics.text), media_type=CONTENT_TYPE)
