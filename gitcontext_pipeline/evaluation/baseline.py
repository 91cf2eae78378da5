"""A frozen baseline: the measurement that later ones are held against, and who froze it, when and why.

Baselines are data under version control, reviewed like code, and change only by the hand of somebody who says why.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

from gitcontext_pipeline.errors import GitContextError, UsageError
from gitcontext_pipeline.evaluation.report import (
    CaseRanks,
    Measurement,
    Model,
    Report,
    read_model,
    read_report,
)
from gitcontext_pipeline.evaluation.soundness import malformed, unsound
from gitcontext_pipeline.storage import read_json, write_atomic

UNPINNED = "unpinned"
"""The name of the baseline of a report that knows no corpus revision (a foreign retriever over its own corpus)."""


class Frozen(Model):
    """Who froze a baseline, when (UTC, ISO 8601) and why."""

    by: str
    at: str
    note: str


class Baseline(Measurement):
    """A measurement that was frozen; per case it keeps the ranks and not the rows."""

    frozen: Frozen
    cases: list[CaseRanks]


def freeze(report: Report, directory: Path, *, by: str, note: str, at: datetime | None = None) -> Path:
    """Write `directory/<corpus revision>.json` from `report` and return its path; an older one there is replaced.

    Raises UsageError when nobody says why, and GitContextError for a report that is incomplete, failed or unsound.
    """
    if not note.strip() or not by.strip():
        raise UsageError("a baseline needs a name and a reason", fix="Say why it moves: --note 'why'.")
    if reasons := unfit(report):
        raise GitContextError(
            f"this run is not fit to be a baseline: {'; '.join(reasons)}", fix="Mend it and evaluate again."
        )
    revision = report.fingerprints.get("corpus_revision", UNPINNED)
    if not isinstance(revision, str) or not re.fullmatch(r"[0-9A-Za-z][0-9A-Za-z._-]{0,99}", revision):
        raise GitContextError(f"{revision!r} cannot name a baseline", fix="Set the fingerprint corpus_revision.")
    when = (at or datetime.now(UTC)).astimezone(UTC).isoformat(timespec="seconds")
    kept = report.model_dump(include=set(Measurement.model_fields) - {"cases"})
    cases = [CaseRanks(**case.model_dump(include=set(CaseRanks.model_fields))) for case in report.cases]
    baseline = Baseline(**kept, cases=cases, frozen=Frozen(by=by.strip(), at=when, note=note.strip()))
    path = directory / f"{revision}.json"
    write_atomic(path, baseline.model_dump_json(indent=2) + "\n")
    return path


def unfit(report: Report) -> list[str]:
    """Why the report must not become a baseline; empty for a complete and sound one."""
    reasons = [*report.errors, *(f"it {fault}" for fault in malformed(report))]
    if failed := report.failed:
        reasons.append(f"{len(failed)} cases failed; {failed[0].id}: {failed[0].failure}")
    impossible = [finding.case for finding in report.audit.findings if finding.problem == "impossible"]
    if impossible:
        reasons.append(f"{len(impossible)} cases cannot be answered from this corpus, such as {impossible[0]}")
    if not report.cases:
        reasons.append("no case was measured")
    return reasons + unsound(report)


def read_baseline(path: Path) -> Baseline:
    """Raises GitContextError naming the file and the first wrong field."""
    return read_model(path, Baseline, "Freeze one: gitcontext eval freeze --note 'why'.")


def read_measurement(path: Path) -> Report | Baseline:
    """A report or a baseline, whichever the file holds; raises GitContextError naming the first wrong field."""
    found = read_json(path)
    return read_baseline(path) if isinstance(found, dict) and "frozen" in found else read_report(path)


def revision_of(measured: Measurement) -> str:
    """The corpus revision that a report or baseline is of; UNPINNED where it knows none."""
    return str(measured.fingerprints.get("corpus_revision", UNPINNED))


def find_baseline(directory: Path, revision: str | None) -> Baseline | None:
    """The baseline of `revision` in `directory`; where there is none, the one frozen last for another revision.

    The gate will call that one incomparable, which is the point: moving the pin must not switch the gate off. None
    when nothing was ever frozen there.
    """
    own = directory / f"{revision or UNPINNED}.json"
    if own.is_file():
        return read_baseline(own)
    paths = sorted(directory.glob("*.json")) if directory.is_dir() else []
    others = [
        (baseline.frozen.at, path.stat().st_mtime_ns, baseline) for path in paths if (baseline := read_baseline(path))
    ]
    # Two may be frozen within one second, which is all that a baseline tells: then the file written later.
    return max(others, key=lambda other: other[:2])[2] if others else None
