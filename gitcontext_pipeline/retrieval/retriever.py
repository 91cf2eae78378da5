"""Search in one snapshot."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gitcontext_pipeline.chunks import table
from gitcontext_pipeline.errors import GitContextError, UsageError
from gitcontext_pipeline.index import bm25, vectors
from gitcontext_pipeline.index.embedder import Embedder, load_embedder
from gitcontext_pipeline.index.texts import FIELDS
from gitcontext_pipeline.index.tokens import query_terms
from gitcontext_pipeline.retrieval.closest import closest_passages
from gitcontext_pipeline.retrieval.confidence import READ, Confidence, confidence_of, signs
from gitcontext_pipeline.retrieval.copies import fold_copies
from gitcontext_pipeline.retrieval.features import Traits, choose, feature_matrix
from gitcontext_pipeline.retrieval.question import Question, read_question
from gitcontext_pipeline.retrieval.ranking import CANDIDATES, Ranked, rank
from gitcontext_pipeline.retrieval.result import Result
from gitcontext_pipeline.retrieval.scores import RawScores, raw_scores
from gitcontext_pipeline.retrieval.weights import DEFAULT, Weights
from gitcontext_pipeline.storage import read_json

if TYPE_CHECKING:
    from numpy.typing import NDArray

SCOPES = ("code", "docs", "history", "tests")


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What is loaded of a snapshot directory."""

    manifest: dict[str, Any]
    chunks: Any
    fields: dict[str, bm25.FieldIndex]
    vectors: vectors.VectorIndex
    traits: Traits
    kinds: NDArray[np.str_]


class Retriever:
    """Weighted hybrid search over one snapshot; not tied to whether it is the published one."""

    def __init__(self, snapshot: Snapshot, embedder: Callable[[], Embedder], weights: Weights = DEFAULT) -> None:
        self._snapshot = snapshot
        self._embedder = embedder
        self.weights = weights
        self._last = threading.local()

    @classmethod
    def open(cls, directory: Path, models: Path, weights: Weights = DEFAULT) -> Retriever:
        """Load the snapshot in `directory`.

        Raises:
            GitContextError: a file of it is missing or damaged.
        """
        manifest = read_json(directory / "manifest.json")
        try:
            loaded = _load(directory, manifest or {})
        except Exception as error:  # Arrow and LanceDB raise whatever their readers stumble over
            told = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise GitContextError(
                f"the snapshot cannot be read: {told}",
                where=directory,
                fix="index again, which makes anew what is damaged; until then: gitcontext rollback NAME",
            ) from error
        model = loaded.manifest["embedding_model"]
        return cls(loaded, lambda: load_embedder(model, models), weights)

    @property
    def manifest(self) -> dict[str, Any]:
        return self._snapshot.manifest

    @property
    def revision(self) -> str:
        return str(self.manifest["revision"])

    @property
    def chunks(self) -> Any:
        """The chunk table (Arrow)."""
        return self._snapshot.chunks

    @property
    def traits(self) -> Traits:
        """What is known of each row of it without any question."""
        return self._snapshot.traits

    def with_weights(self, weights: Weights) -> Retriever:
        """The same snapshot ranked by other weights."""
        return Retriever(self._snapshot, self._embedder, weights)

    def search(self, question: str, top: int = 10, scope: str | None = None) -> list[Result]:
        """The `top` strongest pieces of evidence, best first.

        Raises:
            UsageError: an empty question, an unknown scope, or a `top` below 1.
        """
        return self.search_among(question, top, self._allowed(scope))

    def search_among(self, question: str, top: int, allowed: NDArray[np.bool_]) -> list[Result]:
        """As `search`, among the rows of the chunk table that are `allowed`: one boolean a row."""
        if top < 1:
            raise UsageError(f"top is {top}", fix="ask for at least one result")
        return self._results(self._rank(read_question(question), allowed), top)

    def take(self, rows: Sequence[int]) -> list[Result]:
        """Rows of the chunk table, in the order given; they answer no question, so their score is 0."""
        scores = np.zeros(len(rows), dtype=np.float32)
        return self._read(Ranked(np.asarray(rows, dtype=np.int64), scores, {}))

    def __call__(self, query: str, top: int, scope: str | None) -> Sequence[dict[str, Any]]:
        """The form in which an evaluation calls any retriever."""
        return [result.as_row() for result in self.search(query, top, scope)]

    def _allowed(self, scope: str | None) -> NDArray[np.bool_]:
        kinds, roles = self._snapshot.kinds, self._snapshot.traits.roles
        allowed: NDArray[np.bool_]
        match scope:
            case None | "":
                allowed = np.ones(len(kinds), dtype=bool)
            case "code" | "docs":
                allowed = kinds == scope
            case "history":
                allowed = self._snapshot.traits.is_change
            case "tests":
                allowed = roles == "test"
            case _:
                raise UsageError(f"no scope {scope!r}", fix=f"one of {', '.join(SCOPES)}")
        return allowed

    def features(self, question: str) -> tuple[NDArray[np.int64], dict[str, NDArray[np.float32]]]:
        """The candidate rows for a question without a scope, and their features by name: for learning weights."""
        asked = read_question(question)
        allowed = self._allowed(None)
        scores = self._scores(asked, vectors=True)
        candidates = choose(scores, self._snapshot.traits, allowed, self.weights.fields, CANDIDATES)
        return candidates.rows, feature_matrix(asked, scores, self._snapshot.traits, allowed, candidates)

    def closest_passages(self, question: str, results: Sequence[Result]) -> list[str]:
        """For each of the results the text of its passage that is closest to the question."""
        ids = [result.id for result in results]
        vector, _ = self._heard(read_question(question).text)
        return closest_passages(ids, vector, self._snapshot.chunks, self._snapshot.vectors)

    def confidence(self, question: str, results: Sequence[Result], scope: str | None = None) -> Confidence:
        """How likely `results`, which were found in `scope` and the first of which are read, are about the question."""
        return confidence_of(self.signs(question, results, scope))

    def signs(self, question: str, results: Sequence[Result], scope: str | None = None) -> dict[str, float]:
        """What speaks for and against the results as a whole, by name: for learning what it weighs."""
        asked = read_question(question)
        scores = self._scores(asked, vectors=True)
        lexical = np.zeros(len(self._snapshot.kinds), dtype=np.float32)
        for name, score in scores.fields.items():
            lexical += np.float32(self.weights.fields[name]) * score
        read = self.closest_passages(question, results[:READ])
        among = self._allowed(scope)
        fields, meanings = self._snapshot.fields, self._embedder().words
        return signs(asked.text, lexical[among], scores.passage[among], read, fields, meanings)

    def _scores(self, question: Question, vectors: bool) -> RawScores:
        if vectors:
            return self._heard(question.text)[1]
        return raw_scores(query_terms(question.text), None, self._snapshot.fields, self._snapshot.vectors)

    def _heard(self, text: str) -> tuple[NDArray[np.float32], RawScores]:
        """The question's vector and the scores of every row; each thread's last are kept, since ranking, reading and
        judging all need them."""
        if getattr(self._last, "text", None) != text:
            vector = self._embedder().encode_query(text)
            self._last.found = (
                vector,
                raw_scores(query_terms(text), vector, self._snapshot.fields, self._snapshot.vectors),
            )
            self._last.text = text
        found: tuple[NDArray[np.float32], RawScores] = self._last.found
        return found

    def _rank(self, question: Question, allowed: NDArray[np.bool_]) -> Ranked:
        scores = self._scores(question, self.weights.uses_vectors)
        return rank(question, scores, self._snapshot.traits, allowed, self.weights)

    def _results(self, ranked: Ranked, top: int) -> list[Result]:
        first = slice(3 * top)
        parts = {name: part[first] for name, part in ranked.parts.items()}
        results = self._read(Ranked(ranked.rows[first], ranked.scores[first], parts))
        return (fold_copies(results) if self.weights.fold_copies else results)[:top]

    def _read(self, ranked: Ranked) -> list[Result]:
        if not len(ranked.rows):  # a scope that nothing is in; Arrow cannot tell the type of an empty list
            return []
        rows = table.rows_at(self._snapshot.chunks, ranked.rows.tolist())
        return [
            Result(
                score=round(float(ranked.scores[position]), 6),
                parts={name: round(float(part[position]), 6) for name, part in ranked.parts.items()},
                paths=tuple(row["paths"]),
                **{name: row[name] for name in _ROW_FIELDS},
            )
            for position, row in enumerate(rows)
        ]


