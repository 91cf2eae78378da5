"""Every constant of the ranking, in one place. A weight of 0 turns its mechanism off."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace

from gitcontext_pipeline.storage import fingerprint

RANKING_VERSION = 2
"""Part of every report's fingerprint; raised whenever equal weights give another order."""

LEARNED: Mapping[str, float] = {
    "bm25 symbol": 0.0,
    "bm25 path": 0.05,
    "bm25 doc": 1.2,
    "bm25 body": 2.9,
    "bm25 history": 0.8,
    "coverage": 3.2,
    "passage": 4.5,
    "summary": 1.0,
    "name covered": 0.6,
    "named": 0.3,
    "length": 1.0,
    "change": -2.2,
    "change, asked for": 3.4,
    "plain commit": -1.7,
    "docs": -0.9,
    "docs, change asked for": 0.5,
    "release": -0.3,
    "release, asked for": 1.6,
    "test": -3.2,
    "example": -1.0,
    "secondary": -1.0,
    "voted for": 0.5,
    "voted for, asked for": 1.9,
    "touched by found": 1.8,
}


@dataclass(frozen=True, slots=True)
class Weights:
    """One weight a feature (see `features`), and what crowding costs. Measured by `gitcontext eval tune`."""

    features: Mapping[str, float] = field(default_factory=lambda: dict(LEARNED))
    same_file: float = 0.05
    """Taken off for each better result of the same file."""
    same_symbol: float = 1.0
    """Taken off for each better piece of the same symbol, so that one long function is not five results."""
    fold_copies: bool = True

    def without(self, *prefixes: str) -> Weights:
        """These weights with every feature whose name begins so at 0."""
        kept = {name: 0.0 if name.startswith(prefixes) else weight for name, weight in self.features.items()}
        return replace(self, features=kept)

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
_LEXICAL, _DENSE = ("bm25", "coverage"), ("passage", "summary")

ABLATIONS: Mapping[str, Weights] = {
    "bm25": Weights({f"bm25 {name}": 1.0 for name in ("symbol", "path", "doc", "body", "history")}, 0, 0, False),
    "dense": Weights({"passage": 0.7, "summary": 0.3}, 0, 0, False),
    "hybrid": DEFAULT,
    "no lexical scores": DEFAULT.without(*_LEXICAL),
    "no vectors": DEFAULT.without(*_DENSE),
    "no summary vector": DEFAULT.without("summary"),
    "no history field": DEFAULT.without("bm25 history"),
    "no symbol names": DEFAULT.without("name"),
    "no roles": DEFAULT.without("test", "example", "secondary"),
    "no intent": DEFAULT.without("change, asked", "docs, change", "release, asked", "voted for, asked"),
    "no votes": DEFAULT.without("voted", "touched"),
    "no crowding": DEFAULT.but(same_file=0.0, same_symbol=0.0, fold_copies=False),
}
"""Named variants for comparisons; `hybrid` is what people get."""
