"""The gate on answers: the share that passes the contract against a frozen baseline, as retrieval is gated.

Two more numbers may not get worse at all: replies of the wrong shape, and prose about what the corpus does not hold.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path

from pydantic import JsonValue

from gitcontext_pipeline.errors import GitContextError, UsageError
from gitcontext_pipeline.evaluation.answers_report import RERUN, AnswersReport, Counts, Status
from gitcontext_pipeline.evaluation.baseline import UNPINNED, Frozen
from gitcontext_pipeline.evaluation.policy import DEFAULT_TOLERANCE, percentage_points
from gitcontext_pipeline.evaluation.report import DatasetId, Model, read_model
from gitcontext_pipeline.evaluation.verdict import BaselineId, Outcome, Reason, Verdict
from gitcontext_pipeline.storage import write_atomic

FREEZE = "gitcontext eval answers --freeze --note 'why'"
FOLDER = "answers"
"""Below a corpus's `baselines`: one file a revision, as for retrieval."""

COMPARABLE = ("corpus", "corpus_revision", "dataset")
MODEL = ("model_sha256", "seed", "prompt_budget")
"""What must be equal for two runs to be compared; prompt, grammar and contract are what is being judged."""


class AnswersBaseline(Model):
    """What a frozen run keeps: its counts, how each case ended, and what makes another run comparable."""

    dataset: DatasetId
    limit: int | None
    top: int
    fingerprints: dict[str, JsonValue]
    settings: dict[str, JsonValue]
    counts: Counts
    outcomes: dict[str, Status]
    frozen: Frozen


def freeze_answers(report: AnswersReport, baselines: Path, *, by: str, note: str, at: datetime | None = None) -> Path:
    """Write `baselines/answers/<corpus revision>.json`; returns its path.

    Raises UsageError when nobody says why, and GitContextError for a run in which a question failed or nothing was
    asked.
    """
    if not note.strip() or not by.strip():
        raise UsageError("a baseline needs a name and a reason", fix="Say why it moves: --note 'why'.")
    if report.counts.failed or not report.counts.cases:
        raise GitContextError(
            f"this run is not fit to be a baseline: {report.counts.failed} of {report.counts.cases} questions failed",
            fix=f"Mend it and answer again: {RERUN}",
        )
    revision = report.fingerprints.get("corpus_revision", UNPINNED)
    if not isinstance(revision, str) or not re.fullmatch(r"[0-9A-Za-z][0-9A-Za-z._-]{0,99}", revision):
        raise GitContextError(f"{revision!r} cannot name a baseline", fix="Set the fingerprint corpus_revision.")
    when = (at or datetime.now(UTC)).astimezone(UTC).isoformat(timespec="seconds")
    baseline = AnswersBaseline(
        **{name: getattr(report, name) for name in ("dataset", "limit", "top", "fingerprints", "settings", "counts")},
        outcomes={case.id: case.status for case in report.cases},
        frozen=Frozen(by=by.strip(), at=when, note=note.strip()),
    )
    path = baselines / FOLDER / f"{revision}.json"
    write_atomic(path, baseline.model_dump_json(indent=2) + "\n")
    return path


def find_answers_baseline(baselines: Path, revision: str | None) -> AnswersBaseline | None:
    """The baseline of `revision`, or the one frozen last for another (which then is incomparable), or None."""
    folder = baselines / FOLDER
    own = folder / f"{revision or UNPINNED}.json"
    paths = [own] if own.is_file() else sorted(folder.glob("*.json")) if folder.is_dir() else []
    found = [read_model(path, AnswersBaseline, f"Restore it, or freeze one: {FREEZE}") for path in paths]
    return max(found, key=lambda baseline: baseline.frozen.at, default=None)


