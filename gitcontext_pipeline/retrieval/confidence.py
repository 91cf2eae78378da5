"""Whether what was found is about the question at all: a few signs of it, weighed into one number.

Ranking scores are scaled within the question, so they say which result is best and nothing of how good it is. The signs
here are not scaled. Their weights, and where the line is, are learned by `gitcontext eval confidence --learn`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gitcontext_pipeline.index.bm25 import FieldIndex
from gitcontext_pipeline.index.tokens import parts, query_terms, terms, words

if TYPE_CHECKING:
    from gitcontext_pipeline.index.words import WordVectors

    Column = np.typing.NDArray[np.float32]

READ = 3
"""How many of the first results are read."""
SIMILAR = 5
"""How many of the most similar passages count for `similar`."""
SURE = 2
"""From so many unknown names on, more of them say nothing more."""
FEW = 4
"""Words that a question is taken to have at least: one word that the corpus is full of is a fair question."""
MANY, CHANCE = 500, 0.1
"""Among few chunks the nearest is further off: below MANY, `similar` is raised by CHANCE for every factor of e."""

SIGNS: Mapping[str, str] = {
    "terms": "BM25 of the best chunk, against the logarithm of the number of chunks",
    "words": "how much of the question, rare words first, one of the first results says in the same or like words",
    "unknown": "names written as code that this corpus does not have",
    "length": "logarithm of the number of words asked with, four where there are fewer",
    "similar": "mean cosine of the passages most similar to the question, raised where chunks are few",
}
WEIGHTS: Mapping[str, float] = {"terms": 0.695, "words": 4.639, "unknown": -1.484, "length": 1.196, "similar": 5.077}
BIAS = -10.366
LINE = -0.562
"""The sum below which evidence is weak: 8% of the questions that have an answer are below it."""

_NAME = re.compile(r"_|[a-z0-9][A-Z]|[A-Z]{2}[a-z]")
_SHORTEST_NAME = 5


@dataclass(frozen=True, slots=True)
class Confidence:
    """How likely the best results are to answer, from 0 to 1, and the `line` below which they are called weak."""

    value: float
    line: float

    @property
    def strong(self) -> bool:
        return self.value >= self.line


def signs(
    question: str,
    lexical: Column,
    passage: Column,
    read: Sequence[str],
    fields: Mapping[str, FieldIndex],
    meanings: WordVectors,
) -> dict[str, float]:
    """The signs by name, for a question and the passages `read` of its first results.

    `lexical` holds the BM25 score of every row in scope, `passage` the cosine of its best one; both of shape (rows,).
    """
    asked = [word for word in dict.fromkeys(words(question)) if query_terms(word)]
    return {
        "terms": float(lexical.max(initial=0.0)) / math.log1p(max(len(lexical), 2)),
        "words": max((_shared(asked, text, meanings) for text in read), default=0.0),
        "unknown": float(min(SURE, sum(_is_unknown(word, fields) for word in asked))),
        "length": math.log1p(max(FEW, len(asked))),
        "similar": _similar(passage),
    }


def weighed(found: Mapping[str, float]) -> float:
    """One number, greater for a question that is more likely to have its answer in the corpus; 0 is even odds."""
    return BIAS + sum(weight * found[name] for name, weight in WEIGHTS.items())


def confidence_of(found: Mapping[str, float]) -> Confidence:
    return Confidence(_chance(weighed(found)), _chance(LINE))


def _similar(passage: Column) -> float:
    if not len(passage):
        return 0.0
    return float(np.sort(passage)[-SIMILAR:].mean()) + CHANCE * max(0.0, math.log(MANY / len(passage)))


def _shared(asked: Sequence[str], text: str, meanings: WordVectors) -> float:
    """How much of the question comes back in `text`: for each of its words the cosine of the nearest word there."""
    there = list(dict.fromkeys(lowered for word in words(text) for lowered in (word.lower(), *parts(word))))
    if not asked or not there:
        return 0.0
    lowered = [word.lower() for word in asked]
    nearest = (meanings.vectors(lowered) @ meanings.vectors(there).T).max(axis=1)
    rarity = np.asarray([meanings.rarity(word) for word in lowered]) ** 2
    return float(nearest @ rarity / max(float(rarity.sum()), 1e-9))


def _is_unknown(word: str, fields: Mapping[str, FieldIndex]) -> bool:
    if len(word) < _SHORTEST_NAME or not _NAME.search(word):
        return False
    whole = terms(word)[:1]
    return bool(whole) and not any(index.document_frequency(whole[0]) for index in fields.values())


def _chance(total: float) -> float:
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))
