"""Progress of long work: a bar on a terminal, now and then a line elsewhere, always on standard error."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console

if TYPE_CHECKING:
    from gitcontext_pipeline.steps.workspace import Listener

SECONDS_BETWEEN_LINES = 10


@contextmanager
def showing_progress() -> Iterator[Listener]:
    """A listener that shows each step's message, and for counted work how far it is, the rate and the time left."""
    console = Console(stderr=True, soft_wrap=True)
    if console.is_terminal:
        with _bars(console) as listener:
            yield listener
    else:
        yield _lines(console)


def _lines(console: Console) -> Listener:
    """For a log: a line for each message, and one every few seconds for counted work."""
    from gitcontext_pipeline.steps.workspace import Listener

    started = told = time.monotonic()

    def say(line: str) -> None:
        console.print(f"  {line}", markup=False, highlight=False)

    def progress(line: str) -> None:
        nonlocal started, told
        started = told = time.monotonic()
        say(line)

    def advance(done: int, total: int) -> None:
        nonlocal told
        now = time.monotonic()
        if now - told >= SECONDS_BETWEEN_LINES and done:
            told = now
            rate = done / (now - started)
            say(f"  {done} of {total}, {told_rate(rate)} a second, {(total - done) / rate:.0f} s to go")

    return Listener(progress, advance)


def told_rate(rate: float) -> str:
    """A rate with as many digits as say something."""
    return f"{rate:,.0f}" if rate >= 10 else f"{rate:.1f}"


@contextmanager
def _bars(console: Console) -> Iterator[Listener]:
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        Task,
        TaskID,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.table import Column
    from rich.text import Text

    from gitcontext_pipeline.steps.workspace import Listener

    class Rate(ProgressColumn):
        """How much is done a second; over the whole of it once it is finished."""

        def render(self, task: Task) -> Text:
            speed = task.finished_speed or task.speed
            return Text(f"{told_rate(speed)}/s" if speed else "", justify="right")

    described = TextColumn("  {task.description}", table_column=Column(ratio=1, no_wrap=True, overflow="ellipsis"))
    bar = BarColumn(bar_width=12)
    counted = (MofNCompleteColumn(), Rate(), TimeElapsedColumn(), TimeRemainingColumn(compact=True))
    with Progress(described, bar, *counted, console=console, expand=True) as shown:
        current: TaskID | None = None

        def finish() -> None:
            if current is not None and shown.tasks[current].total is None:
                shown.update(current, total=1, completed=1)

        def progress(line: str) -> None:
            nonlocal current
            finish()
            current = shown.add_task(line.replace("[", "\\["), total=None)

        def advance(done: int, total: int) -> None:
            if current is not None:
                shown.update(current, completed=done, total=total)

        yield Listener(progress, advance)
        finish()


@contextmanager
def counting(what: str) -> Iterator[Callable[[int, int], None]]:
    """A callback (done, total) that shows how far one piece of counted work is."""
    with showing_progress() as listener:
        listener.progress(what)
        yield listener.advance


@contextmanager
def reader_may_leave() -> Iterator[None]:
    """Print inside, and let the exit code be what it is when the reader (head, less) closes the pipe meanwhile."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        # Python would complain again when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
