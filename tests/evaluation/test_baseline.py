from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from gitcontext_pipeline.errors import GitContextError, UsageError
from gitcontext_pipeline.evaluation.baseline import find_baseline, freeze, read_baseline
from gitcontext_pipeline.evaluation.gate import judge
from gitcontext_pipeline.evaluation.report import Audit, Finding, Measured
from tests.evaluation.builders import REVISION, report_of

AT = datetime(2026, 11, 30, 12, tzinfo=UTC)


def test_a_baseline_says_who_when_and_why(tmp_path: Path) -> None:
    report = report_of([1, None, 3])
    path = freeze(report, tmp_path / "baselines", by="Ada", note=" first measured ", at=AT)
    assert path == tmp_path / "baselines" / f"{REVISION}.json"
    found = read_baseline(path)
    assert (found.frozen.by, found.frozen.at, found.frozen.note) == (
        "Ada",
        "2026-11-30T12:00:00+00:00",
        "first measured",
    )
    assert [case.ranks for case in found.cases] == [[1], [], [3]]
    assert found.fingerprints == report.fingerprints
    assert judge(report, found).outcome == "pass"


def test_freezing_again_is_the_same_file_but_for_who_and_when(tmp_path: Path) -> None:
    first = freeze(report_of([1, 2]), tmp_path, by="Ada", note="a", at=AT).read_text()
    assert freeze(report_of([1, 2]), tmp_path, by="Ada", note="a", at=AT).read_text() == first


@pytest.mark.parametrize(("by", "note"), [("Ada", ""), ("Ada", "  "), ("", "why")])
def test_nobody_and_no_reason_freeze_nothing(tmp_path: Path, by: str, note: str) -> None:
    with pytest.raises(UsageError):
        freeze(report_of([1]), tmp_path, by=by, note=note)
    assert list(tmp_path.iterdir()) == []


NAN = Measured(value=float("nan"), low=0.0, high=1.0, cases=2, method="bca")
IMPOSSIBLE = Audit(
    checked_corpus=True,
    findings=[Finding(problem="impossible", severity="error", case="c1", detail="nowhere")],
)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"errors": ["no index"]}, "no index"),
        ({"failures": {1: "raised OSError"}}, "1 cases failed; c1: raised OSError"),
        ({"audit": IMPOSSIBLE}, "such as c1"),
        ({"metrics": {"hit@5": NAN}}, "holds numbers that are none: hit@5"),
        ({"cases": []}, "no case was measured"),
        ({"metrics": report_of([None, None]).metrics}, "its cases make"),
        ({"fingerprints": {"dataset": "5" * 64, "corpus_revision": "../../etc"}}, "cannot name a baseline"),
        ({"fingerprints": {"dataset": "5" * 64, "corpus_revision": 3}}, "cannot name a baseline"),
    ],
)
def test_an_incomplete_or_failed_run_is_not_frozen(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    with pytest.raises(GitContextError, match=said):
        freeze(report_of([1, 2], **changes), tmp_path, by="Ada", note="why")
    assert list(tmp_path.iterdir()) == []


def test_the_baseline_of_the_revision_is_found(tmp_path: Path) -> None:
    assert find_baseline(tmp_path, REVISION) is None
    assert find_baseline(tmp_path / "absent", REVISION) is None
    freeze(report_of([1]), tmp_path, by="Ada", note="why")
    found = find_baseline(tmp_path, REVISION)
    assert found is not None
    assert found.frozen.note == "why"


def test_moving_the_pin_does_not_switch_the_gate_off(tmp_path: Path) -> None:
    freeze(report_of([1]), tmp_path, by="Ada", note="why")
    moved = report_of([1], fingerprints={"dataset": "5" * 64, "corpus_revision": "b" * 40})
    verdict = judge(moved, find_baseline(tmp_path, "b" * 40))
    assert (verdict.outcome, verdict.exit_code) == ("incomparable", 3)
    assert "another corpus revision" in verdict.reasons[0].what


def test_a_retriever_without_a_pinned_corpus_has_a_baseline_too(tmp_path: Path) -> None:
    report = report_of([1], fingerprints={"dataset": "5" * 64})
    assert freeze(report, tmp_path, by="Ada", note="why").name == "unpinned.json"
    assert judge(report, find_baseline(tmp_path, None)).outcome == "pass"


@pytest.mark.parametrize("text", ["", "{}", "null", '{"frozen": 3}'])
def test_a_damaged_baseline_is_refused_by_name(tmp_path: Path, text: str) -> None:
    (tmp_path / f"{REVISION}.json").write_text(text)
    with pytest.raises(GitContextError, match=REVISION):
        find_baseline(tmp_path, REVISION)