_ROW_FIELDS = (
    *("id", "kind", "path", "role", "language", "symbol", "symbol_kind", "signature", "start_line", "end_line"),
    *("revision", "url", "commit", "pr", "author", "date", "text"),
)


def _load(directory: Path, manifest: dict[str, Any]) -> Snapshot:
    chunks = table.read(directory / "chunks.parquet")
    loaded = vectors.load(directory / "lancedb")
    if loaded.ids != tuple(chunks.column("id").to_pylist()):
        raise ValueError("its vectors are those of other chunks")
    fields = {name: bm25.load(directory / "bm25" / name) for name in FIELDS}
    kinds = np.asarray(chunks.column("kind").to_pylist(), dtype=np.str_)
    symbols = chunks.column("symbol").to_pylist()
    traits = Traits(
        symbols=[(symbol or "").lower() for symbol in symbols],
        paths=chunks.column("path").to_pylist(),
        kinds=kinds,
        roles=np.asarray(chunks.column("role").to_pylist(), dtype=np.str_),
        is_release=np.asarray([bool(symbol and _RELEASE.match(symbol)) for symbol in symbols], dtype=bool),
        length=_lengths(chunks),
        changes=_changes_by_chunk(chunks, np.isin(kinds, ("commit", "pull_request"))),
    )
    return Snapshot({**manifest, "embedding_model": manifest["embedding_model"]}, chunks, fields, loaded, traits, kinds)


_RELEASE = re.compile(r"\W{0,3}(?:v(?:ersion)?\.? ?)?\d+\.\d+", re.IGNORECASE)
"""How the heading of one release in a changelog begins: `2.31.0 (2023-05-22)`, `[v1.2]`, `Version 3.0`."""


def _changes_by_chunk(chunks: Any, is_change: NDArray[np.bool_]) -> list[list[int]]:
    """For each chunk, the rows of the changes whose titles its `history` names; the newest of equal titles."""
    titles = chunks.column("signature").to_pylist()
    by_title: dict[str, int] = {}
    for row in np.flatnonzero(is_change):
        by_title.setdefault(titles[row], int(row))
    history = chunks.column("history").to_pylist()
    return [[by_title[title] for title in named if title in by_title] for named in history]


def _lengths(chunks: Any) -> NDArray[np.float32]:
    lengths = np.asarray([len(text) for text in chunks.column("text").to_pylist()], dtype=np.float32)
    return (np.log(lengths + 20) / 5 - 1).astype(np.float32)
