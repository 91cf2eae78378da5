"""One evaluation: every case is asked once, and what came back becomes a report."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from fractions import Fraction
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from pydantic import JsonValue

from gitcontext_pipeline.errors import UsageError
from gitcontext_pipeline.evaluation.adapters import Retriever
from gitcontext_pipeline.evaluation.audit import audit, split_absent
from gitcontext_pipeline.evaluation.calling import Answer, Caller
from gitcontext_pipeline.evaluation.cases import Case, CaseSet
from gitcontext_pipeline.evaluation.corpus_view import CorpusView
from gitcontext_pipeline.evaluation.gold import Gold
from gitcontext_pipeline.evaluation.matching import Definitions, Granularity, Overlap, answers, contains_segments
from gitcontext_pipeline.evaluation.metrics import DIGITS, latency, measure
from gitcontext_pipeline.evaluation.report import Audit, CaseResult, DatasetId, Report, ResultRow, RunSettings, Timing
from gitcontext_pipeline.evaluation.rows import Row

Progress = Callable[[int, int], None]
"""Called with (cases done, cases in all) after every case."""

MAX_FAILED = Fraction(1, 10)
"""The share of cases that may fail; beyond it the numbers say more about the failures than about retrieval."""

GIVE_UP_AFTER = 5
"""Failures in a row, once more than MAX_FAILED have failed, after which the remaining cases are not asked."""


def evaluate(
    retriever: Retriever,
    cases: CaseSet,
    *,
    top: int = 10,
    use_scope: bool = False,
    granularity: Granularity = "passage",
    corpus: CorpusView | Iterable[Mapping[str, Any]] | None = None,
    absent: Mapping[str, str] | None = None,
    fingerprints: Mapping[str, JsonValue] | None = None,
    seconds_per_query: float | None = 30.0,
    max_failed: Fraction = MAX_FAILED,
    allow_impossible: bool = False,
    root: str | None = None,
    progress: Progress | None = None,
) -> Report:
    """Ask `retriever` every case of `cases` and report what it found.

    - `top`: rows asked for and looked at; metrics that need more are left out.
    - `use_scope`: pass each case's scope to the retriever. By default it is a label of the case only, because a user
      does not say where the answer lies.
    - `granularity`: "file" for a retriever that ranks files, to which a symbol or a line range means nothing.
    - `corpus`: the chunk table's rows (or a view of them), for the audit and for where symbols are defined.
    - `absent`: what this corpus's origin lacks ("history", "docs/") and why; cases that need it are set aside by name.
    - `fingerprints`: what makes the run comparable (corpus_revision, snapshot, retriever, …); the golden set's hash and
      this package's version are added.
    - `seconds_per_query`: None for no limit. `max_failed`: the share of cases that may fail.
    - `root`: the folder that absolute paths of a foreign retriever are relative to.

    Raises UsageError for impossible parameters only. What makes the run unfit for comparison is in `Report.errors`.
    """
    if top < 1:
        raise UsageError(f"top is {top}", fix="Ask for one row or more.")
    if seconds_per_query is not None and not seconds_per_query > 0:
        raise UsageError(f"the time limit is {seconds_per_query} s", fix="Give a positive number of seconds, or none.")
    view = corpus if corpus is None or isinstance(corpus, CorpusView) else CorpusView.from_rows(corpus)
    measured, aside = split_absent(cases.cases, absent or {})
    began, started = time.perf_counter(), datetime.now(UTC)
    caller = Caller(retriever, top, seconds_per_query, root)
    try:
        asked = _ask_all(caller, measured, use_scope, max_failed, progress)
    finally:
        caller.close()
    definitions = view.definitions if view is not None else {}
    results = [
        case_result(case, answer, definitions, granularity) for case, answer in zip(measured, asked, strict=True)
    ]
    metrics, slices = measure(results, top)
    audited = audit(cases, measured, view)
    return Report(
        dataset=DatasetId(
            name=cases.path.name,
            sha256=cases.sha256,
            cases=len(cases.cases),
            unanswerable=len(cases.unanswerable),
        ),
        settings=RunSettings(top=top, use_scope=use_scope, granularity=granularity),
        fingerprints={"package_version": package_version(), **(fingerprints or {}), "dataset": cases.sha256},
        metrics=metrics,
        slices=slices,
        set_aside=aside,
        cases=results,
        errors=_errors(results, audited, max_failed, allow_impossible),
        notes=_notes(measured, asked, top, granularity),
        audit=audited,
        timing=Timing(
            started=started.isoformat(timespec="seconds"),
            seconds=round(time.perf_counter() - began, 3),
            latency=latency([answer.milliseconds for answer in asked if answer.milliseconds > 0]),
            cases_ms={case.id: round(answer.milliseconds, 3) for case, answer in zip(measured, asked, strict=True)},
        ),
    )


def case_result(
    case: Case, answer: Answer, definitions: Definitions, granularity: Granularity = "passage"
) -> CaseResult:
    """Which gold entries the rows of one case took, and where.

    A row that repeats an earlier one keeps its place, as on a reader's screen, and answers nothing a second time.
    """
    taken: dict[int, int] = {}
    first: Overlap = Overlap()
    seen: set[tuple[Any, ...]] = set()
    repeated = 0
    shown: list[ResultRow] = []
    for place, row in enumerate(answer.rows, 1):
        entry = None
        if row.identity in seen:
            repeated += 1
        else:
            seen.add(row.identity)
            for position, gold in enumerate(case.gold):
                overlap = None if position in taken else answers(row, gold, definitions, granularity)
                if overlap is not None:
                    first = first if taken else overlap
                    taken[position] = place
                    entry = position
                    break
        shown.append(_shown(row, entry))
    notes = [f"more than {len(answer.rows)} rows came back; the rest was cut"] if answer.cut else []
    notes += [f"{repeated} rows repeat an earlier one"] if repeated else []
    return CaseResult(
        id=case.id,
        query=case.query,
        scope=case.scope,
        kind=case.kind,
        style=case.style,
        intent=case.intent,
        gold=[entry.name for entry in case.gold],
        ranks=sorted(taken.values()),
        failure=answer.failure,
        rows=shown,
        notes=notes,
        iou=None if first.iou is None else round(first.iou, DIGITS),
        share=None if first.share is None else round(first.share, DIGITS),
        path_rank=next((place for place, row in enumerate(answer.rows, 1) if _in_file(row, case.gold)), None),
    )


def package_version() -> str:
    try:
        return version("gitcontext-pipeline")
    except PackageNotFoundError:
        return "unknown"


def _ask_all(
    caller: Caller, cases: Sequence[Case], use_scope: bool, max_failed: Fraction, progress: Progress | None
) -> list[Answer]:
    asked: list[Answer] = []
    in_a_row = failed = 0
    for done, case in enumerate(cases, 1):
        if in_a_row >= GIVE_UP_AFTER and Fraction(failed, len(cases)) > max_failed:
            answer = Answer((), f"not asked: {in_a_row} queries in a row had failed", 0.0)
        else:
            answer = caller.ask(case.query, case.scope_argument if use_scope else None)
            failed += answer.failure is not None
            in_a_row = in_a_row + 1 if answer.failure is not None else 0
        asked.append(answer)
        if progress is not None:
            progress(done, len(cases))
    return asked


def _errors(results: Sequence[CaseResult], audited: Audit, max_failed: Fraction, allow_impossible: bool) -> list[str]:
    if not results:
        return ["no case could be measured"]
    errors: list[str] = []
    failed = [case for case in results if case.failure is not None]
    if Fraction(len(failed), len(results)) > max_failed:
        errors.append(
            f"{len(failed)} of {len(results)} cases failed, more than {float(max_failed):.0%}; "
            f"the first, {failed[0].id}: {failed[0].failure}"
        )
    impossible = [finding for finding in audited.findings if finding.problem == "impossible"]
    if impossible and not allow_impossible:
        errors.append(
            f"{len(impossible)} cases cannot be answered from this corpus; "
            f"the first, {impossible[0].case}: {impossible[0].detail}"
        )
    return errors


def _notes(cases: Sequence[Case], asked: Sequence[Answer], top: int, granularity: Granularity) -> list[str]:
    notes: list[str] = []
    most = max((len(answer.rows) for answer in asked), default=0)
    if 0 < most < top:
        notes.append(f"no query got more than {most} rows although {top} were asked for; see the retriever's own limit")
    files = [row for answer in asked for row in answer.rows if not row.is_history]
    if granularity == "passage" and files and all(row.symbol is None and row.lines is None for row in files):
        hopeless = sum(all(entry.symbol or entry.lines for entry in case.gold) for case in cases)
        if hopeless:
            notes.append(
                f"no row names a symbol or lines, so the {hopeless} questions that ask for them can only miss; "
                'where files are ranked: --granularity file, or granularity = "file" under [eval] in gitcontext.toml'
            )
    return notes


def _shown(row: Row, entry: int | None) -> ResultRow:
    return ResultRow(
        name=row.name,
        path=row.path,
        start_line=row.start_line,
        end_line=row.end_line,
        symbol=row.symbol,
        commit=row.commit,
        pr=row.pr,
        answers=entry,
    )


def _in_file(row: Row, gold: Sequence[Gold]) -> bool:
    return any(
        (entry.path is not None and row.path == entry.path)
        or (entry.contains is not None and contains_segments(row.path, entry.contains))
        for entry in gold
    )
