"""From the indexes to the published snapshot: evaluate, compare with the frozen baseline, publish."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gitcontext_pipeline.chunks import table
from gitcontext_pipeline.corpus.origins import read_checkout
from gitcontext_pipeline.errors import GitContextError
from gitcontext_pipeline.evaluation.audit import audit, split_absent
from gitcontext_pipeline.evaluation.baseline import Baseline, read_baseline
from gitcontext_pipeline.evaluation.cases import CaseSet, read_cases
from gitcontext_pipeline.evaluation.corpus_view import CorpusView
from gitcontext_pipeline.evaluation.gate import judge
from gitcontext_pipeline.evaluation.policy import GatePolicy
from gitcontext_pipeline.evaluation.report import (
    SCHEMA_VERSION,
    Audit,
    Report,
    SetAside,
    read_report,
    stable_content,
    write_report,
)
from gitcontext_pipeline.evaluation.run import evaluate
from gitcontext_pipeline.evaluation.verdict import Reason, Verdict
from gitcontext_pipeline.index import snapshot as snapshots
from gitcontext_pipeline.retrieval.retriever import Retriever
from gitcontext_pipeline.retrieval.weights import RANKING_VERSION
from gitcontext_pipeline.steps.ledger import StepResult
from gitcontext_pipeline.steps.snapshots import candidate, ledger_of, material
from gitcontext_pipeline.steps.workspace import Workspace
from gitcontext_pipeline.storage import code_digest, fingerprint, locked, write_json

TOP = 10
_RANKING_CODE = tuple(Path(__file__).parents[1] / package for package in ("retrieval", "index", "evaluation"))
"""A report is measured anew whenever one of these has changed: nobody has to remember to raise a version."""
REPORT = "reports/retrieval.json"
VERDICT = "reports/verdict.json"
QUALITY_LOG = "quality.jsonl"
"""One line an evaluation, newest last: what the plots of metrics over time are drawn from."""


def measure_retrieval(workspace: Workspace, *, anew: bool = False) -> StepResult:
    """Hit@k, Recall@5, MRR and nDCG@10 of this snapshot over the golden set, per case and per slice, with latency."""
    snapshot = candidate(workspace)
    if workspace.golden_set is None:
        facts = {"measured": 0, "why": f"the corpus {workspace.spec.name!r} has no golden set"}
        return StepResult(fingerprint(snapshot.name, None), facts, skipped=True)
    cases = read_cases(workspace.golden_set)
    retriever = Retriever.open(snapshot, workspace.state.models)
    prints = fingerprints_of(snapshot, retriever)
    path = snapshot / REPORT

    def make() -> Mapping[str, Any]:
        workspace.progress(f"asking {len(cases.cases)} questions")
        report = evaluate_snapshot(workspace, snapshot, retriever, cases)
        write_report(path, report)
        _log(workspace, snapshot, report)
        return {
            "measured": len(report.cases),
            "set_aside": len(report.set_aside),
            "errors": report.errors,
            "metrics": {key: measured.value for key, measured in report.metrics.items()},
        }

    with locked(workspace.corpus.directory):
        return ledger_of(snapshot).run(
            "retrieval_report",
            fingerprint(prints, cases.sha256, TOP, SCHEMA_VERSION, code_digest(*_RANKING_CODE)),
            make,
            intact=lambda: not anew,
            output=path,
        )


def evaluate_snapshot(
    workspace: Workspace, snapshot: Path, retriever: Retriever, cases: CaseSet, **options: Any
) -> Report:
    """The report of `retriever`, opened on `snapshot`, over `cases`; `options` as `evaluation.run.evaluate` takes."""
    retriever.search("warm up", top=1)  # loading the model is not a query's latency
    settings: dict[str, Any] = {"top": TOP, "progress": workspace.advance, **options}
    if "corpus" not in settings:
        settings["corpus"] = corpus_view(snapshot)
    return evaluate(
        retriever,
        cases,
        absent=absent_of(workspace, cases, snapshot),
        fingerprints=fingerprints_of(snapshot, retriever),
        **settings,
    )


def compare_with_baseline(workspace: Workspace) -> StepResult:
    """The verdict on this report against the baseline frozen for this revision: pass, improvement, regression, ..."""
    snapshot = candidate(workspace)
    report = report_of(workspace) if workspace.golden_set else None
    baseline = baseline_of(workspace)
    policy = GatePolicy(tolerance_pp=workspace.spec.tolerance)
    frozen = None if baseline is None else baseline.model_dump(mode="json")
    input_ = fingerprint(snapshot.name, stable_content(report) if report else None, frozen, str(policy))

    def make() -> Mapping[str, Any]:
        verdict = _verdict(workspace, snapshot, baseline, policy)
        write_json(snapshot / VERDICT, verdict.model_dump(mode="json"))
        return {"outcome": verdict.outcome, "revision": material(workspace, "repo_checkout").facts["revision"]}

    with locked(workspace.corpus.directory):
        return ledger_of(snapshot).run("baseline_comparison", input_, make, output=snapshot / VERDICT)


def publish(workspace: Workspace) -> StepResult:
    """This snapshot becomes the one that answers, in one rename; the two before it are kept to go back to."""
    snapshot = candidate(workspace)
    verdict = verdict_of(workspace)
    if verdict.exit_code:  # the blocking check stops a whole run; this also stops a run of this asset alone
        raise GitContextError(
            f"the snapshot {snapshot.name} is not published: its verdict is {verdict.outcome}",
            where=snapshot / VERDICT,
            fix="see `gitcontext eval gate`, mend the retrieval or the golden set, and materialize again",
        )
    with locked(workspace.corpus.directory):
        current = workspace.corpus.current
        before = snapshots.publish(workspace.corpus, snapshot.name)
        snapshots.prune(workspace.corpus)
    facts = {"snapshot": snapshot.name, "previous": before if before != snapshot.name else None}
    return StepResult(fingerprint(snapshot.name), facts, skipped=current == snapshot)


def baseline_of(workspace: Workspace) -> Baseline | None:
    """The baseline frozen for the indexed revision, if there is one."""
    path = workspace.baseline(str(material(workspace, "repo_checkout").facts["revision"]))
    return read_baseline(path) if path.is_file() else None


def report_of(workspace: Workspace) -> Report | None:
    path = candidate(workspace) / REPORT
    return read_report(path) if path.is_file() else None


def verdict_of(workspace: Workspace) -> Verdict:
    return Verdict.model_validate_json((candidate(workspace) / VERDICT).read_bytes(), extra="ignore")


def _verdict(workspace: Workspace, snapshot: Path, baseline: Baseline | None, policy: GatePolicy) -> Verdict:
    if workspace.golden_set is None:
        return Verdict(outcome="pass", tolerance_pp=float(policy.tolerance))
    report = read_report(snapshot / REPORT)
    expected = {"snapshot": snapshot.name, "dataset": read_cases(workspace.golden_set).sha256}
    return _naming_corpus(judge(report, baseline, policy, expected), workspace.spec.name)


def _naming_corpus(verdict: Verdict, corpus: str) -> Verdict:
    """The verdict with commands that mean this corpus wherever they are typed: by itself, a folder's settings win."""

    def named(reason: Reason) -> Reason:
        fix = re.sub(r"\b(gitcontext eval (?:freeze|run))\b", rf"\1 --corpus {corpus}", reason.fix or "")
        return reason.model_copy(update={"fix": fix or None})

    reasons, warnings = ([named(each) for each in told] for told in (verdict.reasons, verdict.warnings))
    return verdict.model_copy(update={"reasons": reasons, "warnings": warnings})


