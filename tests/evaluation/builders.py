"""Small measurements made by hand: ranks in, report or baseline out."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from gitcontext_pipeline.evaluation.baseline import Baseline, Frozen
from gitcontext_pipeline.evaluation.cases import CaseSet, parse_cases
from gitcontext_pipeline.evaluation.metrics import measure
from gitcontext_pipeline.evaluation.report import (
    Audit,
    CaseRanks,
    CaseResult,
    DatasetId,
    Report,
    RunSettings,
    Timing,
)

REVISION = "a" * 40
SHA = "5" * 64
Ranks = Sequence[int | None]


def case_set(*cases: Mapping[str, Any]) -> CaseSet:
    return parse_cases("\n".join(json.dumps(case) for case in cases).encode())


def numbered(count: int, **labels: str) -> CaseSet:
    """`count` cases, the answer to the i-th being file f{i}.py."""
    return case_set(
        *({"id": f"c{i}", "query": f"question {i}", "gold": [{"path": f"f{i}.py"}], **labels} for i in range(count))
    )


def report_of(
    ranks: Ranks,
    *,
    scopes: Sequence[str] | None = None,
    top: int = 10,
    failures: Mapping[int, str] | None = None,
    errors: Sequence[str] = (),
    **changes: Any,
) -> Report:
    """A sound report in which case i has its first answer at ranks[i], None for a miss."""
    failed = failures or {}
    cases = [
        CaseResult(
            id=f"c{i}",
            query=f"question {i}",
            scope=scopes[i] if scopes else None,
            gold=[f"f{i}.py"],
            ranks=[] if rank is None or i in failed else [rank],
            failure=failed.get(i),
        )
        for i, rank in enumerate(ranks)
    ]
    metrics, slices = measure(cases, top)
    return Report(
        dataset=DatasetId(name="golden.jsonl", sha256=SHA, cases=len(cases)),
        settings=RunSettings(top=top),
        fingerprints={"dataset": SHA, "corpus_revision": REVISION, "snapshot": "s1"},
        metrics=metrics,
        slices=slices,
        set_aside=[],
        cases=cases,
        errors=list(errors),
        notes=[],
        audit=Audit(checked_corpus=False, findings=[]),
        timing=Timing(started="2026-11-30T00:00:00+00:00", seconds=1.0, latency=None, cases_ms={}),
    ).model_copy(update=changes)


def baseline_of(report: Report, **changes: Any) -> Baseline:
    kept = report.model_dump(include=set(Baseline.model_fields) - {"cases", "frozen"})
    cases = [CaseRanks(**case.model_dump(include=set(CaseRanks.model_fields))) for case in report.cases]
    frozen = Frozen(by="Ada", at=datetime(2026, 11, 1, tzinfo=UTC).isoformat(), note="first")
    return Baseline(**kept, cases=cases, frozen=frozen).model_copy(update=changes)


def hits(count: int, of: int) -> list[int | None]:
    """`count` hits at rank 1, the rest misses."""
    return [1] * count + [None] * (of - count)


def write_lines(path: Path, *cases: Mapping[str, Any]) -> Path:
    path.write_text("".join(json.dumps(case) + "\n" for case in cases), encoding="utf-8")
    return path
