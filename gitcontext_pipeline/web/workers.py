"""Threads for what takes time, so that the event loop only ever waits; a full queue refuses instead of growing."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from gitcontext_pipeline.errors import GitContextError

T = TypeVar("T")


class Overloaded(GitContextError):
    """Too many requests are waiting already."""


class Workers:
    """`threads` calls at a time, and `waiting` more in the queue."""

    def __init__(self, threads: int, waiting: int, name: str) -> None:
        self._most = threads + waiting
        self._present = 0
        self._counting = threading.Lock()
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix=name)

    async def run(self, call: Callable[[], T]) -> T:
        """What `call` returns, or raises. A call whose waiter is cancelled is not begun any more.

        Raises:
            Overloaded: the queue is full.
        """
        with self._counting:
            if self._present >= self._most:
                raise Overloaded("too many requests are waiting already", fix="ask again in a few seconds")
            self._present += 1
        try:
            future = self._threads.submit(call)
        except BaseException:
            self._leave()
            raise
        future.add_done_callback(self._leave)
        return await asyncio.wrap_future(future)

    def close(self) -> None:
        """Begin nothing more; what runs is not waited for."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _leave(self, future: Future[Any] | None = None) -> None:
        with self._counting:
            self._present -= 1