def fingerprints_of(snapshot: Path, retriever: Retriever) -> dict[str, Any]:
    vectors = ledger_of(snapshot).entry("vector_index")
    return {
        "corpus": retriever.manifest["corpus"],
        "corpus_revision": retriever.revision,
        "snapshot": snapshot.name,
        "retriever": f"gitcontext hybrid {RANKING_VERSION}",
        "weights": retriever.weights.digest,
        "embedding_model": vectors.facts["digest"] if vectors else None,
    }


def audit_golden_set(workspace: Workspace, snapshot: Path, cases: CaseSet) -> tuple[Audit, list[SetAside]]:
    """What every evaluation looks at first: the findings, and the cases that this corpus's origin cannot answer."""
    measured, aside = split_absent(cases.cases, absent_of(workspace, cases, snapshot))
    return audit(cases, measured, corpus_view(snapshot)), aside


def corpus_view(snapshot: Path) -> CorpusView:
    """The snapshot's chunks as the evaluation sees a corpus."""
    return CorpusView.from_rows(corpus_rows(snapshot))


def corpus_rows(snapshot: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = table.read(snapshot / "chunks.parquet").to_pylist()
    return rows


def absent_of(workspace: Workspace, cases: CaseSet, snapshot: Path | None = None) -> dict[str, str]:
    """What a substitute origin lacks, and why: a release archive holds no history and not every folder."""
    checkout = read_checkout(workspace.corpus.directory)
    if snapshot is not None and ledger_of(snapshot).read().get("revision") != checkout.revision:
        return {}  # an older snapshot: what its own origin had is no longer there to be looked at
    if checkout.repository is not None:
        return {"history": "the corpus is set up without history"} if workspace.spec.history == "none" else {}
    origin = material(workspace, "repo_checkout").facts["origin"]
    files = {file.path for file in checkout.files()}
    named = {entry.path for case in cases.cases for entry in case.gold if entry.path is not None}
    absent = {path: f"{path} is not in the {origin}" for path in sorted(named - files)}
    return {"history": f"the {origin} carries no history", **absent}


def _log(workspace: Workspace, snapshot: Path, report: Report) -> None:
    line = {
        "started": report.timing.started,
        "snapshot": snapshot.name,
        "fingerprints": report.fingerprints,
        "metrics": {key: measured.value for key, measured in report.metrics.items()},
    }
    with (workspace.corpus.directory / QUALITY_LOG).open("a", encoding="utf-8") as log:
        log.write(json.dumps(line, sort_keys=True) + "\n")


def gated_numbers(workspace: Workspace) -> list[tuple[str, str | None, str | None]]:
    """What the policy gates on this golden set: (metric, None, None) over all cases, or (metric, label, value)."""
    policy = GatePolicy(tolerance_pp=workspace.spec.tolerance)
    numbers: list[tuple[str, str | None, str | None]] = [(metric, None, None) for metric in policy.metrics]
    try:
        cases = read_cases(workspace.golden_set).cases if workspace.golden_set else ()
    except GitContextError:  # told where the set is measured; definitions load all the same
        cases = ()
    for (label, value), _ in policy.gated_slices(cases):
        numbers += [(metric, label, value) for metric in policy.slice_metrics]
    return numbers
