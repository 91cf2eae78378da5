"""Near-identical passages folded into the best of them, so that one answer does not fill the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gitcontext_pipeline.index.tokens import words
from gitcontext_pipeline.retrieval.result import Result

SAME = 0.9
"""Share of common words (Jaccard) from which two passages count as copies."""


def fold_copies(results: Sequence[Result]) -> list[Result]:
    """`results` in order, each copy of an earlier one removed and listed there under `copies`."""
    kept: list[Result] = []
    vocabularies: list[frozenset[str]] = []
    for result in results:
        vocabulary = frozenset(words(result.text))
        original = next((n for n, other in enumerate(vocabularies) if _same(vocabulary, other)), None)
        if original is None or result.name.rpartition(".")[2] != kept[original].name.rpartition(".")[2]:
            kept.append(result)
            vocabularies.append(vocabulary)
        else:
            kept[original] = replace(kept[original], copies=(*kept[original].copies, result.url))
    return kept


def _same(one: frozenset[str], other: frozenset[str]) -> bool:
    smaller, larger = sorted((len(one), len(other)))
    if not smaller or smaller < SAME * larger:
        return False
    return len(one & other) >= SAME * len(one | other)
