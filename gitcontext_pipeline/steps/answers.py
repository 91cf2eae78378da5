"""Answers generated over a snapshot and judged: evaluated once for the same snapshot, questions and model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gitcontext_pipeline.answer.contract import CONTRACT_VERSION, rule_names
from gitcontext_pipeline.answer.explainer import Settings
from gitcontext_pipeline.answer.grammar import GRAMMAR_VERSION
from gitcontext_pipeline.answer.local_model import configured_settings, why_off
from gitcontext_pipeline.answer.model import LanguageModel
from gitcontext_pipeline.answer.model_files import ModelFile, chosen, verified
from gitcontext_pipeline.answer.prompt import PROMPT_VERSION
from gitcontext_pipeline.errors import GitContextError, UsageError
from gitcontext_pipeline.evaluation.answers import TOP, evaluate_answers
from gitcontext_pipeline.evaluation.answers_gate import find_answers_baseline, judge_answers
from gitcontext_pipeline.evaluation.answers_page import write_page
from gitcontext_pipeline.evaluation.answers_report import ANSWERS_VERSION, AnswersReport, read_answers, write_answers
from gitcontext_pipeline.evaluation.cases import CaseSet, Unanswerable, read_cases
from gitcontext_pipeline.evaluation.corpus_view import CorpusView
from gitcontext_pipeline.evaluation.verdict import Verdict
from gitcontext_pipeline.retrieval.retriever import Retriever
from gitcontext_pipeline.steps import quality
from gitcontext_pipeline.steps.ledger import StepResult
from gitcontext_pipeline.steps.snapshots import candidate, ledger_of
from gitcontext_pipeline.steps.workspace import Workspace
from gitcontext_pipeline.storage import fingerprint, locked

REPORT = "reports/answers.json"
PAGE = "reports/answers.html"
UNANSWERABLE = "unanswerable.jsonl"
"""Beside a golden set: questions that its corpus has no answer to."""


Load = Callable[[ModelFile], LanguageModel]


def load_llama(file: ModelFile) -> LanguageModel:
    """Load a model into this process."""
    from gitcontext_pipeline.answer.llama import LlamaModel

    return LlamaModel(file)


def measure_answers(workspace: Workspace, load: Load = load_llama) -> StepResult:
    """What the contract lets through of a local model's answers to the golden set, and why it withholds the rest."""
    snapshot = candidate(workspace)
    report = snapshot / REPORT
    file = model_file(workspace)
    rules = rule_names(configured_settings().rules)
    input_ = fingerprint(snapshot.name, file.sha256, read_golden_set(workspace).sha256, versions(), rules)

    def make() -> Mapping[str, Any]:
        answered = answer_golden_set(workspace, file, load=load)
        write_answers(report, answered)
        write_page(snapshot / PAGE, answered)
        return {"counts": answered.counts.model_dump(), "report": answered.id}

    with locked(workspace.corpus.directory):
        return ledger_of(snapshot).run("answer_report", input_, make, intact=report.is_file)


def model_file(workspace: Workspace, name: str | None = None) -> ModelFile:
    """The verified file of the chosen model.

    Raises:
        GitContextError: the extra or the model is missing; what to install is said.
    """
    missing = why_off(workspace.state, name)
    if missing is not None:
        raise GitContextError("answers cannot be evaluated without a model", fix=missing)
    models = workspace.state.models
    return verified(name or chosen(models), models, workspace.progress)


def answer_golden_set(
    workspace: Workspace,
    file: ModelFile,
    *,
    limit: int | None = None,
    top: int = TOP,
    settings: Settings | None = None,
    load: Load = load_llama,
) -> AnswersReport:
    """Answer the first `limit` questions of the golden set (None: all) with the model in `file`."""
    snapshot = candidate(workspace)
    cases = read_golden_set(workspace)
    retriever = Retriever.open(snapshot, workspace.state.models)
    workspace.progress(f"loading {file.name}")
    model = load(file)
    workspace.progress(f"answering with {file.name}")
    try:
        return evaluate_answers(
            retriever,
            model,
            cases,
            unanswerable=unanswerable(workspace),
            absent=quality.absent_of(workspace, cases),
            top=top,
            limit=limit,
            settings=settings or configured_settings(),
            definitions=CorpusView.from_rows(quality.corpus_rows(snapshot)).definitions,
            fingerprints=quality.fingerprints_of(snapshot, retriever),
            progress=workspace.advance,
        )
    finally:
        model.close()


def read_golden_set(workspace: Workspace) -> CaseSet:
    """Raises UsageError where the corpus has none."""
    if workspace.golden_set is None:
        raise UsageError(
            f"the corpus {workspace.spec.name!r} has no golden set",
            fix="name one as golden_set in its YAML, or with `gitcontext index --golden-set`",
        )
    return read_cases(workspace.golden_set)


def unanswerable(workspace: Workspace) -> tuple[Unanswerable, ...]:
    """The questions beside the golden set that the corpus has no answer to."""
    beside = workspace.golden_set.with_name(UNANSWERABLE) if workspace.golden_set else None
    return read_cases(beside).unanswerable if beside is not None and beside.is_file() else ()


def report_of(workspace: Workspace) -> AnswersReport | None:
    path = candidate(workspace) / REPORT
    return read_answers(path) if path.is_file() else None


def verdict_of(workspace: Workspace) -> Verdict:
    """The gate's verdict on the report of this snapshot.

    Raises GitContextError where no answers were evaluated.
    """
    report = report_of(workspace)
    if report is None:
        raise GitContextError(
            f"no answers of the corpus {workspace.spec.name!r} were evaluated",
            fix=f"gitcontext eval answers {workspace.spec.name}",
        )
    revision = str(report.fingerprints.get("corpus_revision"))
    return judge_answers(report, find_answers_baseline(workspace.baselines, revision), workspace.spec.tolerance)


def versions() -> dict[str, int]:
    """What changes an answer besides the model, the evidence and the question."""
    return {
        "answers": ANSWERS_VERSION,
        "prompt": PROMPT_VERSION,
        "grammar": GRAMMAR_VERSION,
        "contract": CONTRACT_VERSION,
    }
