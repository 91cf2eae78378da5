"""The report on generated answers: what the contract let through, what it caught, and how long it took."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, JsonValue

from gitcontext_pipeline.evaluation.report import DatasetId, Model, read_model
from gitcontext_pipeline.storage import fingerprint, write_atomic

ANSWERS_VERSION = 1
RERUN = "gitcontext eval answers"

Status = Literal["passed", "repaired", "withheld", "failed"]


class Sentence(Model):
    """A sentence of an answer, with the place and the link of the lines it cites."""

    text: str
    source: int
    place: str
    url: str


class Rejected(Model):
    """A sentence that the contract dropped, the rule, and the reason."""

    text: str
    rule: str
    reason: str
    attempt: int


class Quoted(Model):
    """An excerpt as the model saw it."""

    number: int
    heading: str
    url: str
    text: str
    is_gold: bool


class Cost(Model):
    """What one answer cost, both attempts together: tokens and seconds."""

    prompt_tokens: int
    read_tokens: int
    """Prompt tokens that were not known from the answer before."""
    written_tokens: int
    prompt_seconds: float
    write_seconds: float

    @property
    def seconds(self) -> float:
        return self.prompt_seconds + self.write_seconds


class AnswerCase(Model):
    """One question. `gold_found` is its place in the evidence from 1; `gold_lines` and `gold_shown` count lines of the
    gold in the evidence, and those of them that the prompt showed."""

    id: str
    query: str
    answerable: bool
    status: Status
    reasons: list[str]
    rules: list[str]
    """Rules that kept the answer from being shown: those of every claim of the last attempt."""
    sentences: list[Sentence]
    rejected: list[Rejected]
    excerpts: list[Quoted]
    gold_found: int | None
    gold_lines: int
    gold_shown: int
    gold_cited: bool
    shape_failures: int
    cost: Cost
    failure: str | None = None

    @property
    def shown(self) -> bool:
        """Whether a reader would see prose."""
        return self.status in ("passed", "repaired")


class Counts(Model):
    """How many answers ended how, over the answerable questions; `unanswerable_*` over the others."""

    cases: int
    passed: int
    repaired: int
    withheld: int
    failed: int
    unanswerable: int
    unanswerable_withheld: int
    withheld_by: dict[str, int]
    """Rule -> withheld answers in which it was failed; an answer counts under each of its rules."""
    dropped_by: dict[str, int]
    """Rule -> sentences it caught, in answers that were shown or not."""
    shape_failures: int
    gold_in_evidence: int
    gold_in_prompt: int
    gold_lines_share: float
    """Mean share of the gold's lines that the prompt showed, over the cases whose gold is in the evidence."""
    gold_cited: int
    """Of the answers shown, those that cite a gold place."""
    longest_prompt: int

    @property
    def pass_rate(self) -> float:
        return (self.passed + self.repaired) / self.cases if self.cases else 0.0


class AnswerTiming(Model):
    """All that depends on the clock: seconds an answer, and tokens per second while reading and writing."""

    started: str
    seconds: float
    p50_seconds: float
    p95_seconds: float
    read_tokens_per_second: float
    written_tokens_per_second: float
    reused_share: float
    """Share of all prompt tokens that were still known from the answer before."""
    first_prompt_seconds: float
    """Reading the first prompt, nothing known; `later_prompt_seconds` is the mean of the later first attempts."""
    later_prompt_seconds: float


class AnswersReport(Model):
    """One evaluation of answers."""

    schema_version: int = ANSWERS_VERSION
    dataset: DatasetId
    limit: Annotated[int, Field(ge=1)] | None
    top: int
    fingerprints: dict[str, JsonValue]
    settings: dict[str, JsonValue]
    counts: Counts
    cases: list[AnswerCase]
    timing: AnswerTiming

    @property
    def id(self) -> str:
        """Identifies what was answered and how, whatever the clock said (12 hex digits)."""
        return fingerprint(self.model_dump(mode="json", exclude={"timing": True, "cases": {"__all__": {"cost"}}}))[:12]


def count(cases: Iterable[AnswerCase]) -> Counts:
    """Everything that is counted over `cases`."""
    every = list(cases)
    asked = [case for case in every if case.answerable]
    absent = [case for case in every if not case.answerable]
    found = [case for case in asked if case.gold_found is not None]
    by_status = Counter(case.status for case in asked)
    withheld = Counter(rule for case in asked if case.status == "withheld" for rule in sorted(set(case.rules)))
    dropped = Counter(sentence.rule for case in every for sentence in case.rejected)
    shares = [case.gold_shown / case.gold_lines for case in found if case.gold_lines]
    return Counts(
        cases=len(asked),
        passed=by_status["passed"],
        repaired=by_status["repaired"],
        withheld=by_status["withheld"],
        failed=by_status["failed"],
        unanswerable=len(absent),
        unanswerable_withheld=sum(not case.shown for case in absent),
        withheld_by=dict(sorted(withheld.items(), key=lambda item: (-item[1], item[0]))),
        dropped_by=dict(sorted(dropped.items(), key=lambda item: (-item[1], item[0]))),
        shape_failures=sum(case.shape_failures for case in every),
        gold_in_evidence=len(found),
        gold_in_prompt=sum(case.gold_shown > 0 for case in found),
        gold_lines_share=round(sum(shares) / len(shares), 4) if shares else 0.0,
        gold_cited=sum(case.gold_cited for case in asked if case.shown),
        longest_prompt=max((case.cost.prompt_tokens for case in every), default=0),
    )


def write_answers(path: Path, report: AnswersReport) -> None:
    write_atomic(path, report.model_dump_json(indent=2) + "\n")


def read_answers(path: Path) -> AnswersReport:
    """Raises GitContextError naming the file and the first wrong field."""
    return read_model(path, AnswersReport, f"Answer the questions again: {RERUN}")
