from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitcontext_pipeline.evaluation.measures import BY_KEY, METRICS, mean_exact, metrics_for
from gitcontext_pipeline.evaluation.metrics import interval, latency, measure, slice_ids, values_by_case, with_interval
from gitcontext_pipeline.evaluation.report import CaseRanks


def case(name: str, ranks: list[int], gold: int = 1, **labels: str | None) -> CaseRanks:
    return CaseRanks(id=name, query=name, gold=[f"g{i}" for i in range(gold)], ranks=ranks, **labels)  # type: ignore[arg-type]


def test_known_values() -> None:
    cases = [case("a", [1]), case("b", [4]), case("c", []), case("d", [2, 3], gold=4)]
    metrics, _ = measure(cases, 10)
    values = {key: found.value for key, found in metrics.items()}
    assert values["hit@1"] == 0.25
    assert values["hit@3"] == 0.5
    assert values["hit@5"] == values["hit@10"] == 0.75
    assert values["recall@5"] == pytest.approx((1 + 1 + 0 + 0.5) / 4)
    assert values["mrr"] == pytest.approx((1 + 1 / 4 + 1 / 2) / 4)
    ideal = sum(1 / math.log2(place + 1) for place in (1, 2, 3, 4))
    gained = (1 / math.log2(3) + 1 / math.log2(4)) / ideal
    assert values["ndcg@10"] == pytest.approx((1 + 1 / math.log2(5) + gained) / 4, abs=1e-6)


def test_a_failed_or_empty_case_counts_as_zero_and_stays_in_the_mean() -> None:
    failed = CaseRanks(id="f", query="f", gold=["g"], ranks=[], failure="raised")
    metrics, _ = measure([case("a", [1]), failed], 10)
    assert all(found.value == 0.5 and found.cases == 2 for found in metrics.values())


def test_metrics_that_need_more_rows_are_left_out() -> None:
    assert {metric.key for metric in metrics_for(5)} == {"hit@1", "hit@3", "hit@5", "recall@5", "mrr"}


def test_every_metric_says_what_it_is() -> None:
    for metric in METRICS:
        assert metric.sentence.endswith(".")
        assert metric.citation
        assert BY_KEY[metric.key] is metric


def test_slices_keep_the_cases_that_have_no_label() -> None:
    cases = [case("a", [1], scope="code"), case("b", [], scope="docs"), case("c", [1], scope=None)]
    assert slice_ids(cases) == [(("scope", "code"), ["a"]), (("scope", "docs"), ["b"]), (("scope", "none"), ["c"])]
    _, slices = measure(cases, 10)
    assert [(part.value, part.metrics["hit@5"].value) for part in slices] == [
        ("code", 1.0),
        ("docs", 0.0),
        ("none", 1.0),
    ]


def test_intervals_are_the_same_every_time_and_hold_the_mean() -> None:
    values = [0.0, 1.0, 0.5, 1.0, 0.0, 0.25]
    assert with_interval(values) == with_interval(values)
    found = with_interval(values)
    assert found.low < found.value < found.high
    assert found.method == "bca"


@pytest.mark.parametrize("value", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("count", [1, 2, 10])
def test_equal_values_do_not_make_certainty(value: float, count: int) -> None:
    low, high, method = interval([value] * count)
    assert 0 <= low <= value <= high <= 1
    assert high - low > 0.2
    assert method == ("hoeffding" if value == 0.5 else "exact")


@given(st.lists(st.sampled_from([0.0, 1.0, 0.5, 1 / 3]), min_size=1, max_size=12))
def test_an_interval_is_always_a_finite_part_of_the_unit(values: list[float]) -> None:
    low, high, _ = interval(values)
    assert 0 <= low <= high <= 1


ONE_CASE = st.integers(1, 4).flatmap(
    lambda gold: st.tuples(st.lists(st.integers(1, 10), unique=True, max_size=gold).map(sorted), st.just(gold))
)


@given(st.lists(ONE_CASE, min_size=1, max_size=8))
def test_the_exact_values_are_those_of_ir_measures(found: list[tuple[list[int], int]]) -> None:
    cases = [case(str(i), ranks, gold) for i, (ranks, gold) in enumerate(found)]
    values = values_by_case(cases, METRICS)
    for metric in METRICS:
        mean = sum(values[metric.key].values()) / len(cases)
        assert float(mean_exact(metric, found)) == pytest.approx(mean, abs=1e-9)


def test_exact_means_are_fractions() -> None:
    assert mean_exact(BY_KEY["mrr"], [([3], 1)] * 3) == Fraction(1, 3)


def test_latency_of_nothing_is_nothing() -> None:
    assert latency([]) is None
    found = latency([1.0, 2.0, 3.0])
    assert found is not None
    assert (found.p50_ms, found.max_ms) == (2.0, 3.0)
