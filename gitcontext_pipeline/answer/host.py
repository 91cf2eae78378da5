"""One loaded model for a whole process: loaded when first needed, one generation at a time, released when idle."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from gitcontext_pipeline.answer.model import LanguageModel
from gitcontext_pipeline.errors import GitContextError

QUEUE = 4
IDLE_SECONDS = 600.0


class Busy(GitContextError):
    """Too many are waiting for the model already."""


class ModelHost:
    """Keeps what `load` returns. `queue` callers may wait for their turn; `idle` is in seconds, None for never."""

    def __init__(
        self, load: Callable[[], LanguageModel], *, queue: int = QUEUE, idle: float | None = IDLE_SECONDS
    ) -> None:
        self._load = load
        self._queue = queue
        self._idle = idle
        self._turn = threading.Lock()
        self._counting = threading.Lock()
        self._present = 0
        self._model: LanguageModel | None = None
        self._timer: threading.Timer | None = None

    @property
    def loaded(self) -> bool:
        return self._model is not None

    @contextmanager
    def model(self) -> Iterator[LanguageModel]:
        """The model, for this caller alone.

        Raises:
            Busy: `queue` others are waiting already.
            GitContextError: it cannot be loaded.
        """
        with self._counting:
            if self._present > self._queue:
                raise Busy(f"{self._queue} questions are waiting for the model already", fix="ask again in a minute")
            self._present += 1
        try:
            with self._turn:
                self._stop_timer()
                if self._model is None:
                    self._model = self._load()
                try:
                    yield self._model
                finally:
                    self._start_timer()
        finally:
            with self._counting:
                self._present -= 1

    def release(self) -> None:
        """Give the model's memory back, as soon as nobody uses it; the next caller loads it again."""
        with self._turn:
            self._stop_timer()
            model, self._model = self._model, None
            if model is not None:
                model.close()

    def _start_timer(self) -> None:
        if self._idle is None:
            return
        self._timer = threading.Timer(self._idle, self._idled)
        self._timer.daemon = True
        self._timer.start()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _idled(self) -> None:
        # A caller who came in the meantime has the turn, and starts the clock anew when done.
        if self._turn.acquire(blocking=False):
            try:
                model, self._model, self._timer = self._model, None, None
                if model is not None:
                    model.close()
            finally:
                self._turn.release()
