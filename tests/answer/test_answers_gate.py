from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitcontext_pipeline.errors import GitContextError, UsageError
from gitcontext_pipeline.evaluation.answers_gate import (
    AnswersBaseline,
    find_answers_baseline,
    freeze_answers,
    judge_answers,
)
from gitcontext_pipeline.evaluation.answers_report import AnswersReport
from tests.answer.reports import REVISION, case, passing, report


def frozen(measured: AnswersReport, folder: Path) -> AnswersBaseline:
    freeze_answers(measured, folder, by="Ada", note="first")
    found = find_answers_baseline(folder, REVISION)
    assert found is not None
    return found


def test_without_a_baseline_it_passes_and_warns() -> None:
    verdict = judge_answers(passing(10, 20), None)
    assert (verdict.outcome, verdict.exit_code) == ("pass", 0)
    assert "--freeze" in str(verdict.warnings[0].fix)


@pytest.mark.parametrize(
    ("now", "outcome", "code"),
    [(10, "pass", 0), (9, "pass", 0), (8, "regression", 1), (11, "pass", 0), (12, "improvement", 0)],
)
def test_five_points_of_the_pass_rate_are_tolerated_and_no_more(
    tmp_path: Path, now: int, outcome: str, code: int
) -> None:
    verdict = judge_answers(passing(now, 20), frozen(passing(10, 20), tmp_path))
    assert (verdict.outcome, verdict.exit_code) == (outcome, code)


def test_a_verdict_says_who_froze_the_baseline(tmp_path: Path) -> None:
    verdict = judge_answers(passing(3, 20), frozen(passing(10, 20), tmp_path))
    assert verdict.baseline is not None
    assert (verdict.baseline.frozen_by, verdict.baseline.corpus_revision) == ("Ada", REVISION)
    assert "from 0.500 to 0.150" in verdict.reasons[0].what


@pytest.mark.parametrize(
    "worse",
    [
        {"shape_failures": 1},
        {"answerable": False, "status": "passed"},
    ],
)
def test_wrong_shape_and_prose_about_nothing_are_not_tolerated_at_all(tmp_path: Path, worse: dict[str, Any]) -> None:
    good = [case(f"c{at}") for at in range(40)] + [case("last", "withheld", answerable="status" not in worse)]
    bad = [*good[:-1], case("last", **{"status": "withheld", **worse})]
    assert judge_answers(report(bad), frozen(report(good), tmp_path)).outcome == "regression"


@pytest.mark.parametrize(
    "changes",
    [
        {"fingerprints": {"corpus": "demo", "corpus_revision": "b" * 40, "dataset": "d" * 64}},
        {"fingerprints": {"corpus": "demo", "corpus_revision": REVISION, "dataset": "0" * 64}},
        {"settings": {"model": "toy", "model_sha256": "f" * 64, "seed": 1, "prompt_budget": 1200}},
        {"top": 3},
    ],
)
def test_runs_of_something_else_are_not_compared(tmp_path: Path, changes: dict[str, Any]) -> None:
    measured = passing(10, 20)
    verdict = judge_answers(measured.model_copy(update=changes), frozen(measured, tmp_path))
    assert (verdict.outcome, verdict.exit_code) == ("incomparable", 3)


def test_other_questions_are_not_compared(tmp_path: Path) -> None:
    baseline = frozen(report([case("a"), case("b")]), tmp_path)
    assert judge_answers(report([case("a"), case("c")]), baseline).outcome == "incomparable"


def test_the_first_few_questions_are_compared_with_the_same_ones_of_the_baseline(tmp_path: Path) -> None:
    baseline = frozen(passing(10, 20), tmp_path)
    assert judge_answers(passing(10, 10).model_copy(update={"limit": 10}), baseline).outcome == "pass"
    assert judge_answers(passing(9, 10).model_copy(update={"limit": 10}), baseline).outcome == "regression"
    assert judge_answers(passing(10, 10), baseline).outcome == "incomparable"


def test_a_run_with_a_failed_question_is_an_error_and_no_baseline(tmp_path: Path) -> None:
    broken = report([case("a"), case("b", "failed", failure="out of memory")])
    verdict = judge_answers(broken, None)
    assert (verdict.outcome, verdict.exit_code) == ("error", 3)
    assert "b: out of memory" in verdict.reasons[0].what
    with pytest.raises(GitContextError, match="not fit to be a baseline"):
        freeze_answers(broken, tmp_path, by="Ada", note="first")


def test_nothing_measured_is_never_a_pass() -> None:
    assert judge_answers(report([]), None).outcome == "error"


def test_a_baseline_needs_a_reason(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="a reason"):
        freeze_answers(passing(1, 2), tmp_path, by="Ada", note=" ")


def test_moving_the_pin_does_not_switch_the_gate_off(tmp_path: Path) -> None:
    frozen(passing(10, 20), tmp_path)
    other = find_answers_baseline(tmp_path, "b" * 40)
    assert other is not None
    assert find_answers_baseline(tmp_path / "nowhere", REVISION) is None


@given(st.integers(0, 20), st.integers(0, 20))
def test_the_verdict_follows_the_exact_difference(
    tmp_path_factory: pytest.TempPathFactory, then: int, now: int
) -> None:
    baseline = frozen(passing(then, 20), tmp_path_factory.mktemp("gate"))
    expected = "regression" if now < then - 1 else "improvement" if now > then + 1 else "pass"
    assert judge_answers(passing(now, 20), baseline).outcome == expected
