"""An embedder that needs no model: the vector of a text is drawn from its hash."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from gitcontext_pipeline.index.words import WordVectors


class FakeEmbedder:
    """Records in `asked` every text it was asked to embed, in order."""

    def __init__(self, name: str = "fake", *, digest: str = "0" * 12, dimension: int = 8) -> None:
        self.name = name
        self.digest = digest
        self.dimension = dimension
        self.asked: list[str] = []
        self.words = WordVectors(np.eye(256, dimension, dtype=np.float32), lambda word: list(word.encode()))

    def encode_documents(
        self, texts: Sequence[str], advance: Callable[[int], None] = lambda _: None
    ) -> NDArray[np.float32]:
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            vectors[row] = self.encode_query(text)
            advance(1)
        return vectors

    def encode_query(self, text: str) -> NDArray[np.float32]:
        self.asked.append(text)
        seed = hashlib.sha256(f"{self.digest} {text}".encode()).digest()
        vector = np.random.default_rng(int.from_bytes(seed[:8])).normal(size=self.dimension)
        return (vector / np.linalg.norm(vector)).astype(np.float32)
