"""Small snapshots made of chunks that a test writes down, indexed by the real code with vectors drawn from hashes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gitcontext_pipeline.chunks import table
from gitcontext_pipeline.chunks.table import Chunk
from gitcontext_pipeline.index import bm25, texts, vectors
from gitcontext_pipeline.index.tokens import terms
from gitcontext_pipeline.retrieval.retriever import Retriever
from gitcontext_pipeline.retrieval.weights import DEFAULT, Weights
from gitcontext_pipeline.storage import write_json
from tests.fakes.embedder import FakeEmbedder

REVISION = "a" * 40


def chunk(symbol: str = "", text: str = "", **more: Any) -> Chunk:
    """A function of `pkg/SYMBOL.py`; anything else about it can be said."""
    path = more.get("path", f"pkg/{symbol}.py")
    fields: dict[str, Any] = {
        "corpus": "small",
        "kind": "code",
        "path": path,
        "language": "python",
        "role": "main",
        "symbol": symbol or None,
        "symbol_kind": "function",
        "signature": f"def {symbol}()",
        "doc": "",
        "start_line": 1,
        "end_line": text.count("\n") + 1,
        "text": text or f"def {symbol}():\n    return None",
        "history": (),
        "paths": (),
        "revision": REVISION,
        "commit": None,
        "pr": None,
        "author": None,
        "date": None,
        "url": f"https://example.org/{path}#{symbol}",
    }
    return Chunk(**{**fields, **more})


def section(heading: str, text: str, path: str = "docs/guide.md", **more: Any) -> Chunk:
    """A section of a document."""
    about = {"kind": "docs", "language": "markdown", "symbol_kind": "section", "signature": heading, "path": path}
    return chunk(heading, text, **{**about, **more})


def change(title: str, number: int, text: str = "", **more: Any) -> Chunk:
    """A merged pull request."""
    about: dict[str, Any] = {
        "kind": "pull_request",
        "path": "",
        "language": "",
        "symbol_kind": None,
        "signature": title,
        "commit": f"{number:040x}",
        "pr": number,
        "url": f"https://example.org/pull/{number}",
    }
    return chunk("", text or title, **{**about, **more})


def retriever_of(
    chunks: Sequence[Chunk], directory: Path, weights: Weights = DEFAULT, embedder: FakeEmbedder | None = None
) -> Retriever:
    """A retriever over a snapshot of `chunks` in `directory`, in the order given."""
    embedder = embedder or FakeEmbedder()
    directory.mkdir(parents=True)
    table.write(chunks, directory / "chunks.parquet")
    rows = table.read(directory / "chunks.parquet").to_pylist()
    for name, documents in texts.column_texts(rows).items():
        bm25.save(bm25.fit([terms(document) for document in documents]), directory / "bm25" / name)
    pieces = [texts.passages(row) for row in rows]
    index = vectors.from_passages(
        [row["id"] for row in rows],
        [len(each) for each in pieces],
        embedder.encode_documents([text for each in pieces for text in each]),
        embedder.encode_documents([texts.summary_text(row) for row in rows]),
    )
    vectors.save(directory / "lancedb", index)
    manifest = {"corpus": "small", "revision": REVISION, "embedding_model": embedder.name}
    write_json(directory / "manifest.json", manifest)
    opened = Retriever.open(directory, directory / "no models")
    return Retriever(opened._snapshot, lambda: embedder, weights)
