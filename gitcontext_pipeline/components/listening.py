"""Who hears of a step's progress: Dagster's log, or whoever runs the graph in this process and wants to show it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from gitcontext_pipeline.corpus.spec import CorpusSpec
from gitcontext_pipeline.state import State
from gitcontext_pipeline.steps.workspace import Listener, Workspace

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Steps that run in this context tell `listener`, and not Dagster's log, how far they are."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def workspace_for(spec: CorpusSpec, project: Path, log: Callable[[str], None]) -> Workspace:
    listener = _listener.get()
    if listener is None:
        return Workspace(spec, State.locate(), project, log)
    return Workspace(spec, State.locate(), project, listener.progress, listener.advance)
