"""Vectors by text: what was embedded once by a model is never embedded again, whichever corpus or snapshot asks."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gitcontext_pipeline.index.embedder import Embedder

_BATCH = 64


class EmbeddingCache:
    """One SQLite file a model under `directory`: transactions make it safe to kill and to share between processes."""

    def __init__(self, directory: Path, embedder: Embedder) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        label = "".join(c if c.isalnum() or c in ".-" else "_" for c in Path(embedder.name).name)
        self._path = directory / f"{label}-{embedder.digest}.sqlite"
        self._embedder = embedder

    def encode(
        self, texts: Sequence[str], advance: Callable[[int], None] = lambda _: None
    ) -> tuple[NDArray[np.float32], int]:
        """Vectors of `texts`, shape (len(texts), dimension), and how many distinct texts had to be embedded anew.

        A damaged file is begun anew: all that was in it can be made again.
        """
        try:
            return self._encode(texts, advance)
        except sqlite3.OperationalError:  # locked, or the disk is full: nothing is wrong with the file
            raise
        except sqlite3.DatabaseError:
            for suffix in ("", "-wal", "-shm"):
                self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)
            return self._encode(texts, advance)

    def _encode(self, texts: Sequence[str], advance: Callable[[int], None]) -> tuple[NDArray[np.float32], int]:
        keys = [hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:16] for text in texts]
        with closing(sqlite3.connect(self._path, timeout=120)) as database:
            database.execute("PRAGMA journal_mode=WAL")
            database.execute("CREATE TABLE IF NOT EXISTS vectors (text BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID")
            known = self._known(database, set(keys))
            missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
            advance(len(texts) - len(missing))
            pending = list(missing.items())
            for start in range(0, len(pending), _BATCH):
                batch = pending[start : start + _BATCH]
                vectors = self._embedder.encode_documents([text for _, text in batch], advance)
                rows = [(key, vector.astype("<f4").tobytes()) for (key, _), vector in zip(batch, vectors, strict=True)]
                with database:
                    database.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)
                known.update(rows)
        matrix = np.empty((len(keys), self._embedder.dimension), dtype=np.float32)
        for row, key in enumerate(keys):
            matrix[row] = np.frombuffer(known[key], dtype="<f4")
        return matrix, len(missing)

    def _known(self, database: sqlite3.Connection, keys: set[bytes]) -> dict[bytes, bytes]:
        width = 4 * self._embedder.dimension
        found: dict[bytes, bytes] = {}
        wanted = sorted(keys)
        for start in range(0, len(wanted), 500):  # SQLite's limit on variables
            batch = wanted[start : start + 500]
            marks = ",".join("?" * len(batch))
            query = f"SELECT text, vector FROM vectors WHERE text IN ({marks})"  # noqa: S608 (marks are question marks)
            found.update((key, blob) for key, blob in database.execute(query, batch) if len(blob) == width)
        return found
