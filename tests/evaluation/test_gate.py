from __future__ import annotations

import json
import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitcontext_pipeline.errors import UsageError
from gitcontext_pipeline.evaluation.baseline import Baseline
from gitcontext_pipeline.evaluation.gate import gate, judge
from gitcontext_pipeline.evaluation.policy import GatePolicy
from gitcontext_pipeline.evaluation.report import Report, SetAside, write_report
from gitcontext_pipeline.evaluation.verdict import Verdict
from tests.evaluation.builders import baseline_of, hits, report_of

ONLY_HIT5 = GatePolicy(metrics=("hit@5",), slice_metrics=())


def said(verdict: Verdict) -> str:
    return " / ".join(reason.what for reason in verdict.reasons)


def test_equal_runs_pass() -> None:
    report = report_of(hits(70, 100))
    verdict = judge(report, baseline_of(report))
    assert (verdict.outcome, verdict.exit_code, verdict.reasons) == ("pass", 0, [])
    assert verdict.baseline is not None
    assert verdict.baseline.note == "first"


@pytest.mark.parametrize(
    ("before", "after", "of", "tolerance", "outcome"),
    [
        (70, 65, 100, 5, "pass"),
        (70, 64, 100, 5, "regression"),
        (65, 70, 100, 5, "pass"),
        (64, 70, 100, 5, "improvement"),
        (19, 18, 20, 5, "pass"),
        (7, 6, 7, Fraction(100, 7), "pass"),
        (7, 6, 7, "14.28", "regression"),
        (300, 299, 1000, 0.1, "pass"),
        (300, 298, 1000, 0.1, "regression"),
        (999, 948, 1000, 5, "regression"),
        (999, 949, 1000, 5, "pass"),
        (5, 5, 5, 0, "pass"),
        (5, 4, 5, 0, "regression"),
    ],
)
def test_the_edge_of_the_tolerance_is_exact(before: int, after: int, of: int, tolerance: Any, outcome: str) -> None:
    policy = GatePolicy(tolerance_pp=tolerance, metrics=("hit@5", "mrr"))
    verdict = judge(report_of(hits(after, of)), baseline_of(report_of(hits(before, of))), policy)
    assert verdict.outcome == outcome


def test_mrr_at_the_edge_is_exact() -> None:
    before = baseline_of(report_of([1, *[None] * 9]))
    policy = GatePolicy(tolerance_pp=5, metrics=("mrr",))
    assert judge(report_of([2, *[None] * 9]), before, policy).outcome == "pass"
    assert judge(report_of([3, *[None] * 9]), before, policy).outcome == "regression"


def test_a_rise_passes_and_says_how_to_freeze_it() -> None:
    verdict = judge(report_of(hits(80, 100)), baseline_of(report_of(hits(70, 100))))
    assert (verdict.outcome, verdict.exit_code) == ("improvement", 0)
    assert all("gitcontext eval freeze" in (reason.fix or "") for reason in verdict.reasons)
    assert "Hit@5 rose by 10.00 points, from 0.700 to 0.800" in said(verdict)


def test_a_fall_elsewhere_outweighs_a_rise() -> None:
    verdict = judge(report_of([3] * 100), baseline_of(report_of(hits(70, 100))))
    assert (verdict.outcome, verdict.exit_code) == ("regression", 1)
    assert "Hit@1 fell" in said(verdict)
    assert "rose" not in said(verdict)


def test_a_slice_of_enough_cases_is_gated() -> None:
    scopes = ["code"] * 40 + ["docs"] * 20 + ["history"] * 19
    before = baseline_of(report_of([1] * 79, scopes=scopes))
    docs_lost = report_of([1] * 58 + [None] * 2 + [1] * 19, scopes=scopes)
    verdict = judge(docs_lost, before)
    assert said(verdict) == "Hit@5 of scope docs fell by 10.00 points, from 1.000 to 0.900"
    history_lost = report_of([1] * 77 + [None] * 2, scopes=scopes)
    assert judge(history_lost, before).outcome == "pass"
    assert judge(history_lost, before, GatePolicy(min_slice_cases=19)).outcome == "regression"
    assert judge(docs_lost, before, GatePolicy(slice_labels=("style",))).outcome == "pass"


