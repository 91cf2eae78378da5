"""What is gated: every set of cases once, and only those that are large enough."""

from __future__ import annotations

import pytest

from gitcontext_pipeline.evaluation.cases import CaseSet
from gitcontext_pipeline.evaluation.gate import judge
from gitcontext_pipeline.evaluation.policy import GatePolicy, distinct_slices
from tests.evaluation.builders import baseline_of, case_set, hits, report_of


def labelled(*labels: dict[str, str]) -> CaseSet:
    return case_set(
        *({"id": f"c{i}", "query": f"question {i}", "gold": [{"path": "a"}], **each} for i, each in enumerate(labels))
    )


CODE, DOCS = {"kind": "code", "scope": "code"}, {"kind": "docs", "scope": "docs"}


def test_a_scope_that_repeats_kind_is_gated_once() -> None:
    cases = labelled(*[CODE] * 21, *[DOCS] * 20).cases
    assert [key for key, _ in GatePolicy().gated_slices(cases)] == [("kind", "code"), ("kind", "docs")]


def test_the_first_label_of_the_policy_is_the_one_that_is_gated() -> None:
    cases = labelled(*[CODE] * 21, *[DOCS] * 20).cases
    policy = GatePolicy(slice_labels=("scope", "kind"))
    assert [key for key, _ in policy.gated_slices(cases)] == [("scope", "code"), ("scope", "docs")]


def test_a_scope_that_differs_by_one_case_is_gated_too() -> None:
    cases = labelled(*[CODE] * 21, {"kind": "docs", "scope": "code"}, *[DOCS] * 20).cases
    assert ("scope", "code") in dict(GatePolicy().gated_slices(cases))


def test_a_slice_of_all_cases_is_the_overall_number_again() -> None:
    cases = labelled(*[CODE] * 21).cases
    assert GatePolicy().gated_slices(cases) == []
    assert len(GatePolicy(slice_metrics=("ndcg@10",)).gated_slices(cases)) == 1


def test_small_slices_are_told_and_not_gated() -> None:
    cases = labelled(*[CODE] * 21, *[DOCS] * 19).cases
    assert [key for key, _ in GatePolicy().gated_slices(cases)] == [("kind", "code")]
    assert [key for key, _ in distinct_slices(cases)] == [("kind", "code"), ("kind", "docs")]


def test_the_verdict_gates_what_the_policy_says() -> None:
    scopes = ["code"] * 20 + ["docs"] * 20
    before = report_of(hits(40, 40), scopes=scopes)
    verdict = judge(report_of(hits(38, 40), scopes=scopes), baseline_of(before))
    gated = {(delta.label, delta.value) for delta in verdict.gated if delta.label}
    assert gated == {("scope", "code"), ("scope", "docs")}
    assert verdict.outcome == "regression"  # two of twenty are ten points


def test_a_required_baseline_that_is_missing_is_an_error() -> None:
    report = report_of(hits(5, 10))
    assert judge(report, None).outcome == "pass"
    verdict = judge(report, None, GatePolicy(require_baseline=True))
    assert (verdict.outcome, verdict.exit_code) == ("error", 3)


@pytest.mark.parametrize("labels", [("kind", "kind"), ()])
def test_labels_may_be_few_or_repeated(labels: tuple[str, ...]) -> None:
    cases = labelled(*[CODE] * 21, *[DOCS] * 20).cases
    assert len(GatePolicy(slice_labels=labels).gated_slices(cases)) == 2 * bool(labels)
