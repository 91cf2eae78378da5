"""The contract: which claims of a reply may be shown, why the others may not, and whether enough is left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gitcontext_pipeline.answer.claims import Claim, Reply
from gitcontext_pipeline.answer.explanation import Failure
from gitcontext_pipeline.answer.rules import CONTENT, FINISHED, RULES
from gitcontext_pipeline.answer.shape import SHAPE
from gitcontext_pipeline.answer.shown import Rule, Shown
from gitcontext_pipeline.answer.wording import content_words

CONTRACT_VERSION = 1
"""Part of every answer's record; raised whenever the same reply may be judged otherwise."""

DUPLICATE = "duplicate"
SAME = 0.8
"""Share of content words (of both claims together) from which two claims say the same."""

KEPT_AT_LEAST = 0.5
"""Share of the distinct claims that must hold: a reply that is mostly wrong is not right in the rest by skill."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A claim with the rules it failed; none means that it holds."""

    claim: Claim
    failures: tuple[Failure, ...]

    @property
    def holds(self) -> bool:
        return not self.failures


@dataclass(frozen=True, slots=True)
class Judgement:
    """A reply under the contract. `withheld` says why nothing of it may be shown, or is empty."""

    judged: tuple[Judged, ...]
    withheld: tuple[Failure, ...]

    @property
    def kept(self) -> tuple[Claim, ...]:
        return () if self.withheld else tuple(each.claim for each in self.judged if each.holds)

    @property
    def told(self) -> list[str]:
        """What was wrong, one line each, for whoever tries again."""
        claims = [f"{each.claim.text or '(empty)'}: {each.failures[0].reason}" for each in self.judged if each.failures]
        return claims or [failure.reason for failure in self.withheld]


def judge(reply: Reply, shown: Shown, extra: Sequence[Rule] = (), *, cut: bool = False) -> Judgement:
    """Hold every claim of `reply` against every rule, and the whole against what must be left of it.

    `cut` says that the reply did not end by itself: its last claim is only the beginning of a sentence.
    """
    if reply.problem is not None:
        return Judgement((), (Failure("declined" if reply.declined else "reply", reply.problem),))
    judged: list[Judged] = []
    for position, claim in enumerate(reply.claims, 1):
        failures = _failures(claim, shown, extra)
        if cut and position == len(reply.claims) and not failures:
            failures = (Failure(FINISHED, "the reply was cut off in it"),)
        if not failures and any(each.holds and _same(claim, each.claim) for each in judged):
            failures = (Failure(DUPLICATE, "it says the same as an earlier claim"),)
        judged.append(Judged(claim, failures))
    distinct = [each for each in judged if [failure.rule for failure in each.failures] != [DUPLICATE]]
    holding = sum(each.holds for each in distinct)
    if holding and holding >= KEPT_AT_LEAST * len(distinct):
        return Judgement(tuple(judged), ())
    reason = f"{holding} of {len(distinct)} claims hold" if holding else "no claim holds"
    return Judgement(tuple(judged), (Failure("too-little-left", reason),))


def rule_names(extra: Sequence[Rule] = ()) -> list[str]:
    """The rules that are applied, in their order."""
    return [*(rule.name for rule in (*RULES, *extra)), DUPLICATE, "too-little-left"]


def _failures(claim: Claim, shown: Shown, extra: Sequence[Rule]) -> tuple[Failure, ...]:
    """The shape rules first: what a claim says cannot be judged where it is not a sentence with a citation."""
    failed = _failed(claim, shown, SHAPE)
    if not failed:
        failed = _failed(claim, shown, CONTENT)
    if not failed:
        failed = _failed(claim, shown, extra)
    return failed


def _failed(claim: Claim, shown: Shown, rules: Sequence[Rule]) -> tuple[Failure, ...]:
    return tuple(Failure(rule.name, reason) for rule in rules if (reason := rule.check(claim, shown)) is not None)


def _same(one: Claim, other: Claim) -> bool:
    a, b = set(content_words(one.text)), set(content_words(other.text))
    return bool(a | b) and len(a & b) >= SAME * len(a | b)
