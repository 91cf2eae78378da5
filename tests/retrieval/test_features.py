from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitcontext_pipeline.retrieval.features import FEATURES, choose, feature_matrix, scaled
from gitcontext_pipeline.retrieval.question import read_question
from tests.retrieval.columns import ONLY_BODY, Rows, rows, scores, traits

PLAIN = read_question("where is it")
MOST = 150
numbers = st.lists(st.integers(-1000, 1000).map(lambda number: number / 1000), min_size=1, max_size=20)


def matrix(question: str, held: object, found: object) -> dict[str, list[float]]:
    """Every feature of every row, by name."""
    size = len(held.paths)  # type: ignore[attr-defined]
    allowed = np.ones(size, dtype=bool)
    candidates = choose(found, held, allowed, ONLY_BODY, MOST)  # type: ignore[arg-type]
    columns = feature_matrix(read_question(question), found, held, allowed, candidates)  # type: ignore[arg-type]
    assert candidates.rows.tolist() == list(range(size))
    return {name: [round(float(value), 5) for value in column] for name, column in columns.items()}


@given(numbers)
def test_scaling_keeps_the_order_and_sets_the_best_to_one(values: list[float]) -> None:
    column = np.asarray(values, dtype=np.float32)
    found = scaled(column, np.ones(len(values), dtype=bool))
    best, middle = column.max(), float(np.median(column))
    if best > middle:
        assert found.max() == pytest.approx(1)
        assert all(
            (found[i] <= found[j]) for i in range(len(values)) for j in range(len(values)) if column[i] <= column[j]
        )
    else:
        assert not found.any()


def test_scaling_looks_at_the_allowed_rows_alone() -> None:
    column = np.asarray([0.1, 0.2, 0.3, 0.9], dtype=np.float32)
    allowed = np.asarray([True, True, True, False])
    assert scaled(column, allowed)[:3].tolist() == pytest.approx([-1, 0, 1], abs=1e-5)
    assert not scaled(column, np.zeros(4, dtype=bool)).any()


@given(rows(), st.data())
def test_candidates_are_allowed_rows_each_once(given_rows: Rows, data: st.DataObject) -> None:
    size = given_rows.size
    allowed = np.asarray(data.draw(st.lists(st.booleans(), min_size=size, max_size=size)))
    most = data.draw(st.integers(1, 4))
    found = choose(given_rows.scores, given_rows.traits, allowed, ONLY_BODY, most)
    assert found.rows.tolist() == sorted(set(found.rows.tolist()))
    assert allowed[found.rows].all()
    assert len(found.rows) <= 4 * most


@given(rows())
def test_the_scale_of_bm25_means_nothing(given_rows: Rows) -> None:
    larger = scores(*[(8 * given_rows.scores.fields["body"]).tolist()])
    one = choose(given_rows.scores, given_rows.traits, given_rows.everything, ONLY_BODY, MOST)
    other = choose(larger, given_rows.traits, given_rows.everything, ONLY_BODY, MOST)
    assert one.lexical == pytest.approx(other.lexical, abs=1e-6)


def test_a_row_without_a_word_of_the_question_is_never_a_lexical_candidate() -> None:
    passage = [0.0, 0.9, 0.8, 0.7, 0.6]
    held = traits(["a"] * 5)
    found = choose(scores([0, 0, 0, 0, 0], passage), held, np.ones(5, dtype=bool), ONLY_BODY, 2)
    assert found.rows.tolist() == [1, 2]
    assert not found.lexical.any()


def test_changes_do_not_crowd_out_code() -> None:
    held = traits(["", "", "", "a.py"], kinds=["commit", "commit", "commit", "code"])
    found = choose(scores([9, 8, 7, 1], [0.9, 0.8, 0.7, 0.1]), held, np.ones(4, dtype=bool), ONLY_BODY, 1)
    assert 3 in found.rows.tolist()


@given(rows())
def test_every_feature_is_described_and_is_a_number(given_rows: Rows) -> None:
    candidates = choose(given_rows.scores, given_rows.traits, given_rows.everything, ONLY_BODY, MOST)
    columns = feature_matrix(
        given_rows.question, given_rows.scores, given_rows.traits, given_rows.everything, candidates
    )
    assert set(columns) == set(FEATURES)
    assert all(column.shape == candidates.rows.shape and np.isfinite(column).all() for column in columns.values())


def test_a_symbol_that_the_question_writes_out_is_named() -> None:
    held = traits(["a"] * 4, symbols=["session.send", "adapter.send", "send_later", ""])
    named = matrix("What does Session.send return?", held, scores([1, 1, 1, 1]))["named"]
    assert named[0] == max(named) > named[1] > named[2] == named[3] == 0


def test_a_word_that_happens_to_be_a_symbol_is_not_named() -> None:
    held = traits(["a"], symbols=["send"])
    assert matrix("how do I send it?", held, scores([1]))["named"] == [0]


def test_tests_and_examples_are_marked_unless_they_are_asked_for() -> None:
    held = traits(["a"] * 4, roles=["main", "test", "example", "vendored"])
    plain = matrix("where is the timeout", held, scores([1, 1, 1, 1]))
    asked = matrix("which test covers the timeout", held, scores([1, 1, 1, 1]))
    example = matrix("an example of the timeout", held, scores([1, 1, 1, 1]))
    assert plain["test"] == [0, 1, 0, 0]
    assert plain["example"] == [0, 0, 1, 0]
    assert plain["secondary"] == asked["secondary"] == [0, 0, 0, 1]
    assert asked["test"] == [0, 0, 0, 0]
    assert example["example"] == [0, 0, 0, 0]


def test_code_that_fits_speaks_for_its_change_where_a_change_is_asked_for() -> None:
    held = traits(
        ["a.py", "b.py", "", ""], kinds=["code", "code", "pull_request", "pull_request"], changes=[[2], [], [], []]
    )
    found = scores([5, 0, 0.5, 0.5], [0.9, 0.1, 0.2, 0.2])
    asked = matrix("which change made it so?", held, found)["fits the found, asked for"]
    plain = matrix("where is it?", held, found)["fits the found, asked for"]
    assert asked[2] > asked[3] == 0
    assert plain == [0, 0, 0, 0]


def test_a_change_that_fits_speaks_for_what_it_touched() -> None:
    held = traits(["a.py", "b.py", ""], kinds=["code", "code", "pull_request"], changes=[[2], [], []])
    touched = matrix("where is it?", held, scores([0, 0, 5], [0.1, 0.1, 0.9]))["touched by the found"]
    assert touched[0] > touched[1] == 0
