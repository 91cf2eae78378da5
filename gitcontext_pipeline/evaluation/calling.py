"""Asking a retriever one query, whatever it does in return.

Foreign code may raise, hang, call `sys.exit`, or hand back a sequence whose length is a lie. It runs in a worker
thread, which also reads the rows; when the time limit passes the thread is abandoned and the next query gets a new
one. The thread is a daemon, so that a hung one does not keep the process from ending (an executor's threads would).
One thread serves all queries until then, because connections opened by one query (SQLite's, say) are bound to their
thread.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any

from gitcontext_pipeline.evaluation.adapters import Retriever
from gitcontext_pipeline.evaluation.rows import BadAnswer, Row, read_rows

SHOWN = 300
"""Characters of a foreign exception's message that are kept."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The rows of one query, best first, or why there are none; milliseconds it took; how many rows were cut off."""

    rows: tuple[Row, ...]
    failure: str | None
    milliseconds: float
    cut: int = 0


class Caller:
    """Asks one retriever, each query within `seconds` (None: no limit, and in the calling thread)."""

    def __init__(self, retriever: Retriever, top: int, seconds: float | None, root: str | None = None) -> None:
        self._retriever = retriever
        self._top = top
        self._seconds = seconds
        self._root = root
        self._worker: _Worker | None = None

    def ask(self, query: str, scope: str | None) -> Answer:
        """Never raises, but for KeyboardInterrupt: whoever sits at the keyboard may always stop the run."""
        began = time.perf_counter()
        outcome = self._outcome(query, scope)
        milliseconds = (time.perf_counter() - began) * 1000
        match outcome:
            case KeyboardInterrupt():
                raise outcome
            case BaseException():
                return Answer((), described(outcome), milliseconds)
            case rows, cut:
                return Answer(tuple(rows), None, milliseconds, cut)

    def close(self) -> None:
        """Let the worker end; an abandoned one ends with the process."""
        if self._worker is not None:
            self._worker.stop()
            self._worker = None

    def _outcome(self, query: str, scope: str | None) -> tuple[list[Row], int] | BaseException:
        def work() -> tuple[list[Row], int]:
            return read_rows(self._retriever(query, self._top, scope), self._top, self._root)

        if self._seconds is None:
            return _attempt(work)
        if self._worker is None:
            self._worker = _Worker()
        outcome = self._worker.run(work, self._seconds)
        if outcome is None:
            self._worker = None
            abandon = getattr(self._retriever, "abandon", None)
            if callable(abandon):
                abandon()
            return BadAnswer(f"did not answer within {self._seconds:g} s")
        return outcome


Outcome = tuple[list[Row], int] | BaseException
Task = tuple[Callable[[], tuple[list[Row], int]], "SimpleQueue[Outcome]"]


class _Worker:
    """A daemon thread that does one task after another."""

    def __init__(self) -> None:
        self._tasks: SimpleQueue[Task | None] = SimpleQueue()
        threading.Thread(target=self._serve, name="retriever", daemon=True).start()

    def run(self, work: Callable[[], tuple[list[Row], int]], seconds: float) -> Outcome | None:
        """What `work` gave or raised; None when the time is up, and then this worker must not be used again."""
        done: SimpleQueue[Outcome] = SimpleQueue()
        self._tasks.put((work, done))
        try:
            return done.get(timeout=seconds)
        except Empty:
            self.stop()
            return None

    def stop(self) -> None:
        self._tasks.put(None)

    def _serve(self) -> None:
        while (task := self._tasks.get()) is not None:
            work, done = task
            done.put(_attempt(work))


def _attempt(work: Callable[[], tuple[list[Row], int]]) -> Outcome:
    try:
        return work()
    except BaseException as error:
        return error


def described(error: BaseException) -> str:
    """One line on what a retriever did: without line breaks or memory addresses, of bounded length, the same each
    run."""
    if isinstance(error, BadAnswer):
        text = str(error)
    elif isinstance(error, SystemExit):
        text = f"called sys.exit({error.code!r})"
    else:
        text = f"raised {type(error).__name__}: {_message(error)}"
    text = re.sub(r" at 0x[0-9a-f]+", "", text.encode("utf-8", "replace").decode())
    return " ".join(text.split())[:SHOWN]


def _message(error: BaseException) -> Any:
    try:
        return str(error)
    except Exception:
        return "(its message cannot be read)"