def judge_answers(
    report: AnswersReport,
    baseline: AnswersBaseline | None,
    tolerance_pp: Fraction | int | float | str = DEFAULT_TOLERANCE,
) -> Verdict:
    """The verdict on `report`; `tolerance_pp` are percentage points that the pass rate may fall, that number included.

    No baseline is a pass that warns: a first run has nothing to fall from.
    """
    tolerance = percentage_points(tolerance_pp)
    counts = report.counts
    told = float(tolerance)
    if not counts.cases or counts.failed:
        first = next((case for case in report.cases if case.failure is not None), None)
        why = f"{counts.failed} of {counts.cases} questions failed" + (
            f"; {first.id}: {first.failure}" if first else ""
        )
        return Verdict(outcome="error", reasons=[Reason(what=why, fix=f"Answer again: {RERUN}")], tolerance_pp=told)
    if baseline is None:
        warning = Reason(what="no baseline of answers is frozen, so nothing was compared", fix=f"Freeze one: {FREEZE}")
        return Verdict(outcome="pass", warnings=[warning], tolerance_pp=told)
    named = BaselineId(
        corpus_revision=str(baseline.fingerprints.get("corpus_revision")),
        frozen_by=baseline.frozen.by,
        frozen_at=baseline.frozen.at,
        note=baseline.frozen.note,
    )
    if refused := list(_incomparable(report, baseline)):
        return Verdict(outcome="incomparable", reasons=refused, tolerance_pp=told, baseline=named)
    outcome, reasons = _compared(report, baseline, tolerance)
    return Verdict(outcome=outcome, reasons=reasons, tolerance_pp=told, baseline=named)


def _compared(report: AnswersReport, baseline: AnswersBaseline, tolerance: Fraction) -> tuple[Outcome, list[Reason]]:
    """Over the questions of this run, which may be the first few of the baseline's."""
    now = {case.id: case.status for case in report.cases}
    asked = [case.id for case in report.cases if case.answerable]
    absent = [case.id for case in report.cases if not case.answerable]
    rates = [Fraction(_shown(outcomes, asked), len(asked)) for outcomes in (baseline.outcomes, now)]
    moved = 100 * (rates[1] - rates[0])
    said = f"the share of answers that pass went from {float(rates[0]):.3f} to {float(rates[1]):.3f}"
    told = f"{said}, {float(moved):+.2f} points"
    worse = [Reason(what=told)] if moved < -tolerance else []
    shapes, before = report.counts.shape_failures, baseline.counts.shape_failures
    if shapes > before:
        worse.append(Reason(what=f"{shapes} replies have the wrong shape, {before} had"))
    explained, before = _shown(now, absent), _shown(baseline.outcomes, absent)
    if explained > before:
        said = f"{explained} questions without an answer in the corpus were explained, {before} were"
        worse.append(Reason(what=said))
    if worse:
        return "regression", worse
    if moved > tolerance:
        return "improvement", [Reason(what=told, fix=f"Freeze it: {FREEZE}")]
    return "pass", []


def _shown(outcomes: Mapping[str, Status], ids: Sequence[str]) -> int:
    return sum(outcomes[name] in ("passed", "repaired") for name in ids)


def _incomparable(report: AnswersReport, baseline: AnswersBaseline) -> Iterator[Reason]:
    for name in COMPARABLE:
        yield from _differs(name, baseline.fingerprints.get(name), report.fingerprints.get(name))
    for name in MODEL:
        yield from _differs(name, baseline.settings.get(name), report.settings.get(name))
    yield from _differs("top", baseline.top, report.top)
    now, then = {case.id for case in report.cases}, set(baseline.outcomes)
    if not now <= then or (report.limit is None and now != then):
        yield Reason(what="other questions were asked than for the baseline", fix=f"Freeze one: {FREEZE}")


def _differs(name: str, then: JsonValue, now: JsonValue) -> Iterator[Reason]:
    if then != now:
        yield Reason(what=f"{name} is {now!r} and was {then!r} for the baseline", fix=f"Freeze one: {FREEZE}")
