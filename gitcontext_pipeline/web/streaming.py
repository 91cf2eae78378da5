"""An explanation as it comes into being: Server-Sent Events (https://html.spec.whatwg.org/multipage/server-sent-events.html).

`unverified` carries the sentences so far as JSON; then `verified` carries the HTML that takes their place, or `failed`
the HTML that says what went wrong.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

from gitcontext_pipeline.answer.evidence import Answer, printable
from gitcontext_pipeline.answer.opened import Corpus
from gitcontext_pipeline.errors import GitContextError
from gitcontext_pipeline.web.problems import problem_of
from gitcontext_pipeline.web.service import Abandoned, Service
from gitcontext_pipeline.web.templates import render

KEEP_ALIVE_SECONDS = 15.0
"""A proxy may hang up on a connection that says nothing; a comment is something."""
GONE_SECONDS = 1.0
"""How often it is looked whether somebody still listens: a server notices only when it sends."""

Sentences = tuple[str, ...]


async def explanation_events(
    service: Service, corpus: Corpus, answer: Answer, is_gone: Callable[[], Awaitable[bool]]
) -> AsyncIterator[str]:
    """The events for one answer. When the listener `is_gone`, the model stops."""
    loop = asyncio.get_running_loop()
    told: asyncio.Queue[Sentences] = asyncio.Queue()
    gone = False

    def heard(sentences: Sequence[str]) -> None:
        if gone:
            raise Abandoned
        loop.call_soon_threadsafe(told.put_nowait, tuple(map(printable, sentences)))

    explaining = asyncio.ensure_future(service.explain(corpus, answer, heard))
    explaining.add_done_callback(lambda done: told.put_nowait(()))
    last: Sentences = ()
    quiet = 0.0
    try:
        while not explaining.done() or not told.empty():
            try:
                sentences = await asyncio.wait_for(told.get(), GONE_SECONDS)
            except TimeoutError:
                if await is_gone():
                    return
                quiet += GONE_SECONDS
                if quiet >= KEEP_ALIVE_SECONDS:
                    quiet = 0.0
                    yield ": still at it\n\n"
                continue
            if sentences and sentences != last:
                last, quiet = sentences, 0.0
                yield _event("unverified", json.dumps(sentences))
        yield _event("verified", render("_explanation.html", explanation=(await explaining).explanation))
    except GitContextError as error:
        yield _event("failed", render("_problem.html", problem=problem_of(error)))
    finally:
        gone = True
        explaining.cancel()


def _event(name: str, data: str) -> str:
    lines = "".join(f"data: {line}\n" for line in data.splitlines() or [""])
    return f"event: {name}\n{lines}\n"
