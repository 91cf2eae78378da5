"""What a claim is held against, and what a rule of the contract is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from gitcontext_pipeline.answer import wording
from gitcontext_pipeline.answer.claims import Claim
from gitcontext_pipeline.answer.excerpts import Excerpt


@dataclass(frozen=True)
class Shown:
    """What a claim is held against: the question, and the excerpts that the model was shown, by number."""

    question: str
    excerpts: Mapping[int, Excerpt]

    def excerpt(self, claim: Claim) -> Excerpt | None:
        return None if claim.source is None else self.excerpts.get(claim.source)

    def cited(self, claim: Claim) -> str:
        """The lines that the claim cites; empty where it cites none."""
        excerpt = self.excerpt(claim)
        if excerpt is None or claim.start is None or claim.end is None:
            return ""
        return excerpt.text(claim.start, claim.end)

    def allowed(self, claim: Claim) -> str:
        """Where the names and numbers of a claim must come from: cited lines, their excerpt's heading, the question."""
        excerpt = self.excerpt(claim)
        return "\n".join([self.cited(claim), excerpt.heading if excerpt else "", self.question])

    @cached_property
    def asked_names(self) -> list[str]:
        return wording.names(self.question)


@dataclass(frozen=True, slots=True)
class Rule:
    """`check` returns why the claim fails, or None. Rules that need a valid citation are only asked when there is one.

    `shape` rules hold by construction for whatever was decoded under the grammar.
    """

    name: str
    sentence: str
    check: Callable[[Claim, Shown], str | None]
    shape: bool = False
