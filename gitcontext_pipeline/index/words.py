"""What single words mean to an embedding model, before it has read any sentence, and how rare it thinks they are."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

PIECE = 0.7
"""How much rarer a word is for each further piece that the vocabulary has to put it together from."""


KNOWN = 100_000
"""How many words' pieces are kept: splitting a word costs more than looking its vector up."""


class WordVectors:
    """The rows of a model's input embedding, shape (pieces, dimension), and the tokenizer that finds them."""

    def __init__(self, matrix: NDArray[np.generic], pieces: Callable[[str], Sequence[int]]) -> None:
        self._matrix = matrix
        self._pieces = lru_cache(KNOWN)(lambda word: tuple(pieces(word)))

    def vectors(self, words: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors, shape (len(words), dimension): the mean of each word's pieces, zero for a word of none."""
        found = np.zeros((len(words), self._matrix.shape[1]), dtype=np.float32)
        pieces = [self._pieces(word) for word in words]
        rows = [row for row, each in enumerate(pieces) if each]
        if rows:
            flat = self._matrix[[piece for row in rows for piece in pieces[row]]].astype(np.float32)
            starts = np.cumsum([0, *(len(pieces[row]) for row in rows[:-1])])
            found[rows] = np.add.reduceat(flat, starts)  # a sum points where the mean does
        lengths = np.linalg.norm(found, axis=1, keepdims=True)
        found /= np.where(lengths > 0, lengths, 1)
        return found

    def rarity(self, word: str) -> float:
        """From about 3 for `the` to 6 and more. Vocabularies are ordered by frequency: the rank of the rarest piece."""
        pieces = self._pieces(word)
        return max((math.log1p(piece / 100) for piece in pieces), default=0.0) + PIECE * max(0, len(pieces) - 1)
