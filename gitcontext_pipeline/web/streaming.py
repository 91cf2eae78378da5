"""An explanation as it comes into being: Server-Sent Events (https://html.spec.whatwg.org/multipage/server-sent-events.html).

`unverified` carries the sentences so far as JSON; then `verified` carries the HTML that takes their place, or `failed`
the HTML that says what went wrong.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence

from gitcontext_pipeline.answer.evidence import Answer, printable
from gitcontext_pipeline.answer.opened import Corpus
from gitcontext_pipeline.errors import GitContextError
from gitcontext_pipeline.web.problems import problem_of
from gitcontext_pipeline.web.service import Abandoned, Service
from gitcontext_pipeline.web.templates import render

KEEP_ALIVE_SECONDS = 15.0
"""A proxy may hang up on a connection that says nothing; a comment is something."""

Sentences = tuple[str, ...]


async def explanation_events(service: Service, corpus: Corpus, answer: Answer) -> AsyncIterator[str]:
    """The events for one answer. When the listener leaves, the model stops."""
    loop = asyncio.get_running_loop()
    told: asyncio.Queue[Sentences | None] = asyncio.Queue()
    gone = False

    def heard(sentences: Sequence[str]) -> None:
        if gone:
            raise Abandoned
        loop.call_soon_threadsafe(told.put_nowait, tuple(map(printable, sentences)))

    explaining = asyncio.ensure_future(service.explain(corpus, answer, heard))
    explaining.add_done_callback(lambda done: told.put_nowait(None))
    try:
        async for sentences in _until_done(told):
            yield _event("unverified", json.dumps(sentences)) if sentences else ": still at it\n\n"
        yield _event("verified", render("_explanation.html", explanation=(await explaining).explanation))
    except GitContextError as error:
        yield _event("failed", render("_problem.html", problem=problem_of(error)))
    finally:
        gone = True
        explaining.cancel()


async def _until_done(told: asyncio.Queue[Sentences | None]) -> AsyncIterator[Sentences]:
    """The sentences whenever there are others, and nothing whenever there were none for KEEP_ALIVE_SECONDS."""
    last: Sentences = ()
    while True:
        try:
            sentences = await asyncio.wait_for(told.get(), KEEP_ALIVE_SECONDS)
        except TimeoutError:
            yield ()
            continue
        if sentences is None:
            return
        if sentences != last:
            last = sentences
            yield sentences


def _event(name: str, data: str) -> str:
    lines = "".join(f"data: {line}\n" for line in data.splitlines() or [""])
    return f"event: {name}\n{lines}\n"
