"""The passage of a chunk that is closest to a question: the few lines that the chunk was found for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gitcontext_pipeline.chunks.table import rows_at
from gitcontext_pipeline.index.texts import passages
from gitcontext_pipeline.index.vectors import VectorIndex

if TYPE_CHECKING:
    from numpy.typing import NDArray


def closest_passages(ids: Sequence[str], query: NDArray[np.float32], chunks: Any, vectors: VectorIndex) -> list[str]:
    """For each chunk of `ids` the text of its passage with the greatest cosine with `query`, as it was embedded.

    `chunks` is the chunk table whose rows `vectors` are of.
    """
    rows = {id_: row for row, id_ in enumerate(vectors.ids)}
    places = [rows[id_] for id_ in ids]
    found = []
    for place, chunk in zip(places, rows_at(chunks, places), strict=True):
        texts = passages(chunk)
        span = vectors.passages[vectors.starts[place] : vectors.starts[place + 1]]
        found.append(texts[min(int(np.argmax(span @ query)), len(texts) - 1)])
    return found
