"""From per-case ranks to metric values with confidence intervals, overall and by slice; and latency.

The values come from ir_measures (and so from trec_eval's own code) over the qrels and run that the cases stand for. The
intervals are bootstrap intervals over cases (Efron and Tibshirani, 1993; Sakai, SIGIR 2006), bias-corrected (BCa) where
the data allow it. Where every case has the same value, resampling can only ever say "no uncertainty at all", which is
false of ten cases: there the exact binomial interval (for all-hit or all-miss) or Hoeffding's bound stands in.
"""

from __future__ import annotations

import math
import warnings
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal, Protocol

from gitcontext_pipeline.evaluation.cases import LABELS
from gitcontext_pipeline.evaluation.measures import Metric, metrics_for
from gitcontext_pipeline.evaluation.report import CaseRanks, Latency, Measured, Slice

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SEED = 20010101
"""Resampling starts here every time: two runs of the same thing give the same interval to the last digit."""
RESAMPLES = 2000
CONFIDENCE = 0.95
DIGITS = 6
"""Reported numbers are rounded to this many decimals; the gate does not read them, it counts ranks."""

UNLABELLED = "none"

SliceIds = tuple[tuple[str, str], list[str]]
"""((label, value), ids of its cases)."""


class Labelled(Protocol):
    """A case as read, or as measured: all that slicing needs."""

    @property
    def id(self) -> str: ...


QrelsDict = dict[str, dict[str, int]]
RunDict = dict[str, dict[str, float]]


def qrels_and_run(cases: Sequence[CaseRanks]) -> tuple[QrelsDict, RunDict]:
    """The qrels and the run that ranks stand for: query → document → relevance, or score (higher is better).

    Documents are numbered, `g0` for a gold entry and `r3` for a row that answers nothing; `trec` writes them by name.
    """
    qrels: QrelsDict = {}
    run: RunDict = {}
    for case in cases:
        qrels[case.id] = {f"g{entry}": 1 for entry in range(len(case.gold))}
        documents = {rank: f"g{entry}" for entry, rank in enumerate(case.ranks)}
        last = max(case.ranks, default=0)
        run[case.id] = {documents.get(rank, f"r{rank}"): float(last - rank + 1) for rank in range(1, last + 1)}
    return qrels, run


def values_by_case(cases: Sequence[CaseRanks], metrics: Sequence[Metric]) -> dict[str, dict[str, float]]:
    """metric key → case id → value, every case present, computed by ir_measures."""
    import ir_measures

    qrels, run = qrels_and_run(cases)
    measures = {ir_measures.parse_measure(metric.measure): metric.key for metric in metrics}
    values: dict[str, dict[str, float]] = {metric.key: dict.fromkeys(qrels, 0.0) for metric in metrics}
    for found in ir_measures.iter_calc(list(measures), qrels, run):
        values[measures[found.measure]][found.query_id] = found.value
    return values


def measure(cases: Sequence[CaseRanks], top: int) -> tuple[dict[str, Measured], list[Slice]]:
    """Every metric over all cases, and over each slice. A case without a label is in the slice "none" of that label.

    A label that no case has makes no slices.
    """
    if not cases:
        return {}, []
    metrics = metrics_for(top)
    values = values_by_case(cases, metrics)

    def over(ids: Sequence[str]) -> dict[str, Measured]:
        return {metric.key: with_interval([values[metric.key][case] for case in ids]) for metric in metrics}

    slices = [
        Slice(label=label, value=value, cases=len(ids), metrics=over(ids)) for (label, value), ids in slice_ids(cases)
    ]
    return over([case.id for case in cases]), slices


def slice_ids(cases: Iterable[Labelled]) -> list[SliceIds]:
    """Every slice with the ids of its cases, in a fixed order."""
    cases = list(cases)
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    for label in LABELS:
        if any(getattr(case, label) is not None for case in cases):
            for case in cases:
                found[label, getattr(case, label) or UNLABELLED].append(case.id)
    return sorted(found.items())


def with_interval(values: Sequence[float]) -> Measured:
    """The mean of `values`, each in [0, 1], with its interval."""
    low, high, method = interval(values)
    mean = math.fsum(values) / len(values)
    return Measured(value=_rounded(mean), low=_rounded(low), high=_rounded(high), cases=len(values), method=method)


def interval(values: Sequence[float]) -> tuple[float, float, Literal["bca", "percentile", "exact", "hoeffding"]]:
    """The 95% confidence interval of the mean of `values`, each in [0, 1], and how it was found."""
    if len(set(values)) == 1:
        return _of_equal(values[0], len(values))
    low, high = bootstrap(values, "BCa")
    if math.isfinite(low) and math.isfinite(high):
        return low, high, "bca"
    low, high = bootstrap(values, "percentile")
    return low, high, "percentile"


def bootstrap(values: Sequence[float], method: Literal["BCa", "percentile"]) -> tuple[float, float]:
    """scipy's bootstrap of the mean, seeded; (nan, nan) where BCa's acceleration cannot be told from the data."""
    import numpy as np
    from scipy.stats import bootstrap as resample

    def mean(data: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
        return np.asarray(data.mean(axis=axis))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = resample(
            (np.asarray(values, dtype=float),),
            mean,
            confidence_level=CONFIDENCE,
            n_resamples=RESAMPLES,
            method=method,
            vectorized=True,
            random_state=np.random.default_rng(SEED),
        ).confidence_interval
    return float(found.low), float(found.high)


def latency(milliseconds: Sequence[float]) -> Latency | None:
    """p50, p95 (linear between neighbours) and the greatest; None for no query."""
    if not milliseconds:
        return None
    import numpy as np

    p50, p95 = np.percentile(milliseconds, [50, 95])
    return Latency(p50_ms=round(float(p50), 3), p95_ms=round(float(p95), 3), max_ms=round(max(milliseconds), 3))


def _of_equal(value: float, count: int) -> tuple[float, float, Literal["exact", "hoeffding"]]:
    if value in (0.0, 1.0):
        from scipy.stats import binomtest

        bounds = binomtest(int(value) * count, count).proportion_ci(CONFIDENCE, method="exact")
        return float(bounds.low), float(bounds.high), "exact"
    reach = math.sqrt(math.log(2 / (1 - CONFIDENCE)) / (2 * count))
    return max(0.0, value - reach), min(1.0, value + reach), "hoeffding"


def _rounded(number: float) -> float:
    return round(number, DIGITS) + 0.0
