"""What is measured, with what, and what it is held against: one retriever of anybody's, or a corpus and our own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from gitcontext_pipeline.corpus.redaction import redact
from gitcontext_pipeline.errors import UsageError
from gitcontext_pipeline.evaluation.adapters import Retriever as AnyRetriever
from gitcontext_pipeline.evaluation.cases import CaseSet, read_cases
from gitcontext_pipeline.evaluation.corpus_view import CorpusView
from gitcontext_pipeline.evaluation.folder import folder_view
from gitcontext_pipeline.evaluation.policy import GatePolicy
from gitcontext_pipeline.evaluation.report import Report, read_report, write_report
from gitcontext_pipeline.evaluation.retrievers import load_retriever
from gitcontext_pipeline.evaluation.run import evaluate
from gitcontext_pipeline.evaluation.settings import RunChoices
from gitcontext_pipeline.retrieval.retriever import Retriever
from gitcontext_pipeline.steps import quality
from gitcontext_pipeline.steps.workspace import Workspace

REPORT = "report.json"
"""Beside the golden set, where nothing else is named."""

Advance = Callable[[int, int], None]


@dataclass(frozen=True)
class Target:
    """`workspace` and `snapshot` are those of a corpus of ours, None where `choices.retriever` brings its own.

    `as_graph` says that this is the very measurement that the corpus's asset graph makes, and is recorded as such.
    """

    choices: RunChoices
    golden: Path
    policy: GatePolicy
    report: Path
    workspace: Workspace | None = None
    snapshot: Path | None = None
    as_graph: bool = False

    @property
    def name(self) -> str:
        """What is measured, without a password that an address may hold."""
        if self.workspace is not None:
            return f"corpus {self.workspace.spec.name}"
        return redact(self.choices.retriever or "")

    @property
    def baselines(self) -> Path:
        return self.golden.parent / "baselines"

    @property
    def expected(self) -> dict[str, JsonValue]:
        """Fingerprints that a report of what there is now has."""
        found: dict[str, JsonValue] = {"dataset": read_cases(self.golden).sha256}
        if self.snapshot is not None:
            found["snapshot"] = self.snapshot.name
        return found


def measure(target: Target, *, advance: Advance = lambda done, total: None) -> Report:
    """Ask every question of the golden set and write the report to `target.report`.

    What the graph measures is measured by its own step, but never skipped: whoever asks may have changed the ranking.
    """
    if target.workspace is not None and target.as_graph:
        quality.measure_retrieval(target.workspace, anew=True)
        return read_report(target.report)
    cases = read_cases(target.golden)
    if target.workspace is not None and target.snapshot is not None:
        retriever = Retriever.open(target.snapshot, target.workspace.state.models)
        report = quality.evaluate_snapshot(
            target.workspace, target.snapshot, retriever, cases, **options(target.choices), progress=advance
        )
    else:
        report = measure_foreign(target.choices, cases, foreign_view(target.choices), advance)
    write_report(target.report, report)
    return report


def measure_foreign(choices: RunChoices, cases: CaseSet, view: CorpusView | None, advance: Advance) -> Report:
    """The report of the retriever that `choices.retriever` names."""
    if choices.retriever is None:
        raise UsageError("no retriever is named", fix="--retriever module:callable, or gitcontext eval init")
    retriever: AnyRetriever = load_retriever(choices.retriever)
    fingerprints: dict[str, JsonValue] = {"retriever": redact(choices.retriever)}
    if choices.revision is not None:
        fingerprints["corpus_revision"] = choices.revision
    return evaluate(
        retriever,
        cases,
        corpus=view,
        fingerprints=fingerprints,
        root=choices.root,
        progress=advance,
        **options(choices),
    )


def foreign_view(choices: RunChoices) -> CorpusView | None:
    """The files that a foreign retriever searches, where they are named."""
    return None if choices.files is None else folder_view(Path(choices.files))


def options(choices: RunChoices) -> Mapping[str, Any]:
    """The keyword arguments of `evaluation.run.evaluate` that `choices` stand for."""
    return {
        "top": choices.top,
        "use_scope": choices.use_scope,
        "granularity": choices.granularity,
        "seconds_per_query": choices.seconds_per_query,
        "max_failed": Fraction(str(choices.max_failed)),
        "allow_impossible": choices.allow_impossible,
    }
