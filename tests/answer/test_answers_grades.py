from __future__ import annotations

import json
from pathlib import Path

import pytest

from gitcontext_pipeline.errors import GitContextError, UsageError
from gitcontext_pipeline.evaluation.answers_grades import Grade, Grades, agreement, read_grades
from tests.answer.reports import case, report

MEASURED = report([case("a"), case("b"), case("c", "withheld"), case("d", "withheld")])


def graded(**grades: Grade) -> Grades:
    return Grades(report=MEASURED.id, grades=grades)


def test_a_contract_that_decides_as_people_do_agrees_fully() -> None:
    found = agreement(MEASURED, graded(a="accept", b="accept", c="reject", d="reject"))
    assert (found.precision, found.recall, found.agreement, found.kappa) == (1.0, 1.0, 1.0, 1.0)
    assert found.disagreements == []


def test_what_was_shown_and_rejected_lowers_precision() -> None:
    found = agreement(MEASURED, graded(a="accept", b="reject", c="reject", d="reject"))
    assert (found.precision, found.recall) == (0.5, 1.0)
    assert found.disagreements == ["b"]


def test_what_was_withheld_and_accepted_lowers_recall() -> None:
    found = agreement(MEASURED, graded(a="accept", b="accept", c="accept", d="reject"))
    assert (found.precision, found.recall) == (1.0, pytest.approx(0.6667))
    assert found.kappa == 0.5


def test_ungraded_answers_do_not_count() -> None:
    assert agreement(MEASURED, graded(a="accept")).graded == 1


def test_shares_of_nothing_are_left_open() -> None:
    found = agreement(MEASURED, graded())
    assert (found.precision, found.recall, found.agreement, found.kappa) == (None, None, None, None)


def test_grades_of_another_report_are_refused() -> None:
    with pytest.raises(UsageError, match="are of the report"):
        agreement(MEASURED, Grades(report="0" * 12, grades={}))


def test_grades_of_an_unknown_case_are_refused() -> None:
    with pytest.raises(UsageError, match="'z'"):
        agreement(MEASURED, graded(z="accept"))


def test_grades_are_read_as_the_page_saves_them(tmp_path: Path) -> None:
    path = tmp_path / "grades.json"
    path.write_text(json.dumps({"report": MEASURED.id, "grades": {"a": "accept"}}))
    assert read_grades(path).grades == {"a": "accept"}
    path.write_text(json.dumps({"report": MEASURED.id, "grades": {"a": "maybe"}}))
    with pytest.raises(GitContextError, match=r"grades\.a"):
        read_grades(path)
