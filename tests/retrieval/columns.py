"""Traits and scores of a few rows, written down or drawn, for the parts of the ranking that see nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

from gitcontext_pipeline.index.texts import FIELDS
from gitcontext_pipeline.retrieval.features import Traits
from gitcontext_pipeline.retrieval.question import Question, read_question
from gitcontext_pipeline.retrieval.scores import RawScores

ONLY_BODY: Mapping[str, float] = {**dict.fromkeys(FIELDS, 0.0), "body": 1.0}


@dataclass(frozen=True)
class Rows:
    """Columns of equal length, and a question about them."""

    traits: Traits
    scores: RawScores
    question: Question

    @property
    def size(self) -> int:
        return len(self.traits.paths)

    @property
    def everything(self) -> Any:
        return np.ones(self.size, dtype=bool)


def traits(paths: Sequence[str], **more: Any) -> Traits:
    """Rows of code at `paths`, one symbol each; anything else about them can be said."""
    size = len(paths)
    given: dict[str, Any] = {
        "symbols": [f"s{row}" for row in range(size)],
        "kinds": ["code"] * size,
        "roles": ["main"] * size,
        "is_release": [False] * size,
        "length": [0.0] * size,
        "changes": [[] for _ in range(size)],
        **more,
    }
    return Traits(
        symbols=given["symbols"],
        paths=list(paths),
        kinds=np.asarray(given["kinds"], dtype=np.str_),
        roles=np.asarray(given["roles"], dtype=np.str_),
        is_release=np.asarray(given["is_release"], dtype=bool),
        length=np.asarray(given["length"], dtype=np.float32),
        changes=given["changes"],
    )


def scores(
    body: Sequence[float],
    passage: Sequence[float] | None = None,
    summary: Sequence[float] | None = None,
    coverage: Sequence[float] | None = None,
) -> RawScores:
    """BM25 of the body field (the other fields are all 0), cosines and coverage; 0 where nothing is given."""

    def column(values: Sequence[float] | None) -> Any:
        return np.asarray([0.0] * len(body) if values is None else values, dtype=np.float32)

    fields = {name: column(body if name == "body" else None) for name in FIELDS}
    return RawScores(fields=fields, coverage=column(coverage), passage=column(passage), summary=column(summary))


@st.composite
def rows(draw: st.DrawFn, largest: int = 12) -> Rows:
    """Rows of every kind, in few files; no two have the same scores."""
    size = draw(st.integers(1, largest))

    def distinct(low: int, high: int) -> list[float]:
        found = draw(st.lists(st.integers(low, high), min_size=size, max_size=size, unique=True))
        return [value / high for value in found]

    kinds = draw(st.lists(st.sampled_from(["code", "docs", "commit", "pull_request"]), min_size=size, max_size=size))
    changed = [row for row, kind in enumerate(kinds) if kind in {"commit", "pull_request"}]
    return Rows(
        traits(
            ["" if row in changed else draw(st.sampled_from(["a.py", "b.py", "c.md"])) for row in range(size)],
            symbols=["" if row in changed else f"s{draw(st.integers(0, 3))}" for row in range(size)],
            kinds=kinds,
            roles=draw(
                st.lists(st.sampled_from(["main", "test", "example", "vendored"]), min_size=size, max_size=size)
            ),
            length=distinct(0, 997),
            changes=[
                draw(st.lists(st.sampled_from(changed), max_size=3, unique=True)) if changed else []
                for _ in range(size)
            ],
        ),
        scores(distinct(0, 991), distinct(-983, 983), distinct(-977, 977), distinct(0, 971)),
        read_question(draw(st.sampled_from(["where is s1?", "which change made it so?", "how is it tested?"]))),
    )


def permuted(given: Rows, order: Sequence[int]) -> Rows:
    """The same rows in another order: new row n is old row `order[n]`."""
    back = {old: new for new, old in enumerate(order)}
    held, index = given.traits, np.asarray(order)
    return Rows(
        Traits(
            symbols=[held.symbols[old] for old in order],
            paths=[held.paths[old] for old in order],
            kinds=held.kinds[index],
            roles=held.roles[index],
            is_release=held.is_release[index],
            length=held.length[index],
            changes=[[back[change] for change in held.changes[old]] for old in order],
        ),
        RawScores(
            fields={name: column[index] for name, column in given.scores.fields.items()},
            coverage=given.scores.coverage[index],
            passage=given.scores.passage[index],
            summary=given.scores.summary[index],
        ),
        given.question,
    )
