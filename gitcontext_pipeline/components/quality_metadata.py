"""What the Dagster UI shows of the measurement and of its comparison: tables, plots, the worst cases with links."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any

import dagster as dg

from gitcontext_pipeline.components.metadata import delta_table, markdown_table, plain, reasons, shown_path, tree_link
from gitcontext_pipeline.corpus.permalinks import commit_url, file_url, pull_request_url
from gitcontext_pipeline.evaluation import plots
from gitcontext_pipeline.evaluation.cases import read_cases
from gitcontext_pipeline.evaluation.corpus_view import CorpusView
from gitcontext_pipeline.evaluation.diff import worst
from gitcontext_pipeline.evaluation.gold import Gold
from gitcontext_pipeline.evaluation.policy import distinct_slices
from gitcontext_pipeline.evaluation.report import CaseResult, Report, ResultRow
from gitcontext_pipeline.steps import quality
from gitcontext_pipeline.steps.past_runs import past_runs
from gitcontext_pipeline.steps.snapshots import candidate, material
from gitcontext_pipeline.steps.workspace import Workspace

Metadata = Mapping[str, Any]

WORST = 15


def retrieval_report(workspace: Workspace, facts: Mapping[str, Any]) -> Metadata:
    report = quality.report_of(workspace)
    if report is None:
        return {"measured": 0, "why": facts.get("why", "")}
    latency = report.timing.latency
    log = workspace.corpus.directory / quality.QUALITY_LOG
    return {
        "metrics": dg.MetadataValue.md(metric_table(report)),
        "ranks": _image("ranks of the first answers", plots.rank_distribution(report.cases, report.settings.top)),
        "past_runs": _image("metrics of the past runs", plots.trend(past_runs(log, report.dataset.sha256))),
        "worst_cases": dg.MetadataValue.md(worst_cases(workspace, report)),
        "slices": dg.MetadataValue.md(slice_table(report)),
        "measured": len(report.cases),
        "set_aside": len(report.set_aside),
        **{key.replace("@", "_at_"): measured.value for key, measured in report.metrics.items()},
        "p50_ms": latency.p50_ms if latency else 0.0,
        "p95_ms": latency.p95_ms if latency else 0.0,
        "report": shown_path(workspace, candidate(workspace) / quality.REPORT),
    }


def baseline_comparison(workspace: Workspace, facts: Mapping[str, Any]) -> Metadata:
    verdict = quality.verdict_of(workspace)
    changes = [("gained", case) for case in verdict.gained] + [("lost", case) for case in verdict.lost]
    rows = [(what, plain(case.id), case.before or "-", case.after or "-", plain(case.query)) for what, case in changes]
    frozen = workspace.baseline(facts["revision"])
    return {
        "outcome": verdict.outcome,
        "reasons": dg.MetadataValue.md(reasons([*verdict.reasons, *verdict.warnings])),
        "deltas": dg.MetadataValue.md(delta_table(verdict.deltas)),
        "gained_and_lost": dg.MetadataValue.md(markdown_table(("", "case", "before", "after", "question"), rows)),
        "baseline": shown_path(workspace, frozen) if frozen.is_file() else "none is frozen for this revision",
        "verdict": shown_path(workspace, candidate(workspace) / quality.VERDICT),
    }


def published_index(workspace: Workspace, facts: Mapping[str, Any]) -> Metadata:
    """Which index answers now, what it is of, how good it is, and how to ask it."""
    revision = material(workspace, "repo_checkout").facts["revision"]
    report = quality.report_of(workspace)
    shown = ("hit@5", "mrr")
    return {
        "ask": f"gitcontext ask --corpus {workspace.spec.name} QUESTION",
        "revision": revision,
        **tree_link(workspace, revision),
        "dagster/row_count": material(workspace, "chunks").facts["rows"],
        **{key.replace("@", "_at_"): report.metrics[key].value for key in shown if report and key in report.metrics},
        "snapshot": facts["snapshot"],
        "previous": facts["previous"] or "none",
        "index": shown_path(workspace, candidate(workspace)),
    }


def metric_table(report: Report) -> str:
    rows = [
        (key, f"{measured.value:.3f}", f"{measured.low:.3f} to {measured.high:.3f}", measured.cases)
        for key, measured in report.metrics.items()
    ]
    return markdown_table(("metric", "value", "95% interval", "cases"), rows)


def slice_table(report: Report) -> str:
    keys = [key for key in ("hit@1", "hit@5", "mrr") if key in report.metrics]
    parts = {(part.label, part.value): part.metrics for part in report.slices}
    rows = [
        (*map(plain, key), len(ids), *(f"{parts[key][metric].value:.3f}" for metric in keys))
        for key, ids in distinct_slices(report.cases)
    ]
    return markdown_table(("label", "value", "cases", *keys), rows)


def worst_cases(workspace: Workspace, report: Report) -> str:
    """Failures, misses and late answers: where the answer is, and what came first instead."""
    late = [case for case in worst(report.cases, WORST) if case.rank != 1]
    if not late:
        return "none"
    golden = {case.id: case.gold for case in read_cases(workspace.golden_set).cases} if workspace.golden_set else {}
    view = quality.corpus_view(candidate(workspace))
    revision = str(report.fingerprints["corpus_revision"])
    rows = []
    for case in late:
        gold = golden.get(case.id, ())
        wanted = _gold_link(workspace, view, revision, gold[0]) if gold else "-"
        rows.append(
            (
                plain(case.id),
                case.rank or plain(case.failure or "miss"),
                plain(case.query),
                wanted,
                _first(workspace, revision, case),
            )
        )
    return markdown_table(("case", "rank", "question", "answer", "came first"), rows)


def _first(workspace: Workspace, revision: str, case: CaseResult) -> str:
    return _row_link(workspace, revision, case.rows[0]) if case.rows else "-"


def _gold_link(workspace: Workspace, view: CorpusView, revision: str, entry: Gold) -> str:
    lines = entry.lines or next(iter(view.definitions.get((entry.path or "", entry.symbol or ""), ())), (1, 1))
    return _link(workspace, revision, entry.name, entry.path, lines, entry.commit, entry.pr)


def _row_link(workspace: Workspace, revision: str, row: ResultRow) -> str:
    lines = (row.start_line or 1, row.end_line or row.start_line or 1)
    return _link(workspace, revision, row.name, row.path, lines, row.commit, row.pr)


def _link(
    workspace: Workspace,
    revision: str,
    name: str,
    path: str | None,
    lines: Sequence[int],
    commit: str | None,
    pr: int | None,
) -> str:
    """A link to GitHub, under the name without its folders; without GitHub the name alone, for `git:` links open
    nowhere."""
    slug = workspace.spec.repository
    label = plain(name if path is None else name.removeprefix(path[: path.rfind("/") + 1]))
    if slug is None:
        return label
    if name.startswith("pr:") and pr is not None:
        return f"[{label}]({pull_request_url(slug, pr)})"
    if name.startswith("commit:") and commit is not None:
        return f"[{label}]({commit_url(slug, commit)})"
    return f"[{label}]({file_url(slug, revision, path, lines[0], lines[1])})" if path else label


def _image(alt: str, png: bytes) -> dg.MarkdownMetadataValue:
    return dg.MetadataValue.md(f"![{alt}](data:image/png;base64,{base64.b64encode(png).decode('ascii')})")
