"""The chunk table: one row a passage, with everything needed to find it, show it and link it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gitcontext_pipeline.chunks.schema import Kind

if TYPE_CHECKING:
    import pyarrow as pa

COLUMNS: Mapping[str, tuple[str, str]] = {
    "id": ("string", "stable hash of corpus, path, symbol and text (16 hex digits)"),
    "corpus": ("string", "name of the corpus"),
    "kind": ("string", "code, docs, commit or pull_request"),
    "path": ("string", "path from the repository's top; empty for a change, which has `paths`"),
    "language": ("string", "language or format of the file"),
    "role": ("string", "main, test, example, generated, vendored or translated"),
    "symbol": ("string", "qualified name, section heading, or null"),
    "symbol_kind": ("string", "function, method, class, section, ..."),
    "signature": ("string", "the definition's header, a section's heading path, or a change's title"),
    "doc": ("string", "doc comment without comment markers"),
    "start_line": ("int32", "first line, 1-based"),
    "end_line": ("int32", "last line, inclusive"),
    "text": ("string", "the excerpt"),
    "text_sha256": ("string", "SHA-256 of the excerpt"),
    "history": ("list<string>", "titles of the changes that last touched these lines, most lines first"),
    "paths": ("list<string>", "files that a change touched"),
    "revision": ("string", "the indexed commit (40 hex digits)"),
    "commit": ("string", "the change's own commit (40 hex digits), or null"),
    "pr": ("int32", "number of the merged pull request, or null"),
    "author": ("string", "author of the change, or null"),
    "date": ("string", "when the change was made, ISO 8601 in UTC, or null"),
    "url": ("string", "immutable link to exactly this passage"),
    "search_text": ("string", "what of `text` says something and is searched; null where that is all of it"),
    "introduced": ("string", "the change that the oldest of these lines came with (40 hex digits), or null"),
    "changed": ("string", "the change that last really changed these lines (40 hex digits), or null"),
    "stands": ("list<string>", "for a change, links to its lines that still stand, main code and long stretches first"),
}


@dataclass(frozen=True, slots=True)
class Chunk:
    """One row of the chunk table; see `COLUMNS` for what each field means."""

    corpus: str
    kind: Kind
    path: str
    language: str
    role: str
    symbol: str | None
    symbol_kind: str | None
    signature: str
    doc: str
    start_line: int
    end_line: int
    text: str
    history: tuple[str, ...]
    paths: tuple[str, ...]
    revision: str
    commit: str | None
    pr: int | None
    author: str | None
    date: str | None
    url: str
    search_text: str | None = None
    introduced: str | None = None
    changed: str | None = None
    stands: tuple[str, ...] = ()

    @property
    def text_sha256(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()


def to_arrow(chunks: Sequence[Chunk]) -> pa.Table:
    """The table of `chunks` in the order given. Ids are unique: equal passages of one file count upwards."""
    import pyarrow as pa

    types = {
        "string": pa.string(),
        "int32": pa.int32(),
        "list<string>": pa.list_(pa.string()),
    }
    schema = pa.schema([pa.field(name, types[kind]) for name, (kind, _) in COLUMNS.items()])
    columns: dict[str, Sequence[Any]] = {
        name: [getattr(chunk, name) for chunk in chunks] for name in COLUMNS if name != "id"
    }
    columns["id"] = list(_ids(chunks))
    return pa.table({name: pa.array(columns[name], schema.field(name).type) for name in COLUMNS}, schema=schema)


def _ids(chunks: Iterable[Chunk]) -> Iterable[str]:
    seen: dict[tuple[str, ...], int] = {}
    for chunk in chunks:
        key = (chunk.corpus, chunk.path, chunk.symbol or "", chunk.commit or "", chunk.text_sha256)
        count = seen[key] = seen.get(key, -1) + 1
        yield hashlib.sha256("\0".join([*key, str(count)]).encode()).hexdigest()[:16]


def write(chunks: Sequence[Chunk], path: Path) -> None:
    import pyarrow.parquet as pq

    pq.write_table(to_arrow(chunks), path, compression="zstd")


def read(path: Path, columns: Sequence[str] | None = None) -> pa.Table:
    """The table in `path`, or those of the `columns` that it has."""
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:  # the dataset reader would import pandas
        return file.read(columns=None if columns is None else list(columns))


def rows_at(found: pa.Table, positions: Sequence[int]) -> list[dict[str, Any]]:
    """The rows of `found` at `positions`, in that order; Arrow's `take` of a list would import pandas."""
    return [row for position in positions for row in found.slice(position, 1).to_pylist()]
