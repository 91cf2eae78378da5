"""Learning the ranking's weights from golden sets, judged on corpora that they never saw.

A linear model under the listwise loss of ListNet's top-one form (Cao et al., "Learning to Rank: From Pairwise Approach
to Listwise Approach", 2007): the probability that a softmax over the candidates puts on the gold ones, maximised, with
an L2 penalty. Convex enough in practice that L-BFGS from zero always ends in the same place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

PENALTY = 0.001
DIGITS = 2


@dataclass(frozen=True, slots=True)
class Asked:
    """One question: `features` of shape (candidates, features), `gold` of shape (candidates,), true for an answer."""

    features: NDArray[np.float32]
    gold: NDArray[np.bool_]


def learn(
    questions: Sequence[Asked],
    names: Sequence[str],
    expected: Mapping[str, float] | None = None,
    penalty: float = PENALTY,
) -> dict[str, float]:
    """The weights by feature name; questions without an answer among their candidates teach nothing.

    `expected` is where a weight stays that the questions say little about (0 where it names none): the penalty is on
    the distance from there.
    """
    from scipy.optimize import minimize

    usable = [(asked.features.astype(np.float64), asked.gold) for asked in questions if asked.gold.any()]

    middle = np.asarray([(expected or {}).get(name, 0.0) for name in names])

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        total, gradient = 0.0, np.zeros_like(weights)
        for features, gold in usable:
            scores = features @ weights
            chances = np.exp(scores - scores.max())
            chances /= chances.sum()
            right = float(chances[gold].sum())
            total -= np.log(right + 1e-12)
            gradient += features.T @ (chances - np.where(gold, chances, 0.0) / max(right, 1e-12))
        count = max(len(usable), 1)
        off = weights - middle
        return total / count + penalty * float(off @ off), gradient / count + 2 * penalty * off

    found = minimize(loss, middle.copy(), jac=True, method="L-BFGS-B").x
    return {name: round(float(weight), DIGITS) for name, weight in zip(names, found, strict=True)}


def leave_one_out(
    corpora: Mapping[str, Sequence[Asked]], names: Sequence[str], expected: Mapping[str, float] | None = None
) -> dict[str, dict[str, float]]:
    """For each corpus, the weights learned from all the others."""
    return {
        left_out: learn(
            [asked for name, each in corpora.items() if name != left_out for asked in each], names, expected
        )
        for left_out in corpora
    }
