from __future__ import annotations

import pytest

from gitcontext_pipeline.errors import UsageError
from gitcontext_pipeline.evaluation.diff import as_text, diff, worst
from tests.evaluation.builders import baseline_of, report_of


def test_rank_changes_are_told_case_by_case() -> None:
    found = diff(baseline_of(report_of([1, 3, None, 9, 2])), report_of([5, 3, 1, 2, None]))
    assert [(case.id, case.before, case.after) for case in found.better] == [("c2", None, 1), ("c3", 9, 2)]
    assert [(case.id, case.before, case.after) for case in found.worse] == [("c0", 1, 5), ("c4", 2, None)]
    assert found.unchanged == 1
    assert as_text(found).splitlines()[0] == "- c0               #1 -> #5     question 0"
    assert as_text(found).splitlines()[-1] == "2 worse, 2 better, 1 unchanged"


def test_cases_of_one_side_are_named() -> None:
    found = diff(report_of([1, 2, 3]), report_of([1, 2]))
    assert (found.only_before, found.only_after) == (["c2"], [])
    assert "only before: c2" in as_text(found)


def test_sets_without_a_common_case_are_refused() -> None:
    other = report_of([1])
    other = other.model_copy(update={"cases": [other.cases[0].model_copy(update={"id": "x"})]})
    with pytest.raises(UsageError, match="no case in common"):
        diff(report_of([1]), other)


def test_one_id_with_two_questions_is_refused() -> None:
    other = report_of([1])
    other = other.model_copy(update={"cases": [other.cases[0].model_copy(update={"query": "else"})]})
    with pytest.raises(UsageError, match="asks something else"):
        diff(report_of([1]), other)


def test_a_query_of_many_lines_stays_on_one() -> None:
    cases = [report_of([1]).cases[0].model_copy(update={"query": "a\n" * 200})]
    before, after = (report_of([rank]) for rank in (1, 2))
    long = [
        report.model_copy(update={"cases": [cases[0].model_copy(update={"ranks": case.ranks})]})
        for report, case in ((before, before.cases[0]), (after, after.cases[0]))
    ]
    assert len(as_text(diff(*long)).splitlines()) == 2


def test_the_worst_cases_come_first() -> None:
    report = report_of([1, None, 9, None, 4], failures={3: "raised"})
    assert [case.id for case in worst(list(report.cases), 4)] == ["c3", "c1", "c2", "c4"]
