"""What every step needs: the corpus as specified, where its state is, and where its golden set is."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from gitcontext_pipeline.corpus.spec import CorpusSpec
from gitcontext_pipeline.state import CorpusState, State
from gitcontext_pipeline.steps.ledger import Ledger
from gitcontext_pipeline.storage import write_json

REMEMBERED = "remembered.json"

Advance = Callable[[int, int], None]
"""Called with (done, total) while a long step runs."""


@dataclass(frozen=True)
class Listener:
    """Who is told what a step begins, and how far it is."""

    progress: Callable[[str], None]
    advance: Advance


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


def remember(workspace: Workspace) -> None:
    """Note the specification beside the corpus's state, so that the corpus is known without any YAML."""
    spec = workspace.spec.model_dump(mode="json", exclude_defaults=True)
    write_json(workspace.corpus.directory / REMEMBERED, {"spec": spec, "project": str(workspace.project)})


def remembered(state: State) -> list[Workspace]:
    """Every corpus that was indexed by its address, by name; one whose note is damaged is left out."""
    found = []
    for corpus in state.corpora():
        note = corpus.manifest("remembered")
        if note is None:
            continue
        with suppress(KeyError, TypeError, ValidationError):
            found.append(Workspace(CorpusSpec.model_validate(note["spec"]), state, Path(note["project"])))
    return found
