"""Arrow columns as NumPy arrays. Arrow's own conversion imports pandas, which a question would feel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

Number = TypeVar("Number", bound=np.generic)


def as_numpy(column: pa.ChunkedArray | pa.Array, dtype: type[Number]) -> NDArray[Number]:
    """The values of a column of numbers without nulls, which must have the type `dtype`; read-only where not copied."""
    if not len(column):
        return np.zeros(0, dtype=dtype)
    array: Any = column.combine_chunks() if hasattr(column, "combine_chunks") else column
    return np.frombuffer(array.buffers()[-1], dtype, len(array), array.offset * np.dtype(dtype).itemsize)
