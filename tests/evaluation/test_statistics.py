from __future__ import annotations

import pytest

from gitcontext_pipeline.evaluation.statistics import changes, mcnemar, paired, permutation, resolvable_drop_pp
from tests.evaluation.builders import report_of


def test_mcnemar_is_the_exact_binomial_test() -> None:
    assert mcnemar(0, 0) == 1.0
    assert mcnemar(0, 5) == pytest.approx(2 * 0.5**5)
    assert mcnemar(5, 0) == mcnemar(0, 5)
    assert mcnemar(3, 3) == 1.0


def test_the_permutation_test_over_few_cases_is_exact() -> None:
    assert permutation([]) == permutation([0.0, 0.0]) == permutation([0.5]) == 1.0
    assert permutation([0.5] * 6) == pytest.approx(2 * 0.5**6)
    assert permutation([0.5, -0.5]) == 1.0


def test_the_permutation_test_over_many_cases_is_the_same_every_time() -> None:
    differences = [0.5, -0.25, 0.1, 0.5, 1.0, 0.3, 0.2] * 5
    assert permutation(differences) == permutation(differences) < 0.05


def test_cases_that_do_not_differ_take_no_part_in_the_permutation() -> None:
    assert permutation([0.5] * 6 + [0.0] * 50) == permutation([0.5] * 6)


def test_what_a_set_can_resolve() -> None:
    assert resolvable_drop_pp(5) is None
    assert resolvable_drop_pp(6) == 100.0
    assert resolvable_drop_pp(120) == 5.0


def test_paired_statistics_are_over_the_cases_of_both() -> None:
    found = paired(report_of([1, 1, 1]).cases, report_of([1, None, 2, 1]).cases, 5)
    assert found.cases == 3
    assert found.mrr_difference == -0.5
    gained, lost = changes(report_of([1, 1, 1]).cases, report_of([1, None, 2, 1]).cases, 1)
    assert ([case.id for case in gained], [case.id for case in lost]) == ([], ["c1", "c2"])
