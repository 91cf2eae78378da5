"""From the scores of the two indexes to one order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gitcontext_pipeline.retrieval.question import Question
from gitcontext_pipeline.retrieval.weights import Weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Scores = NDArray[np.float32]

CANDIDATES = 200
"""How many of each half are looked at; the right chunk is among the first 100 for 95% of questions."""


@dataclass(frozen=True, slots=True)
class Traits:
    """What the ranking needs to know of every chunk, in row order."""

    symbols: Sequence[str]
    """Lower-cased qualified symbol, or an empty string."""
    paths: Sequence[str]
    roles: NDArray[np.str_]
    is_change: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Ranked:
    """Rows best first, with the final score and its parts, all aligned."""

    rows: NDArray[np.int64]
    scores: Scores
    parts: Mapping[str, Scores]


def rank(
    question: Question,
    lexical: Scores,
    dense: Scores,
    traits: Traits,
    allowed: NDArray[np.bool_],
    weights: Weights,
) -> Ranked:
    """Order the candidates among the `allowed` rows. Ties are broken by row, so that equal input gives equal order."""
    rows = _candidates(lexical, dense, allowed, weights)
    parts: dict[str, Scores] = {
        "lexical": weights.lexical * _from_zero(lexical[rows]),
        "dense": weights.dense * _from_lowest(dense[rows]),
    }
    names = [traits.symbols[row] for row in rows]
    parts["named"] = np.asarray([weights.named * _named(name, question) for name in names], dtype=np.float32)
    factor = _role_factor(traits.roles[rows], question, weights)
    factor *= np.where(
        traits.is_change[rows], weights.asked_history if question.asks_for_change else weights.history, 1.0
    )
    total = (parts["lexical"] + parts["dense"] + parts["named"]) * factor
    parts["factor"] = factor.astype(np.float32)
    order = np.lexsort((rows, -total))
    order = _decay_same_file(order, total, [traits.paths[row] for row in rows], weights.same_file)
    return Ranked(rows[order], total[order].astype(np.float32), {name: part[order] for name, part in parts.items()})


def _candidates(lexical: Scores, dense: Scores, allowed: NDArray[np.bool_], weights: Weights) -> NDArray[np.int64]:
    """Rows that are among the best of either half; a row without any lexical score is no lexical candidate."""
    chosen: list[NDArray[np.int64]] = []
    if weights.lexical:
        positive = np.flatnonzero(allowed & (lexical > 0))
        chosen.append(positive[np.lexsort((positive, -lexical[positive]))[:CANDIDATES]])
    if weights.dense:
        every = np.flatnonzero(allowed)
        chosen.append(every[np.lexsort((every, -dense[every]))[:CANDIDATES]])
    return np.unique(np.concatenate(chosen)) if chosen else np.zeros(0, np.int64)


def _from_zero(scores: Scores) -> Scores:
    """Scaled so that the best is 1 and none is 0."""
    best = float(scores.max(initial=0.0))
    return scores / best if best > 0 else scores


def _from_lowest(scores: Scores) -> Scores:
    """Scaled so that the best is 1 and the lowest 0 (cosines of one model crowd in a narrow band)."""
    if not len(scores):
        return scores
    low, high = float(scores.min()), float(scores.max())
    return (scores - low) / (high - low) if high > low else np.ones_like(scores)


def _named(symbol: str, question: Question) -> float:
    """1 where the question writes the symbol's qualified name, 0.8 for its own name alone, else 0."""
    if not symbol or not question.identifiers:
        return 0.0
    if symbol in question.identifiers:
        return 1.0
    last = symbol.rpartition(".")[2]
    return 0.8 if any(last == found.rpartition(".")[2] for found in question.identifiers) else 0.0


def _role_factor(roles: NDArray[np.str_], question: Question, weights: Weights) -> NDArray[np.float64]:
    wanted = {"test"} if question.asks_for_tests else set()
    wanted |= {"example"} if question.asks_for_examples else set()
    factor = np.ones(len(roles))
    for role, value in weights.roles.items():
        if role not in wanted:
            factor[roles == role] = value
    return factor


def _decay_same_file(
    order: NDArray[np.int64], total: NDArray[np.float64], paths: Sequence[str], decay: float
) -> NDArray[np.int64]:
    """Reorder so that each further chunk of one file counts a little less; changes have no file and do not decay."""
    if decay >= 1 or not len(order):
        return order
    seen: dict[str, int] = {}
    for position in order:
        path = paths[position]
        if path:
            total[position] *= decay ** seen.get(path, 0)
            seen[path] = seen.get(path, 0) + 1
    return np.asarray(sorted(order, key=lambda position: (-total[position], position)), dtype=np.int64)
