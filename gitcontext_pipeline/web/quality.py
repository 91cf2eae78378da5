"""How well a corpus is found: metrics over time, by kind of question, and the questions that did worst."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response

from gitcontext_pipeline.errors import GitContextError, NotIndexed
from gitcontext_pipeline.evaluation.diff import worst
from gitcontext_pipeline.evaluation.policy import distinct_slices
from gitcontext_pipeline.evaluation.report import CaseResult, Measured, Report, read_report
from gitcontext_pipeline.state import CorpusState
from gitcontext_pipeline.steps.past_runs import past_runs
from gitcontext_pipeline.steps.quality import QUALITY_LOG, REPORT
from gitcontext_pipeline.web.chart import chart_of
from gitcontext_pipeline.web.problems import problem_of
from gitcontext_pipeline.web.questions import Asked
from gitcontext_pipeline.web.service import Service, service_of
from gitcontext_pipeline.web.templates import render

WORST = 15
EXAMPLES = 4
LONGEST_EXAMPLE = 90
SLICE_METRICS = ("hit@1", "hit@5", "mrr")

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True, slots=True)
class SliceRow:
    """The metrics over the questions that share the value of a label."""

    label: str
    value: str
    cases: int
    metrics: Sequence[Measured | None]


@dataclass(frozen=True, slots=True)
class WorstRow:
    """A question that was not answered first. `wanted` names an answer to it, `first` what came first instead."""

    case: CaseResult
    ask: str
    wanted: str
    first: str


@router.get("/quality")
async def quality(request: Request) -> Response:
    service, name, problem = service_of(request), request.query_params.get("corpus") or None, None
    found: dict[str, Any] = {"chosen": name, "report": None}
    try:
        found = await service.look(lambda: _measured(service, name))
    except GitContextError as error:
        problem = problem_of(error)
    corpora = await service.look(service.library.corpora)
    page = render("quality.html", corpora=corpora, problem=problem, **found)
    return HTMLResponse(page, problem.status if problem else 200, headers=dict(problem.headers) if problem else None)


def examples(corpus: CorpusState) -> Sequence[str]:
    """Questions that this corpus answers first time, if it was ever measured: something to begin with."""
    try:
        report = _report_of(corpus)
    except GitContextError:  # what is wrong with it is told where quality is asked for
        return ()
    if report is None:
        return ()
    short = [case for case in report.cases if case.rank == 1 and len(case.query) <= LONGEST_EXAMPLE]
    styles = dict.fromkeys(case.style for case in short)
    by_style = [[case.query for case in short if case.style == style] for style in styles]
    mixed = [each[turn] for turn in range(EXAMPLES) for each in by_style if turn < len(each)]
    return mixed[:EXAMPLES]


def _measured(service: Service, name: str | None) -> dict[str, Any]:
    corpus = service.library.state.choose(name)
    report = _report_of(corpus)
    if report is None:
        return {"chosen": corpus.name, "report": None}
    slices = {(part.label, part.value): part.metrics for part in report.slices}
    late = [case for case in worst(report.cases, WORST) if case.rank != 1]
    return {
        "chosen": corpus.name,
        "report": report,
        "chart": chart_of(past_runs(corpus.directory / QUALITY_LOG, report.dataset.sha256)),
        "slice_metrics": SLICE_METRICS,
        "slices": [
            SliceRow(*key, len(ids), [slices[key].get(metric) for metric in SLICE_METRICS])
            for key, ids in distinct_slices(report.cases)
        ],
        "worst": [_worst_row(corpus.name, case) for case in late],
    }


def _worst_row(corpus: str, case: CaseResult) -> WorstRow:
    return WorstRow(
        case=case,
        ask=Asked(case.query, corpus, top=10).link(),
        wanted=case.gold[0] if case.gold else "",
        first=case.rows[0].name if case.rows else "",
    )


def _report_of(corpus: CorpusState) -> Report | None:
    """The report of the published snapshot; None where it was never measured."""
    snapshot = corpus.current
    if snapshot is None:
        raise NotIndexed(f"the corpus {corpus.name!r} has no published index", fix=f"gitcontext index {corpus.name}")
    return read_report(snapshot / REPORT) if (snapshot / REPORT).is_file() else None
