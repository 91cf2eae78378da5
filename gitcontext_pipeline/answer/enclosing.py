"""The symbol that some lines of a file belong to, as the chunk table knows it."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import asdict, dataclass
from typing import Any

from gitcontext_pipeline.answer.source import Place
from gitcontext_pipeline.chunks import table
from gitcontext_pipeline.state import CorpusState


@dataclass(frozen=True, slots=True)
class Enclosing:
    """What is known of the place: the file's language, and the symbol all its lines are in, None where they are in
    none or in several."""

    language: str
    symbol: str | None = None
    symbol_kind: str | None = None

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def enclosing(corpus: CorpusState, place: Place) -> Enclosing:
    """What the published chunks of `corpus` tell of `place`; what they do not tell is left
    out, and the language is then `text`."""
    import pyarrow as pa

    snapshot = corpus.current
    if snapshot is None:
        return Enclosing("text")
    columns = ("kind", "path", "language", "symbol", "symbol_kind", "start_line", "end_line")
    try:
        found = table.read(snapshot / "chunks.parquet", columns)
    except (OSError, pa.ArrowException):
        return Enclosing("text")
    rows = table.rows_at(
        found, [row for row, path in enumerate(found.column("path").to_pylist()) if path == place.path]
    )
    covered: dict[tuple[str, str], set[int]] = defaultdict(set)  # a long symbol is several chunks
    for row in rows:
        if row["symbol"]:
            covered[row["symbol"], row["symbol_kind"] or ""].update(range(row["start_line"], row["end_line"] + 1))
    wanted = set(range(place.start, place.end + 1))
    around = [(len(lines), *symbol) for symbol, lines in covered.items() if wanted <= lines]
    language = rows[0]["language"] if rows else "text"
    if not around:
        return Enclosing(language)
    _, symbol, kind = min(around)
    return Enclosing(language, symbol, kind or None)
