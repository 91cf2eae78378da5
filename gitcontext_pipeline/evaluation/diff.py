"""How the rank of each case changed between two measurements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from pydantic import Field

from gitcontext_pipeline.errors import UsageError
from gitcontext_pipeline.evaluation.report import CaseRanks, Measurement, Model
from gitcontext_pipeline.evaluation.verdict import CaseChange

C = TypeVar("C", bound=CaseRanks)

QUERY_SHOWN = 90
"""Characters of a query in the text form."""


class Diff(Model):
    """Cases whose first answer moved, the greatest change first, and the cases that only one side has."""

    better: list[CaseChange] = Field(default_factory=list)
    worse: list[CaseChange] = Field(default_factory=list)
    unchanged: int
    only_before: list[str] = Field(default_factory=list)
    only_after: list[str] = Field(default_factory=list)


def diff(before: Measurement, after: Measurement) -> Diff:
    """Rank changes case by case, by case id.

    A change from rank 9 to 2 and one from a miss to 2 differ in kind; the order is by the change of 1/rank, as MRR sees
    it. Raises UsageError when the two have no case in common, or one id asks two different things.
    """
    then = {case.id: case for case in before.cases}
    now = {case.id: case for case in after.cases}
    both = [name for name in now if name in then]
    if not both:
        raise UsageError(
            f"the two have no case in common ({before.dataset.name} and {after.dataset.name})",
            fix="Compare two runs over one golden set.",
        )
    for name in both:
        if then[name].query != now[name].query:
            raise UsageError(f"the case {name} asks something else in each", fix="Give new questions new ids.")
    moved = [
        CaseChange(id=name, query=now[name].query, before=then[name].rank, after=now[name].rank)
        for name in both
        if then[name].rank != now[name].rank
    ]
    moved.sort(key=lambda change: (-abs(_gain(change)), change.id))
    return Diff(
        better=[change for change in moved if _gain(change) > 0],
        worse=[change for change in moved if _gain(change) < 0],
        unchanged=len(both) - len(moved),
        only_before=sorted(then.keys() - now.keys()),
        only_after=sorted(now.keys() - then.keys()),
    )


def as_text(found: Diff) -> str:
    """One line a case, worse first: what broke is what one looks for."""
    lines = [
        f"{sign} {change.id:<12} {_spoken(change.before):>6} -> {_spoken(change.after):<6} {_one_line(change.query)}"
        for sign, some in (("-", found.worse), ("+", found.better))
        for change in some
    ]
    lines.append(f"{len(found.worse)} worse, {len(found.better)} better, {found.unchanged} unchanged")
    for side, names in (("before", found.only_before), ("after", found.only_after)):
        if names:
            lines.append(f"only {side}: {', '.join(names)}")
    return "\n".join(lines) + "\n"


def worst(cases: Sequence[C], count: int) -> list[C]:
    """The `count` cases that did worst: failures, then misses, then late answers; each group in the set's order."""
    return sorted(cases, key=lambda case: (case.failure is None, case.rank is not None, -(case.rank or 0)))[:count]


def _gain(change: CaseChange) -> float:
    return (1 / change.after if change.after else 0.0) - (1 / change.before if change.before else 0.0)


def _spoken(rank: int | None) -> str:
    return "miss" if rank is None else f"#{rank}"


def _one_line(query: str) -> str:
    text = " ".join(query.split())
    return text if len(text) <= QUERY_SHOWN else text[: QUERY_SHOWN - 1] + "…"
