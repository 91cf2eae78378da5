"""May two measurements be compared at all? Each difference that makes the numbers mean something else is a reason."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from pydantic import JsonValue

from gitcontext_pipeline.evaluation.cases import LABELS
from gitcontext_pipeline.evaluation.measures import BY_KEY
from gitcontext_pipeline.evaluation.metrics import slice_ids
from gitcontext_pipeline.evaluation.policy import GatePolicy
from gitcontext_pipeline.evaluation.report import CaseRanks, Measurement
from gitcontext_pipeline.evaluation.verdict import Reason

RERUN = "gitcontext eval run"
FREEZE = "gitcontext eval freeze --note 'why'"
REFREEZE = f"If the change is meant, freeze a new baseline: {FREEZE}"
NAMED = 5


def incomparable(report: Measurement, baseline: Measurement, policy: GatePolicy) -> list[Reason]:
    """Every reason why `report` must not be compared with `baseline`; empty when it may."""
    return list(_reasons(report, baseline, policy))


def stale(report: Measurement, expected: Mapping[str, JsonValue]) -> list[Reason]:
    """Why `report` is not of what the caller has now: fingerprints that differ from the `expected` ones."""
    return [
        Reason(
            what=f"the report is of another {_spoken(name)}: {_short(report.fingerprints.get(name))}, "
            f"now it is {_short(value)}",
            fix=f"Evaluate again: {RERUN}",
        )
        for name, value in expected.items()
        if report.fingerprints.get(name) != value
    ]


def _reasons(report: Measurement, baseline: Measurement, policy: GatePolicy) -> Iterator[Reason]:
    if report.dataset.sha256 != baseline.dataset.sha256:
        yield Reason(
            what=f"another golden set: {_short(report.dataset.sha256)} ({report.dataset.cases} cases), the baseline "
            f"has {_short(baseline.dataset.sha256)} ({baseline.dataset.cases} cases)",
            fix=REFREEZE,
        )
    revision, frozen = report.fingerprints.get("corpus_revision"), baseline.fingerprints.get("corpus_revision")
    if revision != frozen:
        yield Reason(
            what=f"another corpus revision: {_short(revision)}, the baseline has {_short(frozen)}",
            fix=REFREEZE if frozen is None else f"Pin the corpus to {_short(frozen)} again. {REFREEZE}",
        )
    for setting in ("top", "use_scope", "granularity"):
        now, then = getattr(report.settings, setting), getattr(baseline.settings, setting)
        if now != then:
            yield Reason(
                what=f"another {setting}: {now}, the baseline has {then}",
                fix=f"Evaluate with the baseline's setting: {RERUN} {_option(setting, then)}. {REFREEZE}",
            )
    yield from _cases(report, baseline)
    yield from _metrics(report, baseline, policy)


def _option(setting: str, value: object) -> str:
    name = setting.replace("_", "-")
    if isinstance(value, bool):
        return f"--{name}" if value else f"--no-{name}"
    return f"--{name} {value}"


def _cases(report: Measurement, baseline: Measurement) -> Iterator[Reason]:
    now = {case.id: case for case in report.cases}
    then = {case.id: case for case in baseline.cases}
    if not now or not then:
        yield Reason(what="there is no case to compare", fix="Look at the cases that were set aside.")
    if len(report.cases) != len(baseline.cases):
        yield Reason(
            what=f"another number of cases: {len(report.cases)}, the baseline has {len(baseline.cases)}", fix=REFREEZE
        )
    if lost := then.keys() - now.keys():
        yield Reason(what=f"cases of the baseline were not measured: {_named(lost)}", fix=_aside(report, lost))
    if new := now.keys() - then.keys():
        yield Reason(what=f"cases are not in the baseline: {_named(new)}", fix=REFREEZE)
    both = now.keys() & then.keys()
    if changed := {name for name in both if _asks(now[name]) != _asks(then[name])}:
        yield Reason(what=f"cases ask or accept something else than in the baseline: {_named(changed)}", fix=REFREEZE)


def _metrics(report: Measurement, baseline: Measurement, policy: GatePolicy) -> Iterator[Reason]:
    for side, found, fix in (("report", report, RERUN), ("baseline", baseline, FREEZE)):
        if missing := set(policy.metrics) - found.metrics.keys():
            needed = max((BY_KEY[key].cutoff for key in missing if key in BY_KEY), default=1)
            yield Reason(
                what=f"the {side} lacks {_named(missing)}",
                fix=f"Make it with at least {needed} rows a query: {fix}",
            )
    now, then = (_slices(found) for found in (report, baseline))
    if lost := then - now:
        yield Reason(what=f"slices of the baseline are gone: {_named(lost)}", fix=REFREEZE)
    if new := now - then:
        yield Reason(what=f"slices are not in the baseline: {_named(new)}", fix=REFREEZE)


def _slices(measurement: Measurement) -> set[str]:
    stored = {f"{part.label} {part.value}" for part in measurement.slices}
    return stored | {f"{label} {value}" for (label, value), _ in slice_ids(measurement.cases)}


def _asks(case: CaseRanks) -> tuple[object, ...]:
    return (case.query, sorted(case.gold), *(getattr(case, label) for label in LABELS))


def _aside(report: Measurement, lost: Iterable[str]) -> str:
    reasons = {aside.reason for aside in report.set_aside if aside.id in set(lost)}
    told = f"They were set aside: {'; '.join(sorted(reasons))}. " if reasons else ""
    return f"{told}Evaluate the whole golden set: {RERUN}"


def _named(names: Iterable[str]) -> str:
    listed = sorted(names)
    more = f" and {len(listed) - NAMED} more" if len(listed) > NAMED else ""
    return ", ".join(listed[:NAMED]) + more


def _short(value: JsonValue) -> str:
    if value is None:
        return "none"
    text = str(value)
    return text[:12] if len(text) >= 40 and " " not in text else text[:120]


def _spoken(name: str) -> str:
    return name.replace("_", " ")
