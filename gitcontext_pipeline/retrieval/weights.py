"""Every constant of the ranking, in one place. A weight of 0 (or a factor of 1) turns its mechanism off."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace

from gitcontext_pipeline.storage import fingerprint

RANKING_VERSION = 1
"""Part of every report's fingerprint; raised whenever equal weights give another order."""


@dataclass(frozen=True, slots=True)
class Weights:
    """The defaults were chosen on the golden sets under `evals/`, all of them together."""

    lexical: float = 0.5
    dense: float = 0.5
    fields: Mapping[str, float] = field(
        default_factory=lambda: {"symbol": 1.0, "path": 0.3, "doc": 0.5, "body": 1.0, "history": 0.6}
    )
    summary: float = 0.4
    """Share of the summary vector in the dense score; the rest is the text vector's."""
    named: float = 0.25
    """Added where the question names the chunk's symbol in code form."""
    roles: Mapping[str, float] = field(
        default_factory=lambda: {"test": 0.6, "example": 0.6, "generated": 0.5, "vendored": 0.5, "translated": 0.4}
    )
    """Factor of chunks from such files, unless the question asks for them."""
    history: float = 0.75
    """Factor of commits and pull requests when nothing in the question asks for a change."""
    asked_history: float = 1.35
    """Factor of commits and pull requests when the question asks for a change."""
    same_file: float = 0.92
    """Factor for each better result of the same file."""
    fold_copies: bool = True

    def but(self, **changes: object) -> Weights:
        """These weights with some replaced."""
        return replace(self, **changes)  # type: ignore[arg-type]

    @property
    def digest(self) -> str:
        return fingerprint(asdict(self))[:12]


DEFAULT = Weights()

ABLATIONS: Mapping[str, Weights] = {
    "bm25": DEFAULT.but(dense=0.0),
    "dense": DEFAULT.but(lexical=0.0),
    "hybrid": DEFAULT,
}
"""Named variants for comparisons; `hybrid` is what people get."""
