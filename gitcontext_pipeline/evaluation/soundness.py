"""Is a measurement what it says it is? Every stored number is computed again from its own cases.

A report that was edited by hand, merged badly or cut short must not decide anything.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from gitcontext_pipeline.evaluation.measures import mean_exact, metrics_for
from gitcontext_pipeline.evaluation.metrics import DIGITS, slice_ids
from gitcontext_pipeline.evaluation.report import SCHEMA_VERSION, CaseRanks, Measured, Measurement

AGREE = 0.6 * 10**-DIGITS
"""Stored numbers are rounded to DIGITS decimals: half a unit of the last one, and a little for the sum of
logarithms."""


def unsound(measurement: Measurement) -> list[str]:
    """Everything in which the measurement contradicts itself; empty for a sound one."""
    return list(_contradictions(measurement))


def malformed(measurement: Measurement) -> list[str]:
    """Why nothing may be read from the measurement's numbers: of another format, missing, unknown, or none at all."""
    return list(_malformations(measurement))


def _malformations(measurement: Measurement) -> Iterator[str]:
    if measurement.schema_version != SCHEMA_VERSION:
        yield f"has format {measurement.schema_version}, this version reads {SCHEMA_VERSION}"
    top = measurement.settings.top
    due = {metric.key for metric in metrics_for(top)}
    parts = [
        ("", measurement.metrics),
        *((f" of {part.label} {part.value}", part.metrics) for part in measurement.slices),
    ]
    for where, metrics in parts if measurement.cases else []:
        if missing := due - metrics.keys():
            yield f"lacks {', '.join(f'{key}{where}' for key in sorted(missing))}"
        if unknown := metrics.keys() - due:
            yield f"has {', '.join(f'{key}{where}' for key in sorted(unknown))}, which {top} rows cannot tell"
        if none := [key for key, found in metrics.items() if not _finite(found)]:
            yield f"holds numbers that are none: {', '.join(f'{key}{where}' for key in none)}"


def _finite(measured: Measured) -> bool:
    return all(math.isfinite(number) for number in (measured.value, measured.low, measured.high))


def _contradictions(measurement: Measurement) -> Iterator[str]:
    cases, top = measurement.cases, measurement.settings.top
    told = measurement.dataset
    if told.cases != len(cases) + len(measurement.set_aside):
        yield (
            f"its golden set has {told.cases} cases, but {len(cases)} were measured "
            f"and {len(measurement.set_aside)} set aside"
        )
    if measurement.fingerprints.get("dataset") != told.sha256:
        yield "it names two different golden sets"
    for name, times in Counter([case.id for case in cases] + [case.id for case in measurement.set_aside]).items():
        if times > 1:
            yield f"case {name} is in it {times} times"
    broken = [case.id for case in cases if not _possible(case, top)]
    for name in broken:
        yield f"the ranks of case {name} are impossible"
    if broken or not cases:
        return
    yield from _disagreeing("over all cases", measurement.metrics, cases, top)
    by_id = {case.id: case for case in cases}
    stored = {(part.label, part.value): part for part in measurement.slices}
    if len(stored) < len(measurement.slices):
        yield "a slice is in it twice"
    for (label, value), ids in slice_ids(cases):
        part = stored.pop((label, value), None)
        if part is None:
            yield f"the slice {label} {value} of its cases is missing"
        elif part.cases != len(ids):
            yield f"the slice {label} {value} says {part.cases} cases and has {len(ids)}"
        else:
            yield from _disagreeing(f"of {label} {value}", part.metrics, [by_id[name] for name in ids], top)
    for label, value in stored:
        yield f"the slice {label} {value} has no case in it"


def _possible(case: CaseRanks, top: int) -> bool:
    ascending = all(one < other for one, other in zip(case.ranks, case.ranks[1:], strict=False))
    inside = all(1 <= rank <= top for rank in case.ranks)
    failed = case.failure is not None and bool(case.ranks)
    return ascending and inside and not failed and 0 < len(case.gold) >= len(case.ranks)


def _disagreeing(where: str, metrics: Mapping[str, Measured], cases: Sequence[CaseRanks], top: int) -> Iterator[str]:
    counted = [(case.ranks, len(case.gold)) for case in cases]
    for metric in metrics_for(top):
        found = metrics.get(metric.key)
        if found is None or not math.isfinite(found.value):
            continue
        if found.cases != len(cases):
            yield f"{metric.name} {where} says {found.cases} cases and has {len(cases)}"
        true = float(mean_exact(metric, counted))
        if abs(found.value - true) > AGREE:
            yield f"{metric.name} {where} says {found.value:g}, its cases make {true:.{DIGITS}f}"
