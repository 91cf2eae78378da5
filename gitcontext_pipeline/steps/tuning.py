"""Learning the ranking's weights from the golden sets of several indexed corpora."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gitcontext_pipeline.chunks import table
from gitcontext_pipeline.evaluation.cases import CaseSet, read_cases
from gitcontext_pipeline.evaluation.corpus_view import CorpusView
from gitcontext_pipeline.evaluation.matching import answers
from gitcontext_pipeline.evaluation.report import Report
from gitcontext_pipeline.evaluation.run import evaluate
from gitcontext_pipeline.evaluation.tuning import Asked, learn, leave_one_out
from gitcontext_pipeline.retrieval.features import FEATURES
from gitcontext_pipeline.retrieval.retriever import Retriever
from gitcontext_pipeline.retrieval.weights import Weights
from gitcontext_pipeline.steps.snapshots import candidate
from gitcontext_pipeline.steps.workspace import Workspace

EXPECTED: Mapping[str, float] = {"test": -3.0, "example": -1.5, "secondary": -2.0}
"""Few questions here have vendored or translated copies to be led astray by; other repositories are full of them."""


@dataclass(frozen=True)
class Subject:
    """A corpus to learn from: its retriever, its questions, and every question's candidates with their features."""

    retriever: Retriever
    cases: CaseSet
    view: CorpusView
    asked: Sequence[Asked]


@dataclass(frozen=True)
class Tuned:
    """The weights learned from all corpora, and how each corpus fares under them, under those learned from the others
    alone, and under the weights in force."""

    weights: Mapping[str, float]
    reports: Mapping[str, Mapping[str, Report]]


def subject_of(
    workspace: Workspace,
    progress: Callable[[int, int], None] = lambda done, total: None,
    snapshot: Path | None = None,
) -> Subject:
    """Ask every question of the corpus's golden set for its candidates, in `snapshot` or else in the newest one."""
    snapshot = snapshot or candidate(workspace)
    retriever = Retriever.open(snapshot, workspace.state.models)
    cases = read_cases(workspace.golden_set or "")
    view = CorpusView.from_rows(table.read(snapshot / "chunks.parquet").to_pylist())
    asked = []
    for done, case in enumerate(cases.cases, 1):
        rows, columns = retriever.features(case.query)
        gold = [
            any(answers(view.passages[row].row, entry, view.definitions) is not None for entry in case.gold)
            for row in rows
        ]
        matrix = np.stack([columns[name] for name in FEATURES], axis=1)
        asked.append(Asked(matrix, np.asarray(gold, dtype=bool)))
        progress(done, len(cases.cases))
    return Subject(retriever, cases, view, asked)


def tune(subjects: Mapping[str, Subject]) -> Tuned:
    """Learn from all, and from all but one in turn; evaluate each corpus under every set of weights."""
    names = list(FEATURES)
    questions = {name: subject.asked for name, subject in subjects.items()}
    everything = learn([asked for each in questions.values() for asked in each], names, EXPECTED)
    unseen = leave_one_out(questions, names, EXPECTED) if len(subjects) > 1 else {}
    reports: dict[str, dict[str, Report]] = {}
    for name, subject in subjects.items():
        variants = {"in force": subject.retriever.weights, "learned from all": Weights(everything)}
        if name in unseen:
            variants["learned from the others"] = Weights(unseen[name])
        reports[name] = {
            variant: evaluate(
                subject.retriever.with_weights(weights), subject.cases, corpus=subject.view, allow_impossible=True
            )
            for variant, weights in variants.items()
        }
    return Tuned(everything, reports)
