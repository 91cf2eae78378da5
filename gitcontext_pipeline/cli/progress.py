"""Progress of long work: a bar on a terminal, plain lines elsewhere, always on standard error."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console

if TYPE_CHECKING:
    from gitcontext_pipeline.components.listening import Listener


@contextmanager
def showing_progress() -> Iterator[Listener]:
    """A listener that shows each step's message, and for counted work how far it is, the rate and the time left."""
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    from gitcontext_pipeline.components.listening import Listener

    console = Console(stderr=True)
    if not console.is_terminal:
        yield Listener(lambda line: console.print(f"  {line}", markup=False, highlight=False), lambda done, total: None)
        return
    columns = (
        TextColumn("  {task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=False) as shown:
        task = None

        def progress(line: str) -> None:
            nonlocal task
            if task is not None and shown.tasks[task].total is None:
                shown.update(task, total=1, completed=1)
            task = shown.add_task(line.replace("[", "\\["), total=None)

        def advance(done: int, total: int) -> None:
            if task is not None:
                shown.update(task, completed=done, total=total)

        yield Listener(progress, advance)
        if task is not None and shown.tasks[task].total is None:
            shown.update(task, total=1, completed=1)


@contextmanager
def counting(what: str) -> Iterator[Callable[[int, int], None]]:
    """A callback (done, total) that moves a bar on a terminal, and does nothing elsewhere."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda done, total: None
        return
    columns = (TextColumn("  {task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as shown:
        task = shown.add_task(what, total=None)
        yield lambda done, total: shown.update(task, completed=done, total=total)
