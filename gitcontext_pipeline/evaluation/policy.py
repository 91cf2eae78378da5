"""Which numbers may fall, and by how much, before a build fails."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from gitcontext_pipeline.errors import UsageError
from gitcontext_pipeline.evaluation.cases import LABELS
from gitcontext_pipeline.evaluation.measures import BY_KEY
from gitcontext_pipeline.evaluation.metrics import Labelled, SliceIds, slice_ids

DEFAULT_TOLERANCE = Fraction(5)

_NUMBER = re.compile(r"[-+]?[0-9.]{1,30}(?:/[0-9]{1,30}|e[-+]?[0-9]{1,3})?", re.IGNORECASE)

SLICE_LABELS = ("kind", "style", "intent", "scope")
"""In the order in which they are told; of two labels that cut out the same cases, the first one is."""


def percentage_points(value: Fraction | int | float | str) -> Fraction:
    """`value` as an exact number of percentage points: 0.1 means one tenth, not the nearest binary fraction.

    Raises UsageError for anything that is not a number from 0 to 100.
    """
    exact = value if isinstance(value, Fraction) else _read(value)
    if exact is None:
        raise UsageError(f"a tolerance of {str(value)[:40]!r}", fix="Give percentage points, such as 5.")
    if not 0 <= exact <= 100:
        raise UsageError(f"a tolerance of {value} percentage points", fix="Give a number from 0 to 100.")
    return exact


def _read(value: int | float | str) -> Fraction | None:
    """The number that `value` writes. A long exponent is none: its power of ten would take minutes and gigabytes."""
    try:
        text = str(value).strip()
        return Fraction(text) if _NUMBER.fullmatch(text) else None
    except (ValueError, ZeroDivisionError):
        return None


@dataclass(frozen=True)
class GatePolicy:
    """What is gated. Fields:

    - `tolerance_pp`: percentage points that a gated number may fall, that very number included;
    - `metrics`: gated over all cases; `slice_metrics`: gated over each slice of `slice_labels` that has at least
      `min_slice_cases` cases (one case of 20 is 5 points: in a smaller slice, a single one would fail a build, and the
      int8 arithmetic of another processor moves that many); the first label of those that cut out the same cases is
      the one that is gated;
    - `must_hit`: ids of cases that must have an answer among the first `must_hit_top` rows, whatever the averages say;
    - `require_baseline`: whether a run that was never frozen before is an error rather than a pass with a warning.

    Raises UsageError for an unknown metric or label, or an impossible number.
    """

    tolerance_pp: Fraction | int | float | str = DEFAULT_TOLERANCE
    metrics: tuple[str, ...] = ("hit@1", "hit@3", "hit@5", "mrr")
    slice_metrics: tuple[str, ...] = ("hit@5",)
    slice_labels: tuple[str, ...] = SLICE_LABELS
    min_slice_cases: int = 20
    must_hit: tuple[str, ...] = ()
    must_hit_top: int = 5
    require_baseline: bool = False

    def __post_init__(self) -> None:
        percentage_points(self.tolerance_pp)
        if not self.metrics:
            raise UsageError("a gate without a metric passes whatever happens", fix=f"Gate one of {', '.join(BY_KEY)}.")
        for key in (*self.metrics, *self.slice_metrics):
            if key not in BY_KEY:
                raise UsageError(f"no metric {key!r}", fix=f"Known: {', '.join(BY_KEY)}.")
        for label in self.slice_labels:
            if label not in LABELS:
                raise UsageError(f"no label {label!r}", fix=f"Known: {', '.join(LABELS)}.")
        if self.min_slice_cases < 1 or self.must_hit_top < 1:
            raise UsageError("min_slice_cases and must_hit_top count from 1", fix="Give 1 or more.")

    @property
    def tolerance(self) -> Fraction:
        return percentage_points(self.tolerance_pp)

    def gated_slices(self, cases: Sequence[Labelled]) -> list[SliceIds]:
        """The slices of `cases` that are large enough, each set of cases once.

        A slice of all cases is left out, where its metrics are gated over all cases anyway.
        """
        whole = len(cases) if set(self.slice_metrics) <= set(self.metrics) else None
        return [
            (key, ids)
            for key, ids in distinct_slices(cases, self.slice_labels)
            if len(ids) >= self.min_slice_cases and len(ids) != whole
        ]


def distinct_slices(cases: Sequence[Labelled], labels: Sequence[str] = SLICE_LABELS) -> list[SliceIds]:
    """The slices of each of `labels` in turn, without those that hold the same cases as an earlier one.

    Two slices over the same cases (scope often repeats kind) have the same numbers: twice would tell nothing twice.
    """
    seen: set[frozenset[str]] = set()
    found: list[SliceIds] = []
    for key, ids in (each for label in labels for each in slice_ids(cases) if each[0][0] == label):
        if frozenset(ids) not in seen:
            seen.add(frozenset(ids))
            found.append((key, ids))
    return found
