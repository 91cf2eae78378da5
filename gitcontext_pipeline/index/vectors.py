"""The vector index: a LanceDB table with two vectors a chunk, of its text and of its readable summary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

TABLE = "chunks"


@dataclass(frozen=True, slots=True)
class VectorIndex:
    """Unit vectors in chunk order; both of shape (rows, dimension)."""

    ids: tuple[str, ...]
    text: NDArray[np.float32]
    summary: NDArray[np.float32]

    def similarities(self, query: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Cosine of the query with every text and every summary, each of shape (rows,).

        Exact, by one product over the loaded matrix: 10 times faster at 100,000 rows than a table scan, and the
        ranking needs the score of every row anyway, not the nearest few.
        """
        return self.text @ query, self.summary @ query


def save(directory: Path, ids: Sequence[str], text: NDArray[np.float32], summary: NDArray[np.float32]) -> None:
    """Write the table into `directory`, which must be new (snapshots are never changed in place)."""
    import lancedb
    import pyarrow as pa

    def column(matrix: NDArray[np.float32]) -> pa.FixedSizeListArray:
        return pa.FixedSizeListArray.from_arrays(pa.array(matrix.reshape(-1)), matrix.shape[1])

    table = pa.table({"id": list(ids), "vector": column(text), "summary": column(summary)})
    lancedb.connect(str(directory)).create_table(TABLE, table)


def load(directory: Path) -> VectorIndex:
    import lancedb

    table = lancedb.connect(str(directory)).open_table(TABLE).to_arrow().combine_chunks()

    def matrix(name: str) -> NDArray[np.float32]:
        column = table.column(name)
        flat = column.combine_chunks().flatten()
        return np.asarray(flat, dtype=np.float32).reshape(len(table), column.type.list_size)

    return VectorIndex(tuple(table.column("id").to_pylist()), matrix("vector"), matrix("summary"))
