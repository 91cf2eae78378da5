"""A copy of the vector table that is read without LanceDB, whose import takes longer than answering a question.

LanceDB stays the store of record: the copy is only believed while it is whole and the table beside it is the one that
it was made from.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from gitcontext_pipeline.storage import fingerprint, read_json, sha256_file, write_json

if TYPE_CHECKING:
    import pyarrow as pa

COPY = "vectors.arrow"
RECORD = "vectors.json"


def write_copy(table: pa.Table, stored: Path) -> None:
    """Write `table` as one Arrow file beside `stored`, the directory of the LanceDB table with the same rows."""
    import pyarrow as pa

    path = stored.parent / COPY
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    write_json(stored.parent / RECORD, {"sha256": sha256_file(path), "table": _identity(stored)})


def read_copy(stored: Path) -> pa.Table | None:
    """The rows of the LanceDB table in `stored`; None where there is no copy of just this table, or it is damaged."""
    import pyarrow as pa

    record = read_json(stored.parent / RECORD)
    try:
        data = (stored.parent / COPY).read_bytes()
    except OSError:
        return None
    if record != {"sha256": hashlib.sha256(data).hexdigest(), "table": _identity(stored)}:
        return None
    return pa.ipc.open_file(pa.py_buffer(data)).read_all()


def _identity(stored: Path) -> str:
    """Of the table's files, which LanceDB names anew whenever it writes; empty directories do not count."""
    files = sorted(path for path in stored.rglob("*") if path.is_file())
    return fingerprint([(path.relative_to(stored).as_posix(), path.stat().st_size) for path in files])
