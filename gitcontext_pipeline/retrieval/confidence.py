"""Whether what was found is about the question at all."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Confidence:
    """How likely the best results are to answer, from 0 to 1, and the `line` below which they are called weak."""

    value: float
    line: float

    @property
    def strong(self) -> bool:
        return self.value >= self.line
