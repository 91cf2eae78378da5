"""Every constant of the ranking, in one place. A weight of 0 turns its mechanism off."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace

from gitcontext_pipeline.storage import fingerprint

RANKING_VERSION = 4
"""Part of every report's fingerprint; raised whenever equal weights give another order."""

FIELDS: Mapping[str, float] = {"symbol": 1.0, "path": 0.3, "doc": 0.5, "body": 1.0, "history": 0.6}
"""How much the BM25 score of each field counts in the lexical score."""

LEARNED: Mapping[str, float] = {
    "lexical": 1.26,
    "coverage": 7.17,
    "passage": 5.54,
    "summary": 1.58,
    "named": 0.46,
    "length": 0.71,
    "change": -2.92,
    "change, asked for": 4.02,
    "plain commit": -0.82,
    "docs": -0.74,
    "docs, change asked for": 2.2,
    "release, asked for": 2.21,
    "release": -1.24,
    "test": -4.92,
    "example": -1.55,
    "secondary": -2.04,
    "fits the found, asked for": 2.74,
    "touched by the found": 1.56,
}
"""What `gitcontext eval tune` prints for the golden sets of five repositories under `evals/`, all of them together.
`release` came later, at what a tuning with it found; it moves none of their questions, only short ones about code."""


@dataclass(frozen=True, slots=True)
class Weights:
    """One weight a feature (see `features.FEATURES`), one a BM25 field, and what crowding costs."""

    features: Mapping[str, float] = field(default_factory=lambda: dict(LEARNED))
    fields: Mapping[str, float] = field(default_factory=lambda: dict(FIELDS))
    same_file: float = 0.1
    """Taken off for each better result of the same file."""
    same_symbol: float = 1.0
    """Taken off for each better piece of the same symbol, so that one long function is not five results."""
    fold_copies: bool = True

    def without(self, *names: str) -> Weights:
        """These weights with the features of these names at 0."""
        return replace(self, features={**self.features, **dict.fromkeys(names, 0.0)})

    def but(self, **changes: object) -> Weights:
        """These weights with some replaced."""
        return replace(self, **changes)  # type: ignore[arg-type]

    @property
    def uses_vectors(self) -> bool:
        return any(self.features.get(name) for name in ("passage", "summary"))

    @property
    def digest(self) -> str:
        return fingerprint(asdict(self))[:12]


DEFAULT = Weights()
_ALONE = DEFAULT.but(same_file=0.0, same_symbol=0.0, fold_copies=False)

ABLATIONS: Mapping[str, Weights] = {
    "bm25": _ALONE.but(features={"lexical": 1.0}),
    "dense": _ALONE.but(features={"passage": 0.7, "summary": 0.3}),
    "hybrid": DEFAULT,
    "no lexical scores": DEFAULT.without("lexical", "coverage"),
    "no vectors": DEFAULT.without("passage", "summary"),
    "no summary vector": DEFAULT.without("summary"),
    "no coverage": DEFAULT.without("coverage"),
    "one field": DEFAULT.but(fields={**dict.fromkeys(FIELDS, 0.0), "body": 1.0}),
    "no history field": DEFAULT.but(fields={**FIELDS, "history": 0.0}),
    "no names": DEFAULT.without("named").but(fields={**FIELDS, "symbol": 0.0}),
    "no roles": DEFAULT.without("release", "test", "example", "secondary"),
    "no intent": DEFAULT.without(*(name for name in LEARNED if name.endswith("asked for"))),
    "no links": DEFAULT.without("fits the found, asked for", "touched by the found"),
    "no crowding": DEFAULT.but(same_file=0.0, same_symbol=0.0, fold_copies=False),
}
"""Named variants for comparisons; `hybrid` is what people get."""
