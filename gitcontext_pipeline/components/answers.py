"""The opt-in part of a corpus's graph: answers by a local model, evaluated and gated."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import dagster as dg

from gitcontext_pipeline.components import metadata
from gitcontext_pipeline.components.assets import OWNERS
from gitcontext_pipeline.components.descriptions import description
from gitcontext_pipeline.components.listening import workspace_for
from gitcontext_pipeline.corpus.spec import CorpusSpec
from gitcontext_pipeline.errors import GitContextError
from gitcontext_pipeline.evaluation.answers_report import AnswersReport
from gitcontext_pipeline.steps import answers
from gitcontext_pipeline.steps.snapshots import candidate
from gitcontext_pipeline.steps.workspace import Workspace

NAME = "answer_report"
WORST = 10
"""Withheld answers that the metadata names."""


def answer_assets(spec: CorpusSpec, project: Path) -> list[dg.AssetsDefinition | dg.AssetChecksDefinition]:
    """`answer_report` and its gate. It hangs beside the published index: prose is not what a release waits for."""

    @dg.asset(
        key=[spec.name, NAME],
        deps=[dg.AssetKey([spec.name, upstream]) for upstream in ("vector_index", "bm25_index", "golden_set")],
        group_name=spec.name,
        kinds={"llama", "report"},
        owners=list(OWNERS),
        description=description(NAME),
    )
    def answer_report(context: dg.AssetExecutionContext) -> dg.MaterializeResult[Any]:
        workspace = workspace_for(spec, project, context.log.info)
        try:
            result = answers.measure_answers(workspace)
        except GitContextError as error:
            told = {"exit_code": error.exit_code}
            raise dg.Failure(description=str(error), metadata=told, allow_retries=False) from error
        return dg.MaterializeResult(
            metadata={**describe(workspace), "skipped": result.skipped},
            data_version=dg.DataVersion(result.fingerprint),
        )

    @dg.asset_check(
        asset=dg.AssetKey([spec.name, NAME]),
        name="answer_gate",
        description="The share of answers that pass the contract did not fall by more than the tolerance against the "
        "frozen baseline. A failure fails the run; the published index is not touched by it.",
        blocking=True,
    )
    def answer_gate(context: dg.AssetCheckExecutionContext) -> dg.AssetCheckResult:
        return gate(workspace_for(spec, project, context.log.info))

    return [answer_report, answer_gate]


def describe(workspace: Workspace) -> Mapping[str, Any]:
    """Counts, costs, what each rule caught, and where the report and the reviewer's page are."""
    report = answers.report_of(workspace)
    if report is None:
        return {}
    counts, timing = report.counts, report.timing
    return {
        "model": str(report.settings.get("model")),
        "cases": counts.cases,
        "pass_rate": round(counts.pass_rate, 4),
        "passed": counts.passed,
        "repaired": counts.repaired,
        "withheld": counts.withheld,
        "unanswerable_withheld": f"{counts.unanswerable_withheld} of {counts.unanswerable}",
        "shape_failures": counts.shape_failures,
        "gold_in_prompt": f"{counts.gold_in_prompt} of {counts.gold_in_evidence}",
        "gold_cited": f"{counts.gold_cited} of {counts.passed + counts.repaired}",
        "longest_prompt_tokens": counts.longest_prompt,
        "p50_seconds": timing.p50_seconds,
        "p95_seconds": timing.p95_seconds,
        "written_tokens_per_second": timing.written_tokens_per_second,
        "read_tokens_per_second": timing.read_tokens_per_second,
        "caught_by": dg.MetadataValue.md(_table(("rule", "sentences"), list(counts.dropped_by.items()))),
        "withheld_answers": dg.MetadataValue.md(_table(("case", "question", "why"), _withheld(report))),
        "report": metadata.shown_path(workspace, candidate(workspace) / answers.REPORT),
        "page": metadata.shown_path(workspace, candidate(workspace) / answers.PAGE),
    }


def gate(workspace: Workspace) -> dg.AssetCheckResult:
    """No baseline is a pass that warns; a report that cannot be compared is a failure."""
    verdict = answers.verdict_of(workspace)
    told = {
        "outcome": verdict.outcome,
        "tolerance_pp": verdict.tolerance_pp,
        "reasons": dg.MetadataValue.md(metadata.reasons([*verdict.reasons, *verdict.warnings])),
    }
    unmeasured = verdict.exit_code == 0 and verdict.baseline is None
    severity = dg.AssetCheckSeverity.WARN if unmeasured else dg.AssetCheckSeverity.ERROR
    return dg.AssetCheckResult(passed=verdict.exit_code == 0, severity=severity, metadata=told)


def _withheld(report: AnswersReport) -> list[tuple[str, str, str]]:
    cases = [case for case in report.cases if case.answerable and case.status == "withheld"]
    return [(case.id, case.query, "; ".join(case.reasons)) for case in cases[:WORST]]


def _table(header: tuple[str, ...], rows: list[Any]) -> str:
    return metadata.markdown_table(header, rows)
