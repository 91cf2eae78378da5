"""Several retrievers, or ablations of one, over the same cases in one table with intervals.

The interval of a difference is taken over the paired differences of the cases: two overlapping intervals of means can
hide a difference that every case shows.
"""

from __future__ import annotations

from collections.abc import Mapping

from gitcontext_pipeline.errors import UsageError
from gitcontext_pipeline.evaluation.measures import BY_KEY, metrics_for
from gitcontext_pipeline.evaluation.metrics import DIGITS, bootstrap
from gitcontext_pipeline.evaluation.report import CaseRanks, Latency, Measured, Model, Report
from gitcontext_pipeline.evaluation.statistics import changes, mcnemar


class Difference(Model):
    """A metric minus the first retriever's, in percentage points, with its 95% interval over paired cases."""

    pp: float
    low_pp: float
    high_pp: float


class Contender(Model):
    """One line of the table. `differences` is None for the first, which the others are held against."""

    name: str
    metrics: dict[str, Measured]
    differences: dict[str, Difference] | None
    gained: list[str]
    lost: list[str]
    mcnemar_p: float | None
    failed: int
    latency: Latency | None


class Comparison(Model):
    """Contenders in the order given; gained, lost and p are over hits at `changes_at` rows."""

    cases: int
    changes_at: int
    contenders: list[Contender]


def compare(reports: Mapping[str, Report]) -> Comparison:
    """The table over `reports` by name, the first being the reference.

    Raises UsageError when they were not taken over the same cases with the same number of rows.
    """
    if not reports:
        raise UsageError("nothing to compare", fix="Name one retriever or more.")
    names = list(reports)
    first = reports[names[0]]
    for name in names[1:]:
        other = reports[name]
        if (other.dataset.sha256, [case.id for case in other.cases]) != (
            first.dataset.sha256,
            [case.id for case in first.cases],
        ):
            raise UsageError(f"{name} and {names[0]} were not asked the same cases", fix="Use one golden set.")
        if other.settings != first.settings:
            raise UsageError(f"{name} and {names[0]} were run with different settings", fix="Use the same --top.")
    top = min(5, first.settings.top)
    return Comparison(
        cases=len(first.cases),
        changes_at=top,
        contenders=[_contender(name, reports[name], first, top) for name in names],
    )


def as_markdown(table: Comparison) -> str:
    """A Markdown table: one line a contender, one column a metric, differences in points below the values."""
    keys = list(table.contenders[0].metrics)
    lines = [
        f"| retriever | {' | '.join(BY_KEY[key].name for key in keys)} | p50 ms |",
        f"|---|{'---|' * len(keys)}---|",
    ]
    for one in table.contenders:
        cells = [_cell(one, key) for key in keys]
        speed = "" if one.latency is None else f"{one.latency.p50_ms:.1f}"
        name = "".join(character if character.isalnum() or character in " -_.:/" else " " for character in one.name)
        lines.append(f"| {name} | {' | '.join(cells)} | {speed} |")
    return "\n".join(lines) + "\n"


def _cell(one: Contender, key: str) -> str:
    found = one.metrics[key]
    text = f"{found.value:.3f} [{found.low:.3f}, {found.high:.3f}]"
    if one.differences is None:
        return text
    moved = one.differences[key]
    return f"{text}<br>{moved.pp:+.1f} [{moved.low_pp:+.1f}, {moved.high_pp:+.1f}]"


def _contender(name: str, report: Report, first: Report, top: int) -> Contender:
    reference = report is first
    gained, lost = changes(first.cases, report.cases, top)
    return Contender(
        name=name,
        metrics=report.metrics,
        differences=None if reference else _differences(first, report),
        gained=[change.id for change in gained],
        lost=[change.id for change in lost],
        mcnemar_p=None if reference else round(mcnemar(len(gained), len(lost)), DIGITS),
        failed=len(report.failed),
        latency=report.timing.latency,
    )


def _differences(first: Report, other: Report) -> dict[str, Difference]:
    found: dict[str, Difference] = {}
    for metric in metrics_for(first.settings.top):
        pairs = zip(_values(first, metric.key), _values(other, metric.key), strict=True)
        moved = [100 * (after - before) for before, after in pairs]
        mean = sum(moved) / len(moved) if moved else 0.0
        low, high = (mean, mean) if len(set(moved)) < 2 else bootstrap(moved, "percentile")
        found[metric.key] = Difference(pp=round(mean, 3), low_pp=round(low, 3), high_pp=round(high, 3))
    return found


def _values(report: Report, key: str) -> list[float]:
    return [_value(case, key) for case in report.cases]


def _value(case: CaseRanks, key: str) -> float:
    return float(BY_KEY[key].value(case.ranks, len(case.gold)))
