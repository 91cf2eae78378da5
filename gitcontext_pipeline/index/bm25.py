"""Lexical scores: BM25 fitted by rank-bm25, one model a field, compiled to sparse arrays with the same scores.

Okapi BM25 after Robertson & Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with the
inverse document frequency floor of rank-bm25. What rank-bm25 computes at question time (Python, per term over all
documents) is computed once here for every term and document where it is not zero.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gitcontext_pipeline.index.arrow_columns import as_numpy

if TYPE_CHECKING:
    from numpy.typing import NDArray

K1 = 1.2
B = 0.75


@dataclass(frozen=True, slots=True)
class FieldIndex:
    """One field, term-major: the scores of term t are `scores[starts[t]:starts[t + 1]]` for `rows[...]`."""

    vocabulary: Mapping[str, int]
    starts: NDArray[np.int64]
    rows: NDArray[np.int32]
    scores: NDArray[np.float32]
    size: int

    def score(self, terms: Sequence[str]) -> NDArray[np.float32]:
        """Score of every row, shape (size,); a row that shares no term has exactly 0."""
        total = np.zeros(self.size, dtype=np.float32)
        for term in terms:
            number = self.vocabulary.get(term)
            if number is not None:
                span = slice(self.starts[number], self.starts[number + 1])
                total[self.rows[span]] += self.scores[span]
        return total

    def document_frequency(self, term: str) -> int:
        """In how many rows the term occurs."""
        return len(self.rows_with(term))

    def rows_with(self, term: str) -> NDArray[np.int32]:
        """The rows in which the term occurs."""
        number = self.vocabulary.get(term)
        return self.rows[:0] if number is None else self.rows[self.starts[number] : self.starts[number + 1]]


def fit(documents: Sequence[Sequence[str]]) -> FieldIndex:
    """Fit BM25 to tokenised `documents`; empty documents are allowed and score 0."""
    from rank_bm25 import BM25Okapi

    size = len(documents)
    if not any(documents):  # rank-bm25 divides by the number of terms
        return FieldIndex({}, np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0, np.float32), size)
    model = BM25Okapi(documents, k1=K1, b=B)
    vocabulary = {term: number for number, term in enumerate(sorted(model.idf))}
    lengths = np.asarray(model.doc_len, dtype=np.float64)
    norm = K1 * (1 - B + B * lengths / model.avgdl)
    postings: list[list[tuple[int, float]]] = [[] for _ in vocabulary]
    for row, frequencies in enumerate(model.doc_freqs):
        for term, count in frequencies.items():
            score = model.idf[term] * count * (K1 + 1) / (count + norm[row])
            postings[vocabulary[term]].append((row, score))
    starts = np.zeros(len(postings) + 1, dtype=np.int64)
    np.cumsum([len(posting) for posting in postings], out=starts[1:])
    flat = [entry for posting in postings for entry in posting]
    return FieldIndex(
        vocabulary,
        starts,
        np.fromiter((row for row, _ in flat), dtype=np.int32, count=len(flat)),
        np.fromiter((score for _, score in flat), dtype=np.float32, count=len(flat)),
        size,
    )


def save(index: FieldIndex, directory: Path) -> None:
    """Two Arrow files: `terms.arrow` (term, start, end) and `postings.arrow` (row, score)."""
    import pyarrow as pa

    directory.mkdir(parents=True, exist_ok=True)
    terms = pa.table({"term": list(index.vocabulary), "end": index.starts[1:]})
    terms = terms.replace_schema_metadata({"rows": str(index.size)})
    postings = pa.table({"row": index.rows, "score": index.scores})
    for name, table in (("terms", terms), ("postings", postings)):
        with pa.OSFile(str(directory / f"{name}.arrow"), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table)


def load(directory: Path) -> FieldIndex:
    import pyarrow as pa

    def read(name: str) -> pa.Table:
        return pa.ipc.open_file(pa.memory_map(str(directory / f"{name}.arrow"))).read_all().combine_chunks()

    terms, postings = read("terms"), read("postings")
    ends = as_numpy(terms.column("end"), np.int64)
    return FieldIndex(
        {term: number for number, term in enumerate(terms.column("term").to_pylist())},
        np.concatenate([np.zeros(1, np.int64), ends]),
        as_numpy(postings.column("row"), np.int32),
        as_numpy(postings.column("score"), np.float32),
        int(terms.schema.metadata[b"rows"]),
    )
