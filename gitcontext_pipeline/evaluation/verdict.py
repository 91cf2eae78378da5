"""What the gate says, and the exit code that goes with it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, computed_field

from gitcontext_pipeline.evaluation.measures import BY_KEY
from gitcontext_pipeline.evaluation.report import Model

Outcome = Literal["pass", "improvement", "regression", "incomparable", "error"]

EXIT_CODES: dict[Outcome, int] = {"pass": 0, "improvement": 0, "regression": 1, "incomparable": 3, "error": 3}


class Reason(Model):
    """Why the verdict is what it is, and the command that mends it where there is one."""

    what: str
    fix: str | None = None


class Delta(Model):
    """One number in the baseline and now. `label` and `value` name the slice, both None for all cases.

    Values are in [0, 1], `delta_pp` in percentage points. `gated` is False for numbers that are told and never fail.
    """

    metric: str
    label: str | None = None
    value: str | None = None
    cases: int
    baseline: float
    current: float
    delta_pp: float
    gated: bool
    outcome: Literal["pass", "improvement", "regression"]

    @property
    def name(self) -> str:
        """`Hit@5` or `Hit@5 of scope code`."""
        metric = BY_KEY[self.metric].name
        return metric if self.label is None else f"{metric} of {self.label} {self.value}"


class CaseChange(Model):
    """A case whose first answer moved into or out of the first rows. Ranks count from 1, None is a miss."""

    id: str
    query: str
    before: int | None
    after: int | None


class Paired(Model):
    """Paired statistics of two runs over the same cases; see `statistics`."""

    cases: int
    mcnemar_p: float
    permutation_p: float
    mrr_difference: float
    resolvable_drop_pp: float | None


class BaselineId(Model):
    """Which baseline it was compared with."""

    corpus_revision: str | None
    frozen_by: str
    frozen_at: str
    note: str


class Verdict(Model):
    """`reasons` explain the outcome; `warnings` do not change it. Gained and lost are cases at `changes_at` rows."""

    outcome: Outcome
    reasons: list[Reason] = Field(default_factory=list)
    warnings: list[Reason] = Field(default_factory=list)
    tolerance_pp: float
    deltas: list[Delta] = Field(default_factory=list)
    changes_at: int = 5
    gained: list[CaseChange] = Field(default_factory=list)
    lost: list[CaseChange] = Field(default_factory=list)
    paired: Paired | None = None
    baseline: BaselineId | None = None

    @computed_field  # type: ignore[prop-decorator]
    @property
    def exit_code(self) -> int:
        """0 pass or improvement, 1 regression, 3 incomparable or error."""
        return EXIT_CODES[self.outcome]

    @property
    def gated(self) -> list[Delta]:
        return [delta for delta in self.deltas if delta.gated]
