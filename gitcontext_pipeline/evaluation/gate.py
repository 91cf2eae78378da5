"""The gate: a report against a frozen baseline, decided on exact fractions of the cases.

The order of questions is what makes it safe. Is the report sound, and the baseline? Is the report of what there is
now? May the two be compared? Only then: did a gated number fall by more than the tolerance? Every earlier "no" ends as
`error` or `incomparable`, exit code 3, and never as a pass.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Literal

from pydantic import JsonValue

from gitcontext_pipeline.errors import GitContextError
from gitcontext_pipeline.evaluation.baseline import Baseline, find_baseline, read_baseline
from gitcontext_pipeline.evaluation.comparability import FREEZE, RERUN, incomparable, stale
from gitcontext_pipeline.evaluation.measures import BY_KEY, mean_exact, metrics_for
from gitcontext_pipeline.evaluation.metrics import slice_ids
from gitcontext_pipeline.evaluation.policy import GatePolicy
from gitcontext_pipeline.evaluation.report import CaseRanks, Measurement, Report, read_report
from gitcontext_pipeline.evaluation.soundness import malformed, unsound
from gitcontext_pipeline.evaluation.statistics import changes, hits, paired
from gitcontext_pipeline.evaluation.verdict import BaselineId, Delta, Reason, Verdict

CHANGES_AT = 5


def judge(
    report: Report,
    baseline: Baseline | None,
    policy: GatePolicy | None = None,
    expected: Mapping[str, JsonValue] | None = None,
) -> Verdict:
    """The verdict on `report`. Never raises for what a report or baseline holds.

    `baseline` None means that none was ever frozen: a pass that warns, since a first run has nothing to fall from;
    where the policy requires a baseline, an error.
    `expected` are fingerprints of what the caller has now (`snapshot`, `dataset`, …): a report of anything else is
    stale.
    """
    policy = policy or GatePolicy()
    tolerance = float(policy.tolerance)
    named = None if baseline is None else _baseline_id(baseline)
    if errors := [*_errors(report, baseline), *_unknown_guards(report, policy)]:
        return Verdict(outcome="error", reasons=errors, tolerance_pp=tolerance, baseline=named)
    if refused := stale(report, expected or {}):
        return Verdict(outcome="incomparable", reasons=refused, tolerance_pp=tolerance, baseline=named)
    guarded = [_must_hit(case, policy) for case in report.cases if case.id in policy.must_hit]
    missed = [reason for reason in guarded if reason is not None]
    if baseline is None:
        warning = Reason(what="no baseline is frozen, so nothing was compared", fix=f"Freeze this run: {FREEZE}")
        if policy.require_baseline:
            return Verdict(outcome="error", reasons=[warning], tolerance_pp=tolerance)
        outcome: Literal["regression", "pass"] = "regression" if missed else "pass"
        return Verdict(outcome=outcome, reasons=missed, warnings=[warning], tolerance_pp=tolerance)
    if refused := incomparable(report, baseline, policy):
        return Verdict(outcome="incomparable", reasons=refused, tolerance_pp=tolerance, baseline=named)
    return _compared(report, baseline, policy, missed)


def gate(
    report: Path,
    baseline: Path | None,
    policy: GatePolicy | None = None,
    expected: Mapping[str, JsonValue] | None = None,
) -> Verdict:
    """As `judge`, over files: one that is missing or damaged makes the verdict `error`.

    `baseline` may be a folder of baselines, of which `find_baseline` chooses; a folder that is not there holds none.
    """
    try:
        found = read_report(report)
    except GitContextError as error:
        return _unreadable(error, policy)
    return judge_against(found, baseline, policy, expected)


def judge_against(
    report: Report,
    baseline: Path | None,
    policy: GatePolicy | None = None,
    expected: Mapping[str, JsonValue] | None = None,
) -> Verdict:
    """As `gate`, over a report that is at hand."""
    try:
        frozen = _frozen(baseline, report)
    except GitContextError as error:
        return _unreadable(error, policy)
    return judge(report, frozen, policy, expected)


def deltas(before: Sequence[CaseRanks], after: Sequence[CaseRanks], policy: GatePolicy, top: int) -> Iterator[Delta]:
    """Every metric over all cases, then the slice metrics over each slice; both sides hold the same cases."""
    for metric in metrics_for(top):
        yield _delta(metric.key, before, after, policy, gated=metric.key in policy.metrics)
    then = {case.id: case for case in before}
    now = {case.id: case for case in after}
    large = {key for key, _ in policy.gated_slices(after)}
    for (label, value), ids in slice_ids(after):
        for key in policy.slice_metrics:
            if BY_KEY[key].applies(top):
                sides = [then[name] for name in ids], [now[name] for name in ids]
                yield _delta(key, *sides, policy, gated=(label, value) in large, label=label, value=value)


def _frozen(baseline: Path | None, report: Report) -> Baseline | None:
    if baseline is None or baseline.suffix == ".json" or (baseline.exists() and not baseline.is_dir()):
        return None if baseline is None else read_baseline(baseline)
    revision = report.fingerprints.get("corpus_revision")
    return find_baseline(baseline, None if revision is None else str(revision))


def _unreadable(error: GitContextError, policy: GatePolicy | None) -> Verdict:
    reason = Reason(what=f"{error.where}: {error.what}", fix=error.fix)
    return Verdict(outcome="error", reasons=[reason], tolerance_pp=float((policy or GatePolicy()).tolerance))


def _compared(report: Report, baseline: Baseline, policy: GatePolicy, missed: list[Reason]) -> Verdict:
    found = list(deltas(baseline.cases, report.cases, policy, report.settings.top))
    fallen = [delta for delta in found if delta.gated and delta.outcome == "regression"]
    risen = [delta for delta in found if delta.gated and delta.outcome == "improvement"]
    top = min(CHANGES_AT, report.settings.top)
    gained, lost = changes(baseline.cases, report.cases, top)
    tolerance = float(policy.tolerance)
    outcome: Literal["regression", "improvement", "pass"] = "pass"
    reasons = [Reason(what=_moved(delta)) for delta in fallen] + missed
    warnings: list[Reason] = []
    if reasons:
        outcome = "regression"
    elif risen:
        outcome = "improvement"
        again = f"Freeze it, so that later runs are held to it: {FREEZE}"
        reasons = [Reason(what=_moved(delta), fix=again) for delta in risen]
    if failed := report.failed:
        warnings.append(Reason(what=f"{len(failed)} cases failed and count as misses, such as {failed[0].id}"))
    return Verdict(
        outcome=outcome,
        reasons=reasons,
        warnings=warnings,
        tolerance_pp=tolerance,
        deltas=found,
        changes_at=top,
        gained=gained,
        lost=lost,
        paired=paired(baseline.cases, report.cases, top),
        baseline=_baseline_id(baseline),
    )


def _delta(
    key: str,
    before: Sequence[CaseRanks],
    after: Sequence[CaseRanks],
    policy: GatePolicy,
    *,
    gated: bool,
    label: str | None = None,
    value: str | None = None,
) -> Delta:
    then, now = (mean_exact(BY_KEY[key], [(case.ranks, len(case.gold)) for case in side]) for side in (before, after))
    moved = 100 * (now - then)
    return Delta(
        metric=key,
        label=label,
        value=value,
        cases=len(after),
        baseline=float(then),
        current=float(now),
        delta_pp=float(moved),
        gated=gated,
        outcome=_outcome(moved, policy.tolerance),
    )


def _outcome(moved: Fraction, tolerance: Fraction) -> Literal["pass", "improvement", "regression"]:
    """Exactly the tolerance is still within it, in both directions."""
    if moved < -tolerance:
        return "regression"
    return "improvement" if moved > tolerance else "pass"


def _moved(delta: Delta) -> str:
    verb = "fell" if delta.delta_pp < 0 else "rose"
    return f"{delta.name} {verb} by {abs(delta.delta_pp):.2f} points, from {delta.baseline:.3f} to {delta.current:.3f}"


def _errors(report: Report, baseline: Baseline | None) -> Iterator[Reason]:
    for error in report.errors:
        yield Reason(what=f"the run failed: {error}", fix=f"Mend it and evaluate again: {RERUN}")
    for fault in _faults(report):
        yield Reason(what=f"the report {fault}", fix=f"Evaluate again: {RERUN}")
    if not report.cases:
        yield Reason(what="the report has no case", fix=f"Evaluate again: {RERUN}")
    for fault in _faults(baseline) if baseline is not None else []:
        yield Reason(what=f"the baseline {fault}", fix=f"Restore it from version control, or freeze one: {FREEZE}")


def _faults(measurement: Measurement) -> list[str]:
    return [*malformed(measurement), *(f"contradicts itself: {what}" for what in unsound(measurement))]


def _unknown_guards(report: Report, policy: GatePolicy) -> Iterator[Reason]:
    known = {case.id for case in report.cases}
    for name in policy.must_hit:
        if name not in known:
            yield Reason(what=f"the case {name}, which must hit, was not measured", fix="Correct its id in the policy.")


def _must_hit(case: CaseRanks, policy: GatePolicy) -> Reason | None:
    if hits(case, policy.must_hit_top):
        return None
    found = "was not found" if case.rank is None else f"was found at rank {case.rank}"
    return Reason(what=f"the case {case.id} must hit within {policy.must_hit_top} rows and {found}: {case.query}")


def _baseline_id(baseline: Baseline) -> BaselineId:
    revision = baseline.fingerprints.get("corpus_revision")
    frozen = baseline.frozen
    return BaselineId(
        corpus_revision=None if revision is None else str(revision),
        frozen_by=frozen.by,
        frozen_at=frozen.at,
        note=frozen.note,
    )
