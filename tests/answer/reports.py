"""Reports on answers as small as they can be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gitcontext_pipeline.evaluation.answers_report import (
    AnswerCase,
    AnswersReport,
    AnswerTiming,
    Cost,
    Quoted,
    Rejected,
    Sentence,
    Status,
    count,
)
from gitcontext_pipeline.evaluation.report import DatasetId

REVISION = "a" * 40


def case(id_: str, status: Status = "passed", **changes: Any) -> AnswerCase:
    fields: dict[str, Any] = {
        "id": id_,
        "query": f"question {id_}",
        "answerable": True,
        "status": status,
        "reasons": [] if status == "passed" else ["no claim holds"],
        "rules": [] if status == "passed" else ["supported", "too-little-left"],
        "sentences": [
            Sentence(text=f"It is {id_}.", source=1, place="f.py#L1-L2", url="https://example.org/f.py#L1-L2")
        ]
        if status in ("passed", "repaired")
        else [],
        "rejected": [] if status == "passed" else [Rejected(text="No.", rule="supported", reason="0%", attempt=1)],
        "excerpts": [
            Quoted(number=1, heading="f, f.py", url="https://example.org/f.py", text="1| x = 1", is_gold=True)
        ],
        "gold_found": 1,
        "gold_lines": 4,
        "gold_shown": 2,
        "gold_cited": status == "passed",
        "shape_failures": 0,
        "cost": Cost(prompt_tokens=900, read_tokens=700, written_tokens=80, prompt_seconds=2.0, write_seconds=1.0),
    }
    return AnswerCase(**{**fields, **changes})


def report(cases: Sequence[AnswerCase], **changes: Any) -> AnswersReport:
    fields: dict[str, Any] = {
        "dataset": DatasetId(name="golden.jsonl", sha256="d" * 64, cases=len(cases)),
        "limit": None,
        "top": 5,
        "fingerprints": {"corpus": "demo", "corpus_revision": REVISION, "dataset": "d" * 64},
        "settings": {"model": "toy", "model_sha256": "e" * 64, "seed": 1, "prompt_budget": 1200},
        "counts": count(cases),
        "cases": list(cases),
        "timing": AnswerTiming(
            started="2026-11-30T00:00:00+00:00",
            seconds=9.0,
            p50_seconds=3.0,
            p95_seconds=3.0,
            read_tokens_per_second=350.0,
            written_tokens_per_second=80.0,
            reused_share=0.2,
            first_prompt_seconds=2.5,
            later_prompt_seconds=2.0,
        ),
    }
    return AnswersReport(**{**fields, **changes})


def passing(count_: int, of: int) -> AnswersReport:
    """`count_` answers that pass, the rest withheld."""
    return report([case(f"c{at}", "passed" if at < count_ else "withheld") for at in range(of)])
