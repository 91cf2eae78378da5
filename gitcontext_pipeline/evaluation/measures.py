"""The metrics, as data: a name, a sentence, where it is defined, how to compute it.

**What counts as relevant.** A case asks for one thing, and any one of its gold entries fully answers it. In the qrels
every entry is one document of relevance 1. A row becomes the first entry (in the golden set's order) that it answers
and that no earlier row has taken; a row that answers only entries already taken is a document of its own, of relevance
0. So

- Hit@k and MRR look at the first answer alone: a second entry can only make a case easier, never harder;
- Recall@k and nDCG@k tell how many of the *alternatives* came up, and how high. They are told for diagnosis and not
  gated: a retriever that answers at rank 1 and leaves the alternatives out has done its job.

A case that failed or came back empty has no relevant row and counts as zero in every mean. MRR sees the first `top`
rows only, like every other metric.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

Ranks = Sequence[int]
"""The places (from 1, ascending) at which rows took gold entries of one case; empty for a miss."""


@dataclass(frozen=True, slots=True)
class Metric:
    """One measure. `measure` is its name in ir_measures; `value` is the same from one case's ranks and entry count."""

    key: str
    name: str
    sentence: str
    citation: str
    measure: str
    value: Callable[[Ranks, int], Fraction | float]
    cutoff: int = 1
    exact: bool = True

    def applies(self, top: int) -> bool:
        """Whether it can be told from `top` rows."""
        return self.cutoff <= top


def _hit(cutoff: int) -> Metric:
    return Metric(
        key=f"hit@{cutoff}",
        name=f"Hit@{cutoff}",
        sentence=f"The share of cases with an answer among the first {cutoff} rows." if cutoff > 1 else _FIRST,
        citation="success_k of trec_eval",
        measure=f"Success@{cutoff}",
        value=lambda ranks, entries: Fraction(int(bool(ranks) and ranks[0] <= cutoff)),
        cutoff=cutoff,
    )


_FIRST = "The share of cases whose first row is an answer."


def _reciprocal_rank(ranks: Ranks, entries: int) -> Fraction:
    return Fraction(1, ranks[0]) if ranks else Fraction(0)


def _recall(cutoff: int) -> Callable[[Ranks, int], Fraction]:
    return lambda ranks, entries: Fraction(sum(rank <= cutoff for rank in ranks), entries)


def _ndcg(cutoff: int) -> Callable[[Ranks, int], float]:
    def value(ranks: Ranks, entries: int) -> float:
        gained = sum(1 / math.log2(rank + 1) for rank in ranks if rank <= cutoff)
        return gained / sum(1 / math.log2(place + 2) for place in range(min(entries, cutoff)))

    return value


METRICS: tuple[Metric, ...] = (
    _hit(1),
    _hit(3),
    _hit(5),
    _hit(10),
    Metric(
        "recall@5",
        "Recall@5",
        "The mean share of a case's gold entries, each of which would do, among the first 5 rows.",
        "recall_k of trec_eval",
        "R@5",
        _recall(5),
        cutoff=5,
    ),
    Metric(
        "mrr",
        "MRR",
        "The mean of 1 / rank of the first answer, 0 where there is none.",
        "Kantor and Voorhees, The TREC-5 Confusion Track, Information Retrieval 2 (2000)",
        "RR",
        _reciprocal_rank,
    ),
    Metric(
        "ndcg@10",
        "nDCG@10",
        "Discounted gain of a case's gold entries among the first 10 rows, over the greatest possible.",
        "Järvelin and Kekäläinen, Cumulated Gain-Based Evaluation of IR Techniques, ACM TOIS 20 (2002)",
        "nDCG@10",
        _ndcg(10),
        cutoff=10,
        exact=False,
    ),
)

BY_KEY: dict[str, Metric] = {metric.key: metric for metric in METRICS}


def metrics_for(top: int) -> tuple[Metric, ...]:
    """The metrics that `top` rows are enough for."""
    return tuple(metric for metric in METRICS if metric.applies(top))


def mean_exact(metric: Metric, cases: Sequence[tuple[Ranks, int]]) -> Fraction:
    """The metric's mean over (ranks, number of gold entries) of each case, as an exact fraction of the cases.

    Floats are off by an ulp just where a gate decides; hits over cases and sums of 1/rank are not. (nDCG holds
    logarithms: there the fraction is that of its floats.) Raises ZeroDivisionError for no case at all.
    """
    total = sum((Fraction(metric.value(ranks, entries)) for ranks, entries in cases), Fraction(0))
    return total / len(cases)
