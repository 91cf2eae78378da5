"""Evaluating answers: every question is searched, explained and judged, and what came of it is compared with the gold.

The questions that the corpus has no answer to are asked as well: prose about them is a failure of the contract.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Protocol

from pydantic import JsonValue

from gitcontext_pipeline.answer.excerpts import Excerpt
from gitcontext_pipeline.answer.explainer import Settings, explain
from gitcontext_pipeline.answer.explanation import Explanation
from gitcontext_pipeline.answer.model import LanguageModel
from gitcontext_pipeline.answer.shape import SHAPE
from gitcontext_pipeline.errors import GitContextError, UsageError
from gitcontext_pipeline.evaluation.answers_report import (
    AnswerCase,
    AnswersReport,
    AnswerTiming,
    Cost,
    Quoted,
    Rejected,
    Sentence,
    count,
)
from gitcontext_pipeline.evaluation.audit import split_absent
from gitcontext_pipeline.evaluation.cases import Case, CaseSet, Unanswerable
from gitcontext_pipeline.evaluation.gold import Gold
from gitcontext_pipeline.evaluation.matching import Definitions, answers
from gitcontext_pipeline.evaluation.metrics import latency
from gitcontext_pipeline.evaluation.report import DatasetId
from gitcontext_pipeline.evaluation.rows import Row, read_row
from gitcontext_pipeline.evaluation.run import package_version
from gitcontext_pipeline.retrieval.result import Result

TOP = 5
SHAPE_RULES = frozenset({"reply", *(rule.name for rule in SHAPE if rule.shape)})

Progress = Callable[[int, int], None]


class Search(Protocol):
    """What answers are evaluated over: a retriever that returns results with their text."""

    def search(self, question: str, top: int = 10, scope: str | None = None) -> list[Result]: ...


def evaluate_answers(
    retriever: Search,
    model: LanguageModel,
    cases: CaseSet,
    *,
    unanswerable: Sequence[Unanswerable] = (),
    absent: Mapping[str, str] | None = None,
    top: int = TOP,
    limit: int | None = None,
    settings: Settings | None = None,
    definitions: Definitions | None = None,
    fingerprints: Mapping[str, JsonValue] | None = None,
    progress: Progress = lambda done, total: None,
) -> AnswersReport:
    """Answer the first `limit` cases (None: all) and as many unanswerable questions, and report what came of it.

    - `unanswerable`: more of them than `cases` holds itself;
    - `absent`: what this corpus's origin lacks and why, as for `evaluate`; cases that need it are not asked;
    - `definitions`: where the corpus defines its symbols, for gold that names one.

    Raises UsageError for impossible parameters only; a model that fails on a question fails that case.
    """
    if top < 1 or (limit is not None and limit < 1):
        raise UsageError("top and limit count from 1", fix="Give 1 or more.")
    settings = settings or Settings()
    answerable, _ = split_absent(cases.cases, absent or {})
    asked: list[Case | Unanswerable] = list(answerable[:limit])
    asked += [*cases.unanswerable, *unanswerable][:limit]
    began, started = time.perf_counter(), datetime.now(UTC)
    told: dict[str, Any] = {"model": model.name, "model_sha256": model.digest}
    results: list[AnswerCase] = []
    prompts: list[tuple[float, int, int]] = []
    for done, case in enumerate(asked, 1):
        evidence = retriever.search(case.query, top)
        try:
            explanation = explain(model, case.query, evidence, settings)
        except GitContextError as error:
            results.append(_failed(case, str(error.what)))
        else:
            told = {**told, **explanation.settings}
            prompts += [(a.prompt_seconds, a.prompt_tokens, a.reused_tokens) for a in explanation.attempts[:1]]
            results.append(_case(case, evidence, explanation, definitions or {}))
        progress(done, len(asked))
    return AnswersReport(
        dataset=DatasetId(
            name=cases.path.name, sha256=cases.sha256, cases=len(cases.cases), unanswerable=len(cases.unanswerable)
        ),
        limit=limit,
        top=top,
        fingerprints={"package_version": package_version(), **(fingerprints or {}), "dataset": cases.sha256},
        settings=told,
        counts=count(results),
        cases=results,
        timing=_timing(results, prompts, started.isoformat(timespec="seconds"), time.perf_counter() - began),
    )


def _case(
    case: Case | Unanswerable, evidence: Sequence[Result], explanation: Explanation, definitions: Definitions
) -> AnswerCase:
    gold = case.gold if isinstance(case, Case) else ()
    rows = [read_row(result.as_row(), place) for place, result in enumerate(evidence, 1)]
    golden = [place for place, row in enumerate(rows, 1) if _answers_any(row, gold, definitions)]
    lines, shown = _gold_lines(golden[:1], evidence, gold, definitions, explanation)
    last = explanation.attempts[-1].failures if explanation.attempts else explanation.reasons
    failures = [failure for attempt in explanation.attempts for failure in attempt.failures]
    return AnswerCase(
        id=case.id,
        query=case.query,
        answerable=isinstance(case, Case),
        status=explanation.status if explanation.status != "off" else "failed",
        reasons=[failure.reason for failure in explanation.reasons],
        rules=[failure.rule for failure in last] if explanation.status == "withheld" else [],
        sentences=[
            Sentence(text=each.text, source=each.source, place=each.place, url=each.url)
            for each in explanation.sentences
        ],
        rejected=[
            Rejected(text=each.text, rule=each.rule, reason=each.reason, attempt=each.attempt)
            for each in explanation.dropped
        ],
        excerpts=[
            _quoted(number, evidence[number - 1], blocks, golden) for number, blocks in explanation.shown.items()
        ],
        gold_found=golden[0] if golden else None,
        gold_lines=lines,
        gold_shown=shown,
        gold_cited=any(
            _cites_gold(each.source, each.start_line, each.end_line, rows, gold, definitions)
            for each in explanation.sentences
        ),
        shape_failures=sum(failure.rule in SHAPE_RULES for failure in failures),
        cost=_cost(explanation),
    )


def _answers_any(row: Row, gold: Sequence[Gold], definitions: Definitions) -> bool:
    return any(answers(row, entry, definitions) is not None for entry in gold)


def _cites_gold(
    source: int, start: int, end: int, rows: Sequence[Row], gold: Sequence[Gold], definitions: Definitions
) -> bool:
    """Whether the cited lines, and not only their excerpt, answer the question."""
    row = rows[source - 1]
    cited = row if row.is_history else Row(path=row.path, start_line=start, end_line=end, kind=row.kind)
    return _answers_any(cited, gold, definitions)


def _gold_lines(
    places: Sequence[int],
    evidence: Sequence[Result],
    gold: Sequence[Gold],
    definitions: Definitions,
    explanation: Explanation,
) -> tuple[int, int]:
    """Lines of the first piece of evidence that answers which are gold, and how many of those the prompt showed."""
    lines = shown = 0
    for place in places:
        result = evidence[place - 1]
        kept = {n for start, end in explanation.shown.get(place, []) for n in range(start, end + 1)}
        for number in range(result.start_line, result.end_line + 1):
            at = Row(path=result.path, start_line=number, end_line=number, kind=result.kind)
            history = result.kind in ("commit", "pull_request")
            if history or _answers_any(at, gold, definitions):
                lines += 1
                shown += number in kept
    return lines, shown


def _quoted(number: int, result: Result, blocks: Sequence[tuple[int, int]], golden: Sequence[int]) -> Quoted:
    lines = result.text.split("\n")
    shown = {n: lines[n - result.start_line] for start, end in blocks for n in range(start, end + 1)}
    excerpt = Excerpt(number, result, shown)
    return Quoted(
        number=number, heading=excerpt.heading, url=result.url, text=excerpt.render(), is_gold=number in golden
    )


def _cost(explanation: Explanation) -> Cost:
    attempts = explanation.attempts
    return Cost(
        prompt_tokens=explanation.prompt_tokens,
        read_tokens=sum(attempt.prompt_tokens - attempt.reused_tokens for attempt in attempts),
        written_tokens=sum(attempt.tokens for attempt in attempts),
        prompt_seconds=sum(attempt.prompt_seconds for attempt in attempts),
        write_seconds=sum(attempt.seconds for attempt in attempts),
    )


def _failed(case: Case | Unanswerable, why: str) -> AnswerCase:
    nothing = Cost(prompt_tokens=0, read_tokens=0, written_tokens=0, prompt_seconds=0.0, write_seconds=0.0)
    return AnswerCase(
        id=case.id,
        query=case.query,
        answerable=isinstance(case, Case),
        status="failed",
        reasons=[why],
        rules=[],
        sentences=[],
        rejected=[],
        excerpts=[],
        gold_found=None,
        gold_lines=0,
        gold_shown=0,
        gold_cited=False,
        shape_failures=0,
        cost=nothing,
        failure=why,
    )


def _timing(
    cases: Sequence[AnswerCase], prompts: Sequence[tuple[float, int, int]], started: str, seconds: float
) -> AnswerTiming:
    spent = latency([1000 * case.cost.seconds for case in cases if case.failure is None])
    read = sum(case.cost.read_tokens for case in cases)
    written = sum(case.cost.written_tokens for case in cases)
    reading = sum(case.cost.prompt_seconds for case in cases)
    writing = sum(case.cost.write_seconds for case in cases)
    total = sum(tokens for _, tokens, _ in prompts)
    later = [second for second, _, _ in prompts[1:]]
    return AnswerTiming(
        started=started,
        seconds=round(seconds, 3),
        p50_seconds=round(spent.p50_ms / 1000, 3) if spent else 0.0,
        p95_seconds=round(spent.p95_ms / 1000, 3) if spent else 0.0,
        read_tokens_per_second=round(read / reading, 1) if reading else 0.0,
        written_tokens_per_second=round(written / writing, 1) if writing else 0.0,
        reused_share=round(sum(reused for _, _, reused in prompts) / total, 4) if total else 0.0,
        first_prompt_seconds=round(prompts[0][0], 3) if prompts else 0.0,
        later_prompt_seconds=round(sum(later) / len(later), 3) if later else 0.0,
    )