def test_cases_gained_and_lost_are_named() -> None:
    verdict = judge(report_of([1, None, 7, 2]), baseline_of(report_of([1, 2, 2, None])), ONLY_HIT5)
    assert [(case.id, case.before, case.after) for case in verdict.lost] == [("c1", 2, None), ("c2", 2, 7)]
    assert [case.id for case in verdict.gained] == ["c3"]
    assert verdict.paired is not None


def test_cases_that_must_hit_are_guarded_whatever_the_averages() -> None:
    report = report_of([1] * 99 + [6])
    verdict = judge(report, baseline_of(report), GatePolicy(must_hit=("c99", "c0")))
    assert verdict.outcome == "regression"
    assert said(verdict) == "the case c99 must hit within 5 rows and was found at rank 6: question 99"
    assert judge(report, None, GatePolicy(must_hit=("c99",))).exit_code == 1
    assert judge(report, baseline_of(report), GatePolicy(must_hit=("c99",), must_hit_top=6)).outcome == "pass"


def test_a_guard_on_a_case_that_was_not_measured_is_an_error() -> None:
    report = report_of([1, 1])
    verdict = judge(report, baseline_of(report), GatePolicy(must_hit=("c7",)))
    assert (verdict.outcome, verdict.exit_code) == ("error", 3)


def test_without_a_baseline_the_gate_passes_and_warns() -> None:
    verdict = judge(report_of([1, None]), None)
    assert (verdict.outcome, verdict.reasons) == ("pass", [])
    (warning,) = verdict.warnings
    assert "no baseline is frozen" in warning.what
    assert "gitcontext eval freeze" in (warning.fix or "")


BEFORE = report_of([1, 2, None, 4, 5, 1, 1, 1], scopes=["code"] * 4 + ["docs"] * 4)


def changed(**fields: Any) -> Report:
    return BEFORE.model_copy(update=fields)


def without(metrics: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in metrics.items() if name != key}


def relabelled() -> Report:
    return report_of([1, 2, None, 4, 5, 1, 1, 1], scopes=["code"] * 4 + ["docs"] * 3 + ["history"])


@pytest.mark.parametrize(
    ("report", "what"),
    [
        (
            changed(
                dataset=BEFORE.dataset.model_copy(update={"sha256": "6" * 64}),
                fingerprints={**BEFORE.fingerprints, "dataset": "6" * 64},
            ),
            "another golden set: 666666666666 (8 cases), the baseline has 555555555555 (8 cases)",
        ),
        (changed(fingerprints={**BEFORE.fingerprints, "corpus_revision": "b" * 40}), "another corpus revision"),
        (changed(fingerprints=without(BEFORE.fingerprints, "corpus_revision")), "another corpus revision: none"),
        (report_of([1, 2, None, 4, 5, 1, 1, 1], scopes=["code"] * 4 + ["docs"] * 4, top=20), "another top: 20"),
        (changed(settings=BEFORE.settings.model_copy(update={"use_scope": True})), "another use_scope: True"),
        (changed(settings=BEFORE.settings.model_copy(update={"granularity": "file"})), "another granularity: file"),
        (report_of([1, 2, None, 4, 5, 1, 1], scopes=["code"] * 4 + ["docs"] * 3), "another number of cases: 7"),
        (report_of([1, 2, None, 4], scopes=["code"] * 4), "slices of the baseline are gone: scope docs"),
        (relabelled(), "slices are not in the baseline: scope history"),
        (relabelled(), "ask or accept something else than in the baseline: c7"),
        (
            changed(cases=[*BEFORE.cases[:7], BEFORE.cases[7].model_copy(update={"id": "new"})]),
            "cases of the baseline were not measured: c7",
        ),
        (
            changed(cases=[BEFORE.cases[0].model_copy(update={"gold": ["other.py"]}), *BEFORE.cases[1:]]),
            "ask or accept something else than in the baseline: c0",
        ),
    ],
)
def test_what_cannot_be_compared_is_refused_with_the_reason_and_the_command(report: Report, what: str) -> None:
    verdict = judge(report, baseline_of(BEFORE))
    assert (verdict.outcome, verdict.exit_code) == ("incomparable", 3)
    assert what in said(verdict)
    assert all(reason.fix for reason in verdict.reasons)
    assert any("gitcontext eval" in (reason.fix or "") for reason in verdict.reasons)
    assert verdict.deltas == []


