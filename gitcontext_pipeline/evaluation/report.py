"""The report of one evaluation, and what it has in common with a frozen baseline: a measurement.

Every field that differs between two runs of the same thing lies under `timing`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from gitcontext_pipeline.errors import GitContextError
from gitcontext_pipeline.evaluation.matching import Granularity
from gitcontext_pipeline.storage import write_atomic

M = TypeVar("M", bound=BaseModel)

SCHEMA_VERSION = 1
TIME_FIELDS = ("timing",)
"""The top-level fields of a report that two runs of the same thing may differ in."""


class Model(BaseModel):
    """Read strictly: an unknown field or a number in quotes is a damaged file, not something to guess at."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class DatasetId(Model):
    """Which golden set was measured: the file's name, its canonical hash, how many cases it asks in all."""

    name: str
    sha256: str
    cases: int
    unanswerable: int = 0


class RunSettings(Model):
    """What changes the numbers besides the retriever, the cases and the corpus."""

    top: Annotated[int, Field(ge=1)]
    use_scope: bool = False
    granularity: Granularity = "passage"


class Measured(Model):
    """A metric's mean over `cases` cases with the bounds of its 95% confidence interval, and how those were found."""

    value: float
    low: float
    high: float
    cases: int
    method: Literal["bca", "percentile", "exact", "hoeffding"]


class Slice(Model):
    """The metrics over the cases that share one value of one label."""

    label: str
    value: str
    cases: int
    metrics: dict[str, Measured]


class CaseRanks(Model):
    """What a baseline keeps of a case: its gold by name, and the ranks (from 1, ascending) at which entries were
    found."""

    id: str
    query: str
    scope: str | None = None
    kind: str | None = None
    style: str | None = None
    intent: str | None = None
    gold: list[str]
    ranks: list[int]
    failure: str | None = None

    @property
    def rank(self) -> int | None:
        """The rank of the first answer; None for a miss."""
        return self.ranks[0] if self.ranks else None


class ResultRow(Model):
    """One returned row: its place and which gold entry (by position) it was the first to answer."""

    name: str
    path: str
    start_line: int | None = None
    end_line: int | None = None
    symbol: str | None = None
    commit: str | None = None
    pr: int | None = None
    answers: int | None = None


class CaseResult(CaseRanks):
    """All that a run tells of a case. `iou` and `share` are of the first answer; `path_rank` is the first row in the
    file of a gold entry, whether or not it is the right place in it."""

    rows: list[ResultRow] = Field(default_factory=list)
    notes: list[str] = Field(default_factory=list)
    iou: float | None = None
    share: float | None = None
    path_rank: int | None = None


class SetAside(Model):
    """A case that this corpus cannot answer because its origin has no such material."""

    id: str
    reason: str


class Finding(Model):
    """Something the audit saw in the golden set. An `error` fails the run; a `warning` is for its authors."""

    problem: Literal[
        "impossible",
        "missing entry",
        "ambiguous",
        "leak",
        "duplicate",
        "out of scope",
        "ignored field",
    ]
    severity: Literal["error", "warning"]
    case: str | None
    detail: str


class Audit(Model):
    """The findings; `checked_corpus` says whether gold was looked up in the corpus at all."""

    checked_corpus: bool
    findings: list[Finding]


class Latency(Model):
    """Milliseconds a query took, over every case that was asked."""

    p50_ms: float
    p95_ms: float
    max_ms: float


class Timing(Model):
    """All that depends on the clock."""

    started: str
    seconds: float
    latency: Latency | None
    cases_ms: dict[str, float]


class Measurement(Model):
    """What makes a run comparable, and what there is to compare."""

    schema_version: int = SCHEMA_VERSION
    dataset: DatasetId
    settings: RunSettings
    fingerprints: dict[str, JsonValue]
    metrics: dict[str, Measured]
    slices: list[Slice]
    set_aside: list[SetAside]
    cases: Sequence[CaseRanks]


class Report(Measurement):
    """One evaluation. `errors` says why it must not be compared or frozen; it is empty for a sound run."""

    cases: list[CaseResult]
    errors: list[str]
    notes: list[str]
    audit: Audit
    timing: Timing

    @property
    def failed(self) -> list[CaseResult]:
        return [case for case in self.cases if case.failure is not None]

    def to_json(self) -> str:
        return self.model_dump_json(indent=2) + "\n"


def stable_content(report: Report) -> dict[str, Any]:
    """The report without its time fields: equal for two runs of the same thing."""
    return report.model_dump(exclude=set(TIME_FIELDS))


def write_report(path: Path, report: Report) -> None:
    write_atomic(path, report.to_json())


def read_report(path: Path) -> Report:
    """Raises GitContextError naming the file and the first wrong field."""
    return read_model(path, Report, "Run the evaluation again: `gitcontext eval run`.")


def read_model(path: Path, model: type[M], fix: str) -> M:
    """Read JSON of a known shape; NaN is let through, for the gate to name."""
    try:
        return model.model_validate_json(path.read_bytes())
    except FileNotFoundError as error:
        raise GitContextError("no such file", where=path, fix=fix) from error
    except OSError as error:
        raise GitContextError(f"cannot be read: {error}", where=path, fix=fix) from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "the file"
        raise GitContextError(f"{place}: {first['msg']}", where=path, fix=fix) from error
