"""What every step needs: the corpus as specified, where its state is, and where its golden set is."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from gitcontext_pipeline.corpus.spec import CorpusSpec
from gitcontext_pipeline.state import CorpusState, State
from gitcontext_pipeline.steps.ledger import Ledger

Advance = Callable[[int, int], None]
"""Called with (done, total) while a long step runs."""


@dataclass(frozen=True)
class Workspace:
    """One corpus at work. `project` is the directory that relative paths of the specification start from."""

    spec: CorpusSpec
    state: State
    project: Path = field(default_factory=Path.cwd)
    progress: Callable[[str], None] = logging.getLogger(__name__).info
    advance: Advance = lambda done, total: None

    @property
    def corpus(self) -> CorpusState:
        return self.state.corpus(self.spec.name)

    @property
    def ledger(self) -> Ledger:
        """Of the steps before there is a snapshot."""
        return Ledger(self.corpus.directory / "material.json")

    @property
    def golden_set(self) -> Path | None:
        return self.project / self.spec.golden_set if self.spec.golden_set else None

    @property
    def baselines(self) -> Path:
        """Where frozen baselines of this corpus are, one file a revision."""
        beside = self.golden_set.parent if self.golden_set else self.project / "evals" / self.spec.name
        return beside / "baselines"

    def baseline(self, revision: str) -> Path:
        return self.baselines / f"{revision}.json"