def test_a_baseline_that_lacks_a_metric_is_refused_too() -> None:
    frozen = baseline_of(BEFORE, metrics=without(BEFORE.metrics, "mrr"))
    assert "the baseline lacks mrr" in said(judge(BEFORE, frozen))


def test_too_few_rows_for_a_gated_metric_are_told() -> None:
    report = report_of([1, 2], top=3)
    verdict = judge(report, baseline_of(report))
    assert verdict.outcome == "incomparable"
    assert "at least 5 rows" in (verdict.reasons[0].fix or "")


def test_cases_set_aside_since_are_told_with_their_reason() -> None:
    report = report_of([1, 2, None, 4, 5, 1, 1], scopes=["code"] * 4 + ["docs"] * 3)
    aside = report.model_copy(
        update={"dataset": BEFORE.dataset, "set_aside": [SetAside(id="c7", reason="no docs in the archive")]}
    )
    verdict = judge(aside, baseline_of(BEFORE))
    assert verdict.outcome == "incomparable"
    assert any("no docs in the archive" in (reason.fix or "") for reason in verdict.reasons)


@pytest.mark.parametrize("name", ["snapshot", "dataset", "retriever"])
def test_a_stale_report_is_refused(name: str) -> None:
    verdict = judge(BEFORE, baseline_of(BEFORE), expected={name: "now"})
    assert (verdict.outcome, verdict.exit_code) == ("incomparable", 3)
    assert f"the report is of another {name}" in said(verdict)
    assert judge(BEFORE, None, expected={name: "now"}).outcome == "incomparable"


def test_a_report_of_what_there_is_now_is_compared() -> None:
    assert judge(BEFORE, baseline_of(BEFORE), expected={"snapshot": "s1"}).outcome == "pass"


def forged(find: Callable[[dict[str, Any]], Any]) -> Report:
    content = BEFORE.model_dump()
    find(content)
    return Report.model_validate(content)


