"""What every route answers from: the published corpora, the threads that search them, and the limits."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from fastapi import Request
from starlette.concurrency import run_in_threadpool

from gitcontext_pipeline.answer.evidence import Answer
from gitcontext_pipeline.answer.host import QUEUE
from gitcontext_pipeline.answer.library import Library
from gitcontext_pipeline.answer.opened import Corpus
from gitcontext_pipeline.answer.source import Place
from gitcontext_pipeline.answer.why import Why
from gitcontext_pipeline.errors import GitContextError, UsageError
from gitcontext_pipeline.web.metrics import Metrics
from gitcontext_pipeline.web.questions import Asked
from gitcontext_pipeline.web.settings import Settings
from gitcontext_pipeline.web.workers import Overloaded, Workers

T = TypeVar("T")


class Abandoned(Exception):
    """Nobody waits for an explanation any more."""


class NoHistory(GitContextError):
    """The lines are there, and nothing tells how they came about."""


class Service:
    """One of it a server."""

    def __init__(self, library: Library, settings: Settings) -> None:
        self.library = library
        self.settings = settings
        self.metrics = Metrics(library.corpora)
        self.closing = threading.Event()
        self._searching = Workers(settings.workers, settings.waiting, "search")
        # The model's own queue is what refuses; a thread each for who waits in it, and one for who is told so.
        self._explaining = Workers(QUEUE + 2, 0, "explain")

    async def run(self, call: Callable[[], T]) -> T:
        """What `call` returns, from a thread.

        Raises:
            Overloaded: too many wait already.
        """
        return await self._counted(self._searching, call)

    async def look(self, call: Callable[[], T]) -> T:
        """What `call` returns, from a thread that no search keeps busy: for what only looks at what there is."""
        return await run_in_threadpool(call)

    def open(self, asked: Asked) -> Corpus:
        """The snapshot that answers. Call it in a thread.

        Raises:
            UsageError: the question is too long, or there is no such corpus.
            GitContextError: nothing is published, or what is cannot be read.
        """
        most = self.settings.question_characters
        if len(asked.question) > most:
            raise UsageError(
                f"the question has {len(asked.question)} characters", fix=f"ask with at most {most} characters"
            )
        return self.library.open(asked.corpus)

    def answer(self, asked: Asked) -> tuple[Corpus, Answer]:
        """The evidence, and the snapshot that it is from; as `open`, and UsageError for an empty question."""
        corpus = self.open(asked)
        return corpus, corpus.ask(asked.question, asked.top, asked.scope)

    def why(self, corpus: str | None, place: Place) -> tuple[Corpus, Why]:
        """How lines came about. Call it in a thread.

        Raises:
            NoHistory: the corpus was made from a release.
            UsageError: there is no such corpus or file, or it has fewer lines.
        """
        opened = self.library.open(corpus)
        try:
            return opened, opened.why(place.path, place.start, place.end)
        except GitContextError as error:
            if type(error) is not GitContextError:
                raise
            raise NoHistory(error.what, where=error.where, fix=error.fix) from error

    async def explain(
        self, corpus: Corpus, answer: Answer, heard: Callable[[Sequence[str]], None] = lambda sentences: None
    ) -> Answer:
        """`answer` with what the local model says about it; `heard` is called in a thread.

        Raises:
            Busy: too many wait for the model already.
            GitContextError: the model cannot be used.
        """

        def heard_unless_closing(sentences: Sequence[str]) -> None:
            if self.closing.is_set():
                raise Abandoned
            heard(sentences)

        return await self._counted(self._explaining, lambda: corpus.explain(answer, heard=heard_unless_closing))

    def close(self) -> None:
        self.closing.set()
        self._searching.close()
        self._explaining.close()

    async def _counted(self, workers: Workers, call: Callable[[], T]) -> T:
        try:
            return await workers.run(call)
        except Overloaded:
            self.metrics.refused.labels("queue").inc()
            raise


def service_of(request: Request) -> Service:
    """The service of the server that got the request."""
    found: Service = request.app.state.service
    return found


def pinned(asked: Asked, corpus: Corpus) -> Asked:
    """The question with the corpus and the snapshot that answered it: what a permanent link names."""
    return replace(asked, corpus=corpus.name, snapshot=corpus.snapshot)
