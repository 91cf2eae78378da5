"""What is known of a candidate for a question, as numbers that a weighted sum can rank by.

Every feature is scaled within the question, so that weights mean the same on any corpus.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gitcontext_pipeline.retrieval.question import Question
from gitcontext_pipeline.retrieval.scores import RawScores

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Column = NDArray[np.float32]

VOTERS = 20
"""How many of the best chunks vote for the changes that last touched them, and the other way round."""

PASSAGE_MIX = 0.7
"""Share of the best passage in the single dense number; the rest is the summary's."""


@dataclass(frozen=True, slots=True)
class Traits:
    """What the ranking needs to know of every chunk, in row order; all of length rows."""

    symbols: Sequence[str]
    """Lower-cased qualified symbol, or an empty string."""
    paths: Sequence[str]
    kinds: NDArray[np.str_]
    roles: NDArray[np.str_]
    is_release: NDArray[np.bool_]
    """Whether the chunk is the section of one release in a changelog."""
    length: Column
    """Logarithm of the text's length, about -0.4 to 1."""
    changes: Sequence[Sequence[int]]
    """The rows of the changes that last touched the chunk, most lines first."""

    @property
    def is_change(self) -> NDArray[np.bool_]:
        changes: NDArray[np.bool_] = np.isin(self.kinds, ("commit", "pull_request"))
        return changes


@dataclass(frozen=True, slots=True)
class Candidates:
    """The rows that are ranked, ascending, and the overall lexical and dense numbers of every row, from 0 to 1."""

    rows: NDArray[np.int64]
    lexical: Column
    dense: Column


def scaled(values: Column, allowed: NDArray[np.bool_]) -> Column:
    """0 at the median of the allowed rows, 1 at their best: cosines of one model crowd in a narrow band."""
    if not allowed.any():
        return np.zeros_like(values)
    middle, best = float(np.median(values[allowed])), float(values[allowed].max())
    return (values - middle) / (best - middle) if best > middle else np.zeros_like(values)


def choose(
    scores: RawScores, traits: Traits, allowed: NDArray[np.bool_], fields: Mapping[str, float], most: int
) -> Candidates:
    """The `most` best of each half, among changes and among everything else; zero lexical scores choose nothing.

    `fields` says how much the BM25 score of each field counts.
    """
    lexical = np.zeros(len(allowed), dtype=np.float32)
    for name, score in scores.fields.items():
        lexical += np.float32(fields[name]) * score
    best = float(lexical.max(initial=0.0))
    lexical = lexical / best if best else lexical
    dense = scaled(PASSAGE_MIX * scores.passage + (1 - PASSAGE_MIX) * scores.summary, allowed)
    chosen = []
    for pool in (allowed & traits.is_change, allowed & ~traits.is_change):
        for half, positive in ((lexical, lexical > 0), (dense, dense > -np.inf)):
            rows = np.flatnonzero(pool & positive)
            chosen.append(rows[np.lexsort((rows, -half[rows]))[:most]])
    return Candidates(np.unique(np.concatenate(chosen)), lexical, dense)


def feature_matrix(
    question: Question, scores: RawScores, traits: Traits, allowed: NDArray[np.bool_], candidates: Candidates
) -> dict[str, Column]:
    """The features of the candidates by name, each of shape (candidates,)."""
    rows = candidates.rows
    columns: dict[str, Column] = {"lexical": candidates.lexical[rows], "coverage": scores.coverage[rows]}
    columns["passage"] = scaled(scores.passage, allowed)[rows]
    columns["summary"] = scaled(scores.summary, allowed)[rows]
    named = [_named(traits.symbols[row], question.identifiers) for row in rows]
    columns["named"] = np.asarray(named, dtype=np.float32)
    columns["length"] = traits.length[rows]
    change = traits.is_change[rows]
    columns |= {
        "change": _flag(change),
        "change, asked for": _flag(change & question.asks_for_change),
        "plain commit": _flag(traits.kinds[rows] == "commit"),
        "docs": _flag(traits.kinds[rows] == "docs"),
        "docs, change asked for": _flag((traits.kinds[rows] == "docs") & question.asks_for_change),
        "release, asked for": _flag(traits.is_release[rows] & question.asks_for_release),
        "release": _flag(traits.is_release[rows] & (not (question.asks_for_release or question.asks_for_change))),
        "test": _flag((traits.roles[rows] == "test") & (not question.asks_for_tests)),
        "example": _flag((traits.roles[rows] == "example") & (not question.asks_for_examples)),
        "secondary": _flag(np.isin(traits.roles[rows], ("generated", "vendored", "translated", "bot"))),
    }
    voted, touched = _votes(traits, candidates, rows)
    columns["fits the found, asked for"] = voted * question.asks_for_change
    columns["touched by the found"] = touched
    return columns


FEATURES: Mapping[str, str] = {
    "lexical": "BM25 over all fields, 1 for the best chunk",
    "coverage": "share of the question's terms in the chunk, by inverse document frequency",
    "passage": "similarity of the best passage, 1 for the best chunk, 0 for the median",
    "summary": "similarity of the summary, scaled likewise",
    "named": "the question writes the symbol's name as code would",
    "length": "logarithm of the text's length",
    "change": "a commit or pull request",
    "change, asked for": "the same, where the question asks for a change",
    "plain commit": "a commit that no pull request stands for",
    "docs": "a section of a document",
    "docs, change asked for": "the same, where the question asks for a change",
    "release, asked for": "a release's section in a changelog, where the question asks for a release",
    "release": "the same, where the question asks for neither a release nor a change",
    "test": "a test, where the question does not ask for tests",
    "example": "an example, where the question does not ask for one",
    "secondary": "generated, vendored or translated text, or a bot's change",
    "fits the found, asked for": "a change that touched code which fits, where the question asks for a change",
    "touched by the found": "code or docs that a fitting change touched",
}
"""Every feature and what it says."""


def _flag(flags: NDArray[np.bool_]) -> Column:
    return flags.astype(np.float32)


def _named(symbol: str, identifiers: frozenset[str]) -> float:
    """1 where the question writes the symbol's qualified name as code, 0.8 for its own name alone, else 0."""
    if not symbol or not identifiers:
        return 0.0
    if symbol in identifiers:
        return 1.0
    last = symbol.rpartition(".")[2]
    return 0.8 if any(last == found.rpartition(".")[2] for found in identifiers) else 0.0


def _votes(traits: Traits, candidates: Candidates, rows: NDArray[np.int64]) -> tuple[Column, Column]:
    """Code that fits speaks for the change that made it so, and a change that fits for the code it touched."""
    base = 0.4 * candidates.lexical + 0.6 * candidates.dense
    is_change = traits.is_change

    def best(among: NDArray[np.int64]) -> NDArray[np.int64]:
        return among[np.lexsort((among, -base[among]))[:VOTERS]]

    votes: dict[int, float] = {}
    for row in best(rows[~is_change[rows]]):
        for position, change in enumerate(traits.changes[row]):
            votes[change] = max(votes.get(change, 0.0), float(base[row]) * (1 - 0.1 * position))
    found = {int(row): float(base[row]) for row in best(rows[is_change[rows]])}
    voted = [votes.get(int(row), 0.0) for row in rows]
    touched = [max((found.get(change, 0.0) for change in traits.changes[row]), default=0.0) for row in rows]
    return np.asarray(voted, dtype=np.float32), np.asarray(touched, dtype=np.float32)
