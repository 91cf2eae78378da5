"""From features to one order: a weighted sum, then room for other files and other symbols."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gitcontext_pipeline.retrieval.features import Traits, choose, feature_matrix
from gitcontext_pipeline.retrieval.question import Question
from gitcontext_pipeline.retrieval.scores import RawScores
from gitcontext_pipeline.retrieval.weights import Weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Scores = NDArray[np.float32]

CANDIDATES = 150
"""How many of each half are looked at; the right chunk is among the first 100 for 95% of questions."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """Rows best first, with the final score and what it is made of (weight times feature), all aligned."""

    rows: NDArray[np.int64]
    scores: Scores
    parts: Mapping[str, Scores]


def rank(question: Question, scores: RawScores, traits: Traits, allowed: NDArray[np.bool_], weights: Weights) -> Ranked:
    """Order the candidates among the `allowed` rows. Ties are broken by row, so that equal input gives equal order."""
    candidates = choose(scores, traits, allowed, weights.fields, CANDIDATES)
    columns = feature_matrix(question, scores, traits, allowed, candidates)
    parts = {name: weights.features.get(name, 0.0) * column for name, column in columns.items()}
    total: NDArray[np.float64] = np.sum(np.stack(list(parts.values())), axis=0, dtype=np.float64)
    total = total - _crowding(candidates.rows, total, traits, weights)
    order = np.lexsort((candidates.rows, -total))
    return Ranked(
        candidates.rows[order],
        total[order].astype(np.float32),
        {name: part[order] for name, part in parts.items() if part.any()},
    )


def _crowding(
    rows: NDArray[np.int64], total: NDArray[np.float64], traits: Traits, weights: Weights
) -> NDArray[np.float64]:
    """What each row loses for the better rows of the same symbol and the same file; changes have no file."""
    penalty = np.zeros(len(rows))
    symbols: dict[tuple[str, str], int] = {}
    files: dict[str, int] = {}
    for position in np.lexsort((rows, -total)):
        path, symbol = traits.paths[rows[position]], traits.symbols[rows[position]]
        if not path:
            continue
        penalty[position] = weights.same_file * files.get(path, 0)
        files[path] = files.get(path, 0) + 1
        if symbol:
            penalty[position] += weights.same_symbol * symbols.get((path, symbol), 0)
            symbols[path, symbol] = symbols.get((path, symbol), 0) + 1
    return penalty
