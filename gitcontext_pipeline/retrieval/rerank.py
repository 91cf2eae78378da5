"""An optional second opinion on the first results: a cross-encoder reads the question and each passage together.

Off unless a model is named. Such models are trained on web text and hurt the order of code as often as they mend it,
so the opinion is confined to chosen kinds of results and only shares in the decision.
"""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gitcontext_pipeline.errors import UsageError
from gitcontext_pipeline.retrieval.result import Result

if TYPE_CHECKING:
    from gitcontext_pipeline.retrieval.retriever import Retriever

FIRST = 20
"""How many results are read; what is further down stays there."""
SHARE = 0.5
"""How much the cross-encoder's order counts against the retriever's; 1 replaces it."""
PART = "cross-encoder"
"""The name under which `Result.parts` tells the model's score, beside what the retriever's score is made of."""
KINDS = {"code": ("code",), "docs": ("docs",), "history": ("commit", "pull_request")}
DEFAULT_KINDS = ("code", "docs")


class Reranker:
    """One cross-encoder: an id on a model hub, or a folder, as sentence-transformers reads it; loaded at first use."""

    def __init__(
        self, model: str, kinds: Iterable[str] = DEFAULT_KINDS, *, first: int = FIRST, share: float = SHARE
    ) -> None:
        """Raises UsageError for a kind that there is not."""
        chosen = tuple(kinds)
        unknown = [kind for kind in chosen if kind not in KINDS]
        if unknown or not chosen:
            raise UsageError(
                f"no kind {', '.join(unknown) or 'of result'!r} to rerank", fix=f"some of {', '.join(KINDS)}"
            )
        self.model = model
        self.first = first
        self.share = share
        self._kinds = frozenset(kind for name in chosen for kind in KINDS[name])
        self._loaded: Any = None
        self._broken: str | None = None
        self._lock = threading.Lock()

    def search(
        self, retriever: Retriever, question: str, top: int = 10, scope: str | None = None
    ) -> tuple[list[Result], str]:
        """The `top` results of `retriever` in the order that both agree on, and a note that is empty unless it failed.

        When the model cannot be loaded or gives no numbers, the order is the retriever's and the note says so. A result
        takes over the score of the place it moves to, so that scores go on falling from the first result to the last.
        """
        results = retriever.search(question, max(top, self.first), scope)
        places = [n for n, result in enumerate(results[: self.first]) if result.kind in self._kinds]
        if len(places) < 2:
            return results[:top], ""
        read = [results[place] for place in places]
        scores = self._scores(question, retriever.closest_passages(question, read))
        if isinstance(scores, str):
            return results[:top], f"The cross-encoder {self.model} did not run ({scores}); the order is without it."
        for place, number in zip(places, agreed(scores, self.share), strict=True):
            moved = read[number]
            parts = {**moved.parts, PART: round(scores[number], 6)}
            results[place] = replace(moved, score=results[place].score, parts=parts)
        return results[:top], ""

    def _scores(self, question: str, passages: Sequence[str]) -> list[float] | str:
        """One number a passage, greater for a better fit; or the reason why there are none."""
        with self._lock:
            if self._broken is None:
                try:
                    scores = self._predict(question, passages)
                    if all(math.isfinite(score) for score in scores):
                        return scores
                    return "it gave scores that are no numbers"
                except Exception as error:  # hub, files, weights, torch: any of them fails in its own way
                    reason = str(error).strip().split("\n")[0]
                    self._broken = f"{type(error).__name__}: {reason}"
            return self._broken

    def _predict(self, question: str, passages: Sequence[str]) -> list[float]:
        import torch

        from gitcontext_pipeline.index.model_files import quiet_libraries

        if self._loaded is None:
            from sentence_transformers import CrossEncoder

            torch.set_num_threads(max(1, (os.cpu_count() or 2) // 2))  # more threads than cores spin against each other
            with quiet_libraries():
                self._loaded = CrossEncoder(self.model, device="cpu")
        found = self._loaded.predict(
            [(question, passage) for passage in passages],
            activation_fn=torch.nn.Identity(),  # a sigmoid in float32 makes all good fits equal
            show_progress_bar=False,
        )
        if found.ndim != 1:
            raise ValueError(f"it has {found.shape[1]} outputs; a reranker has one")
        return [float(score) for score in found]


def agreed(scores: Sequence[float], share: float) -> list[int]:
    """The numbers 0 to n-1 ordered by their mean place in two orders: their own, and that of `scores`, best first.

    `share` is how much the second counts. Ties keep their own order.
    """
    by_score = sorted(range(len(scores)), key=lambda number: (-scores[number], number))
    place = {number: place for place, number in enumerate(by_score)}
    return sorted(range(len(scores)), key=lambda number: ((1 - share) * number + share * place[number], number))


def search_with(
    reranker: Reranker | None, retriever: Retriever, question: str, top: int, scope: str | None
) -> tuple[list[Result], str]:
    """The results and the note, whether or not there is a reranker."""
    if reranker is None:
        return retriever.search(question, top, scope), ""
    return reranker.search(retriever, question, top, scope)