@pytest.mark.parametrize(
    ("forge", "what"),
    [
        (lambda r: r["metrics"]["hit@5"].update(value=0.99), "Hit@5 over all cases says 0.99, its cases make 0.875"),
        (lambda r: r["metrics"]["ndcg@10"].update(value=0.99), "nDCG@10 over all cases says"),
        (lambda r: r["metrics"]["hit@5"].update(cases=9), "says 9 cases"),
        (lambda r: r["slices"][0]["metrics"]["mrr"].update(value=0.99), "MRR of scope code says"),
        (lambda r: r["slices"].pop(), "the slice scope docs of its cases is missing"),
        (lambda r: r["slices"].append(r["slices"][0]), "a slice is in it twice"),
        (lambda r: r["slices"].append({**r["slices"][0], "value": "x"}), "the slice scope x has no case"),
        (lambda r: r["slices"][0].update(cases=3), "the slice scope code says 3 cases"),
        (lambda r: r["cases"][2].update(ranks=[1]), "over all cases says"),
        (lambda r: r["cases"][2].update(ranks=[0]), "the ranks of case c2 are impossible"),
        (lambda r: r["cases"][2].update(ranks=[11]), "the ranks of case c2 are impossible"),
        (lambda r: r["cases"][2].update(ranks=[1, 2]), "the ranks of case c2 are impossible"),
        (lambda r: r["cases"][0].update(failure="raised"), "the ranks of case c0 are impossible"),
        (lambda r: r["cases"].append(r["cases"][0]), "case c0 is in it 2 times"),
        (lambda r: r["cases"].pop(), "its golden set has 8 cases, but 7 were measured"),
        (lambda r: r["cases"].clear(), "the report has no case"),
        (lambda r: r["fingerprints"].update(dataset="7" * 64), "names two different golden sets"),
        (lambda r: r["errors"].append("3 of 8 cases failed"), "the run failed: 3 of 8 cases failed"),
        (lambda r: r.update(schema_version=2), "the report has format 2, this version reads 1"),
        (lambda r: r["metrics"].pop("hit@3"), "the report lacks hit@3"),
        (lambda r: r["metrics"].clear(), "the report lacks hit@1"),
        (
            lambda r: r["metrics"].update({"hit@99": r["metrics"]["mrr"]}),
            "the report has hit@99, which 10 rows cannot tell",
        ),
        (lambda r: r["slices"][1]["metrics"].pop("hit@5"), "the report lacks hit@5 of scope docs"),
        (lambda r: r["metrics"]["hit@5"].update(value=math.nan), "the report holds numbers that are none: hit@5"),
        (lambda r: r["metrics"]["mrr"].update(high=math.inf), "the report holds numbers that are none: mrr"),
        (lambda r: r["slices"][0]["metrics"]["mrr"].update(low=-math.inf), "numbers that are none: mrr of scope code"),
    ],
)
def test_a_failed_or_doctored_report_is_an_error_with_or_without_a_baseline(
    forge: Callable[[dict[str, Any]], Any], what: str
) -> None:
    report = forged(forge)
    for baseline in (None, baseline_of(BEFORE), baseline_of(report)):
        verdict = judge(report, baseline)
        assert (verdict.outcome, verdict.exit_code) == ("error", 3)
        assert what in said(verdict)


def test_a_doctored_baseline_is_an_error() -> None:
    frozen = baseline_of(forged(lambda r: r["metrics"]["hit@5"].update(value=0.5)))
    verdict = judge(BEFORE, frozen)
    assert verdict.outcome == "error"
    assert "the baseline contradicts itself" in said(verdict)


def test_files_that_are_missing_or_damaged_are_an_error(tmp_path: Path) -> None:
    good = tmp_path / "report.json"
    write_report(good, BEFORE)
    frozen = tmp_path / "baseline.json"
    frozen.write_text(baseline_of(BEFORE).model_dump_json())
    assert gate(good, frozen).outcome == "pass"
    (tmp_path / "half.json").write_text(good.read_text()[:200])
    for report, baseline in (
        (tmp_path / "absent.json", frozen),
        (good, tmp_path / "absent.json"),
        (tmp_path / "half.json", frozen),
        (good, tmp_path / "half.json"),
        (good, good),
        (frozen, frozen),
    ):
        verdict = gate(report, baseline)
        assert (verdict.outcome, verdict.exit_code) == ("error", 3)
        assert verdict.reasons[0].fix


def test_nan_in_a_file_never_passes(tmp_path: Path) -> None:
    content = json.loads(BEFORE.to_json())
    content["metrics"]["hit@5"]["value"] = float("nan")
    path = tmp_path / "report.json"
    path.write_text(json.dumps(content))
    frozen = tmp_path / "baseline.json"
    frozen.write_text(baseline_of(BEFORE).model_dump_json())
    assert gate(path, frozen).exit_code == 3


@pytest.mark.parametrize(
    "wrong",
    [
        {"tolerance_pp": -1},
        {"tolerance_pp": 101},
        {"tolerance_pp": math.nan},
        {"tolerance_pp": math.inf},
        {"tolerance_pp": "five"},
        {"tolerance_pp": "1/0"},
        {"tolerance_pp": ""},
        {"tolerance_pp": "\N{ARABIC-INDIC DIGIT FIVE}"},
        {"tolerance_pp": "1_0"},
        {"tolerance_pp": "1e-9999999"},
        {"tolerance_pp": "1e9999999"},
        {"tolerance_pp": f"0.{'0' * 10_000}1"},
        {"metrics": ()},
        {"metrics": ("hit@7",)},
        {"slice_metrics": ("accuracy",)},
        {"slice_labels": ("colour",)},
        {"min_slice_cases": 0},
        {"must_hit_top": 0},
    ],
)
def test_a_policy_that_cannot_be_meant_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        GatePolicy(**wrong)


