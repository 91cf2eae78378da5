"""From the chunk table to the two indexes of its snapshot."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from gitcontext_pipeline.chunks import table
from gitcontext_pipeline.index import bm25, texts, vectors
from gitcontext_pipeline.index.embedding_cache import EmbeddingCache
from gitcontext_pipeline.index.tokens import terms
from gitcontext_pipeline.steps.ledger import StepResult
from gitcontext_pipeline.steps.snapshots import candidate, embedder_of, ledger_of, material
from gitcontext_pipeline.steps.workspace import Workspace
from gitcontext_pipeline.storage import building, fingerprint, locked


def build_vectors(workspace: Workspace) -> StepResult:
    """Vectors of every chunk's passages and summary in LanceDB; only texts never seen before are embedded."""
    snapshot = candidate(workspace)
    embedder = embedder_of(workspace)
    path = snapshot / "lancedb"

    def make() -> Mapping[str, Any]:
        rows = table.read(snapshot / "chunks.parquet").to_pylist()
        cache = EmbeddingCache(workspace.state.embeddings, embedder)
        started = time.perf_counter()
        pieces = [texts.passages(row) for row in rows]
        wanted = [text for each in pieces for text in each]
        passages = len(wanted)
        wanted += [texts.summary_text(row) for row in rows]
        workspace.progress(f"embedding {len(rows)} chunks, in {len(wanted)} short texts, with {embedder.name}")
        done = 0

        def advance(more: int) -> None:
            nonlocal done
            done += more
            workspace.advance(done, len(wanted))

        matrix, embedded = cache.encode(wanted, advance)
        ids = [row["id"] for row in rows]
        index = vectors.from_passages(ids, [len(each) for each in pieces], matrix[:passages], matrix[passages:])
        with building(path) as beside:
            vectors.save(beside, index)
        return {
            "rows": len(rows),
            "passages": passages,
            "embedded": embedded,
            "reused": len(wanted) - embedded,
            "seconds": round(time.perf_counter() - started, 2),
            "model": embedder.name,
            "digest": embedder.digest,
            "dimension": embedder.dimension,
        }

    with locked(workspace.corpus.directory):
        input_ = fingerprint(material(workspace, "chunks").fingerprint, embedder.digest)
        return ledger_of(snapshot).run("vector_index", input_, make, intact=lambda: vectors.is_readable(path))


def build_bm25(workspace: Workspace) -> StepResult:
    """BM25 over five fields (symbol, path, doc comment, body, history), compiled to sparse arrays in Arrow files."""
    snapshot = candidate(workspace)
    path = snapshot / "bm25"

    def make() -> Mapping[str, Any]:
        rows = table.read(snapshot / "chunks.parquet").to_pylist()
        workspace.progress(f"fitting BM25 to {len(rows)} chunks")
        vocabulary: dict[str, int] = {}
        with building(path) as beside:
            for name, documents in texts.column_texts(rows).items():
                index = bm25.fit([terms(document) for document in documents])
                bm25.save(index, beside / name)
                vocabulary[name] = len(index.vocabulary)
        return {"rows": len(rows), "vocabulary": vocabulary}

    with locked(workspace.corpus.directory):
        input_ = fingerprint(material(workspace, "chunks").fingerprint, bm25.K1, bm25.B)
        return ledger_of(snapshot).run("bm25_index", input_, make, output=path)
