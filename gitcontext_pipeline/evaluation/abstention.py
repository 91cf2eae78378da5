"""Saying "no strong evidence" when there is none: how often that is right, and what its signs weigh.

Its golden set, the questions mined from it and the names of its symbols have an answer in a corpus; the questions of
its set without an answer have none, and nor have those that were written for, mined from, or named in another
repository. Some of the latter can be answered all the same (two web frameworks have much in common), so not all of them
are expected to be flagged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from gitcontext_pipeline.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

Sort = Literal["golden", "mined", "name", "unanswerable", "foreign golden", "foreign mined", "foreign name"]
SORTS: tuple[Sort, ...] = get_args(Sort)
ANSWERABLE: tuple[Sort, ...] = ("golden", "mined", "name")
ABSENT: tuple[Sort, ...] = ("unanswerable", "foreign golden", "foreign mined")
SHARE: Mapping[Sort, float] = {
    "golden": 1.0,
    "name": 0.04,
    "unanswerable": 0.35,
    "foreign golden": 0.35,
    "foreign mined": 0.3,
    "foreign name": 0.02,
}
"""How much each sort counts when weights are learned. Mined questions quote the corpus and would teach that alone;
names teach that few words can be enough."""
SPARED = 0.08
"""The share of the golden questions that the line may flag."""
PENALTY = 0.02
DIGITS = 3


@dataclass(frozen=True, slots=True)
class Judged:
    """One question put to one corpus, and its signs by name."""

    corpus: str
    sort: Sort
    question: str
    signs: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Learned:
    """What the signs weigh: even odds are at 0, and below `line` evidence is called weak."""

    weights: Mapping[str, float]
    bias: float
    line: float

    def weighed(self, signs: Mapping[str, float]) -> float:
        return self.bias + sum(weight * signs[name] for name, weight in self.weights.items())


def learn(judged: Sequence[Judged], penalty: float = PENALTY) -> Learned:
    """Logistic regression on standardised signs with an L2 penalty; the line spares all but `SPARED` of the golden.

    Raises:
        UsageError: there is nothing with an answer among them, or nothing without.
    """
    from scipy.optimize import minimize

    taught = [one for one in judged if one.sort in SHARE]
    sorts = {one.sort for one in taught}
    if "golden" not in sorts or sorts.isdisjoint(ABSENT):
        raise UsageError(
            "confidence is learned from questions with an answer and from some without",
            fix="name corpora with golden sets, two or more of different repositories",
        )
    names = list(taught[0].signs)
    raw = np.asarray([[one.signs[name] for name in names] for one in taught])
    middle, spread = raw.mean(axis=0), raw.std(axis=0) + 1e-9
    signs = (raw - middle) / spread
    side = np.asarray([1.0 if one.sort in ANSWERABLE else -1.0 for one in taught])
    counts = {sort: sum(one.sort == sort for one in taught) for sort in SHARE}
    weight = np.asarray([SHARE[one.sort] / counts[one.sort] for one in taught])

    def loss(at: NDArray[np.float64]) -> float:
        margins = side * (signs @ at[:-1] + at[-1])
        return float(weight @ np.logaddexp(0, -margins) + penalty * (at[:-1] @ at[:-1]))

    found = minimize(loss, np.zeros(len(names) + 1), method="L-BFGS-B").x
    weights = {name: round(float(value), DIGITS) for name, value in zip(names, found[:-1] / spread, strict=True)}
    bias = round(float(found[-1] - (found[:-1] / spread) @ middle), DIGITS)
    learned = Learned(weights, bias, 0.0)
    golden = [learned.weighed(one.signs) for one in judged if one.sort == "golden"]
    return replace(learned, line=round(float(np.quantile(golden, SPARED)), DIGITS))


def flagged(
    judged: Sequence[Judged], weighed: Callable[[Mapping[str, float]], float], line: float
) -> dict[Sort, tuple[int, int]]:
    """For each sort of question how many fell below `line`, of how many."""
    sums: dict[Sort, list[float]] = {sort: [] for sort in SORTS}
    for one in judged:
        sums[one.sort].append(weighed(one.signs))
    return {sort: (sum(value < line for value in each), len(each)) for sort, each in sums.items() if each}


def elsewhere(judged: Sequence[Judged]) -> dict[str, dict[Sort, tuple[int, int]]]:
    """As `flagged`, for each corpus by what was learned from the others alone, where they teach anything."""
    found: dict[str, dict[Sort, tuple[int, int]]] = {}
    for corpus in dict.fromkeys(one.corpus for one in judged):
        try:
            learned = learn([one for one in judged if one.corpus != corpus])
        except UsageError:
            continue
        own = [one for one in judged if one.corpus == corpus]
        found[corpus] = flagged(own, learned.weighed, learned.line)
    return found


def together(counts: Mapping[Sort, tuple[int, int]], sorts: Iterable[Sort]) -> tuple[int, int]:
    """The counts of several sorts added up."""
    chosen = [counts[sort] for sort in sorts if sort in counts]
    return sum(part for part, _ in chosen), sum(whole for _, whole in chosen)
