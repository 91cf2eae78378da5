"""Quality of every variant of the ranking, and of other engines, on one indexed corpus in one run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from gitcontext_pipeline.corpus.redaction import redact
from gitcontext_pipeline.errors import GitContextError, NotIndexed
from gitcontext_pipeline.evaluation.calling import Caller
from gitcontext_pipeline.evaluation.cases import CaseSet, read_cases
from gitcontext_pipeline.evaluation.corpus_view import CorpusView
from gitcontext_pipeline.evaluation.quality_tables import MAIN, CorpusQuality
from gitcontext_pipeline.evaluation.report import Report
from gitcontext_pipeline.evaluation.retrievers import load_retriever
from gitcontext_pipeline.evaluation.run import evaluate
from gitcontext_pipeline.evaluation.tuning import Asked, learn
from gitcontext_pipeline.retrieval.features import FEATURES
from gitcontext_pipeline.retrieval.retriever import Retriever
from gitcontext_pipeline.retrieval.weights import ABLATIONS, DEFAULT, Weights
from gitcontext_pipeline.steps.quality import TOP, absent_of, corpus_view, evaluate_snapshot
from gitcontext_pipeline.steps.snapshots import candidate
from gitcontext_pipeline.steps.tuning import EXPECTED, subject_of
from gitcontext_pipeline.steps.workspace import Workspace

Advance = Callable[[int, int], None]

PATIENCE = 120.0
"""Seconds that another engine has for one question, once it has answered its first."""


def newest(workspace: Workspace) -> Path:
    """The newest snapshot with both indexes: the candidate, else the published one.

    Raises:
        NotIndexed: there is neither.
    """
    try:
        made = candidate(workspace)
        if (made / "bm25").is_dir() and (made / "lancedb").is_dir():
            return made
    except NotIndexed:
        pass
    if workspace.corpus.current is None:
        raise NotIndexed(f"the corpus {workspace.spec.name!r} is not indexed", fix="gitcontext index URL_OR_PATH")
    return workspace.corpus.current


def learned_elsewhere(
    workspaces: Sequence[Workspace], advance: Advance = lambda done, total: None
) -> dict[str, Weights]:
    """For each corpus, the default weights but for those of the features, which are learned from the other corpora.

    Corpora with the same golden set are never each other's teachers. Without others there is nothing to learn from.
    """
    asked: dict[str, Sequence[Asked]] = {}
    dataset: dict[str, str] = {}
    for workspace in workspaces:
        subject = subject_of(workspace, advance, newest(workspace))
        asked[workspace.spec.name], dataset[workspace.spec.name] = subject.asked, subject.cases.sha256
    found: dict[str, Weights] = {}
    for name in asked:
        teachers = {dataset[other]: each for other, each in asked.items() if dataset[other] != dataset[name]}
        if teachers:
            questions = [question for each in teachers.values() for question in each]
            found[name] = DEFAULT.but(features=learn(questions, list(FEATURES), EXPECTED))
    return found


def measure_corpus(
    workspace: Workspace,
    others: Mapping[str, str] | None = None,
    variants: Mapping[str, Weights] = ABLATIONS,
    advance: Advance = lambda done, total: None,
) -> CorpusQuality:
    """Ask the golden set's questions of every variant, `hybrid` first, and of the retrievers that `others` names.

    No scope is given, and nothing is indexed anew: variants are the same snapshot under other weights.

    Raises:
        UsageError: the corpus has no golden set.
        GitContextError: the snapshot cannot be read, or another engine does not answer at all.
    """
    if workspace.golden_set is None:
        raise GitContextError(f"the corpus {workspace.spec.name!r} has no golden set", fix="gitcontext eval init")
    snapshot = newest(workspace)
    cases = read_cases(workspace.golden_set)
    view = corpus_view(snapshot)
    ours = Retriever.open(snapshot, workspace.state.models)
    ordered = sorted(variants, key=lambda name: name != MAIN)
    total = len(cases.cases) * (len(ordered) + len(others or {}))
    finished = 0

    def counted(done: int, of: int) -> None:
        advance(finished + done, total)

    reports: dict[str, Report] = {}
    for name in ordered:
        reports[name] = evaluate_snapshot(
            workspace,
            snapshot,
            ours.with_weights(variants[name]),
            cases,
            corpus=view,
            allow_impossible=True,
            seconds_per_query=None,
            progress=counted,
        )
        finished += len(cases.cases)
    foreign: dict[str, Report] = {}
    for name, text in (others or {}).items():
        foreign[name] = _foreign(text, cases, view, absent_of(workspace, cases, snapshot), counted)
        finished += len(cases.cases)
    return CorpusQuality(
        corpus=workspace.spec.name,
        facts=_facts(reports[MAIN]),
        variants={name: reports[name] for name in variants},
        others=foreign,
    )


def _foreign(text: str, cases: CaseSet, view: CorpusView, absent: Mapping[str, str], advance: Advance) -> Report:
    """The report of the retriever that `text` names, judged by where our chunks say that symbols are."""
    retriever = load_retriever(text)
    first = Caller(retriever, 1, None).ask("warm up", None)  # starts it; it may have to index first
    if first.failure is not None:
        raise GitContextError(f"{redact(text)} does not answer: {first.failure}", fix="try it: gitcontext eval run")
    report = evaluate(
        retriever,
        cases,
        top=TOP,
        corpus=view,
        absent=absent,
        fingerprints={"retriever": redact(text)},
        seconds_per_query=PATIENCE,
        allow_impossible=True,
        progress=advance,
    )
    close = getattr(retriever, "close", None)
    if callable(close):
        close()
    return report


def _facts(report: Report) -> dict[str, str]:
    prints: Mapping[str, Any] = report.fingerprints
    return {
        "revision": str(prints.get("corpus_revision")),
        "snapshot": str(prints.get("snapshot")),
        "ranking": str(prints.get("retriever", "")).rpartition(" ")[2],
        "weights": str(prints.get("weights")),
        "model": str(prints.get("embedding_model")),
    }
