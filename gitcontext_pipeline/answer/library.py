"""The published corpora of one state directory, opened once and kept open: what long-lived surfaces answer from."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from gitcontext_pipeline.answer.opened import Corpus
from gitcontext_pipeline.errors import GitContextError
from gitcontext_pipeline.index.snapshot import published
from gitcontext_pipeline.state import CorpusState, State

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Listed:
    """One line of the list of corpora. Without a published snapshot all but the name is None."""

    name: str
    revision: str | None
    snapshot: str | None
    github: str | None
    chunks: int | None

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


class Library:
    """Every corpus of a state directory. Opening one again is free until another snapshot of it is published."""

    def __init__(self, state: State) -> None:
        self.state = state
        self._open: dict[str, Corpus] = {}
        self._locks: dict[str, threading.Lock] = {}
        self._guard = threading.Lock()

    def corpora(self) -> Sequence[Listed]:
        """What there is, by name."""
        return [_listed(corpus) for corpus in self.state.corpora()]

    def open(self, name: str | None = None) -> Corpus:
        """The published snapshot of `name`, or of the corpus published last.

        One that was open before goes on answering when a newer one turns out to be damaged.

        Raises:
            UsageError: there is no such corpus.
            NotIndexed: nothing of it is published.
            GitContextError: a file of the snapshot is missing or damaged.
        """
        chosen = self.state.choose(name)
        with self._guard:
            lock = self._locks.setdefault(chosen.name, threading.Lock())
        with lock:
            opened, snapshot = self._open.get(chosen.name), chosen.current
            if opened is not None and (snapshot is None or opened.snapshot == snapshot.name):
                return opened
            try:
                self._open[chosen.name] = Corpus(self.state, chosen)
            except GitContextError:
                if opened is None:
                    raise
                log.exception(
                    "%s: what was published last cannot be opened, %s still answers", chosen.name, opened.snapshot
                )
            return self._open[chosen.name]


def _listed(corpus: CorpusState) -> Listed:
    current = next((entry for entry in published(corpus) if entry.current), None)
    if current is None:
        return Listed(corpus.name, None, None, None, None)
    manifest = current.manifest
    rows = manifest.get("steps", {}).get("chunks", {}).get("facts", {}).get("rows")
    return Listed(corpus.name, manifest.get("revision"), current.id, manifest.get("github"), rows)
