"""What the indexes say about every chunk for one question, before anything is weighed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gitcontext_pipeline.index.bm25 import FieldIndex
from gitcontext_pipeline.index.vectors import VectorIndex

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Scores = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class RawScores:
    """All of shape (rows,). BM25 by field; share of the question's terms present, by inverse document frequency;
    cosine with the best passage and with the summary."""

    fields: Mapping[str, Scores]
    coverage: Scores
    passage: Scores
    summary: Scores


def raw_scores(
    terms: Sequence[str], query: Scores | None, fields: Mapping[str, FieldIndex], vectors: VectorIndex
) -> RawScores:
    """Scores of every row for the question's `terms` and its vector (None: the dense half is switched off)."""
    size = len(vectors.ids)
    nothing = np.zeros(size, dtype=np.float32)
    passage, summary = vectors.similarities(query) if query is not None and size else (nothing, nothing)
    return RawScores(
        fields={name: index.score(terms) for name, index in fields.items()},
        coverage=_coverage(terms, fields, size),
        passage=passage,
        summary=summary,
    )


def _coverage(terms: Sequence[str], fields: Mapping[str, FieldIndex], size: int) -> Scores:
    covered = np.zeros(size, dtype=np.float32)
    total = 0.0
    for term in terms:
        present = np.zeros(size, dtype=bool)
        for index in fields.values():
            present[index.rows_with(term)] = True
        weight = math.log(1 + size / max(1, int(present.sum())))
        covered[present] += weight
        total += weight
    return covered / total if total else covered