RANKS = st.lists(st.one_of(st.none(), st.integers(1, 10)), min_size=1, max_size=14)
PAIRS = RANKS.flatmap(
    lambda before: st.tuples(
        st.just(before),
        st.lists(st.one_of(st.none(), st.integers(1, 10)), min_size=len(before), max_size=len(before)),
    )
)
TOLERANCES = st.fractions(0, 100, max_denominator=100)


@given(PAIRS, TOLERANCES)
@settings(deadline=None, max_examples=40)
def test_the_verdict_is_what_exact_arithmetic_says(
    pair: tuple[list[int | None], list[int | None]], edge: Fraction
) -> None:
    before, after = pair
    policy = GatePolicy(tolerance_pp=edge, metrics=("hit@3",), slice_metrics=())
    outcome = judge(report_of(after), baseline_of(report_of(before)), policy).outcome
    then, now = (sum(rank is not None and rank <= 3 for rank in ranks) for ranks in (before, after))
    moved = Fraction(100 * (now - then), len(before))
    assert outcome == ("regression" if moved < -edge else "improvement" if moved > edge else "pass")


@given(PAIRS, TOLERANCES, TOLERANCES)
@settings(deadline=None, max_examples=40)
def test_a_wider_tolerance_never_fails_what_a_narrower_one_passed(
    pair: tuple[list[int | None], list[int | None]], one: Fraction, other: Fraction
) -> None:
    before, after = baseline_of(report_of(pair[0])), report_of(pair[1])
    narrow, wide = (judge(after, before, GatePolicy(tolerance_pp=edge)).exit_code for edge in sorted((one, other)))
    assert wide <= narrow


@given(PAIRS)
@settings(deadline=None, max_examples=40)
def test_deltas_are_symmetric(pair: tuple[list[int | None], list[int | None]]) -> None:
    one, other = report_of(pair[0]), report_of(pair[1])
    forth, back = judge(other, baseline_of(one)), judge(one, baseline_of(other))
    assert [delta.delta_pp for delta in forth.deltas] == [-delta.delta_pp for delta in back.deltas]
    assert [case.id for case in forth.gained] == [case.id for case in back.lost]
    assert forth.paired is not None
    assert back.paired is not None
    assert forth.paired.mcnemar_p == back.paired.mcnemar_p


@given(PAIRS, st.sampled_from(["errors", "metrics", "cases", "slices", "dataset"]), TOLERANCES)
@settings(deadline=None, max_examples=40)
def test_an_error_never_passes(pair: tuple[list[int | None], list[int | None]], where: str, edge: Fraction) -> None:
    report = report_of(pair[1], scopes=["code"] * len(pair[1]))
    broken: dict[str, Any] = {
        "errors": ["a reason"],
        "metrics": {},
        "cases": report.cases[1:],
        "slices": [],
        "dataset": report.dataset.model_copy(update={"sha256": "8" * 64}),
    }
    baseline: Baseline = baseline_of(report_of(pair[0], scopes=["code"] * len(pair[0])))
    verdict = judge(report.model_copy(update={where: broken[where]}), baseline, GatePolicy(tolerance_pp=edge))
    assert verdict.exit_code == 3
    assert verdict.reasons


def test_a_baseline_is_read_whatever_its_file_is_called(tmp_path: Path) -> None:
    report, baseline = tmp_path / "report.json", tmp_path / "kept_baseline"
    write_report(report, report_of(hits(5, 20)))
    baseline.write_text(baseline_of(report_of(hits(20, 20))).model_dump_json())
    assert gate(report, baseline).outcome == "regression"
    baseline.write_text("not a baseline")
    assert gate(report, baseline).outcome == "error"
