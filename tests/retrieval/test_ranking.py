from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitcontext_pipeline.retrieval.question import read_question
from gitcontext_pipeline.retrieval.ranking import Ranked, rank
from gitcontext_pipeline.retrieval.weights import DEFAULT, Weights
from tests.retrieval.columns import ONLY_BODY, Rows, permuted, rows, scores, traits

QUESTION = read_question("where is it")
LEXICAL = Weights(features={"lexical": 1.0}, fields=ONLY_BODY, same_file=0.0, same_symbol=0.0)
LOOSE = DEFAULT.but(fields=ONLY_BODY)


def ranked(given_rows: Rows, weights: Weights = LOOSE, allowed: object = None) -> Ranked:
    chosen = given_rows.everything if allowed is None else allowed
    return rank(given_rows.question, given_rows.scores, given_rows.traits, chosen, weights)


def distinct(found: Ranked) -> bool:
    return len(set(np.round(found.scores, 4).tolist())) == len(found.scores)


@given(rows(), st.data())
def test_the_order_of_the_rows_means_nothing_but_for_ties(given_rows: Rows, data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(given_rows.size)))
    one, other = ranked(given_rows), ranked(permuted(given_rows, order))
    assert sorted(other.scores.tolist()) == pytest.approx(sorted(one.scores.tolist()), abs=1e-4)
    if distinct(one):
        assert [order[row] for row in other.rows.tolist()] == one.rows.tolist()


@given(rows(), st.data())
def test_rows_that_are_not_allowed_never_appear(given_rows: Rows, data: st.DataObject) -> None:
    size = given_rows.size
    allowed = np.asarray(data.draw(st.lists(st.booleans(), min_size=size, max_size=size)))
    found = ranked(given_rows, allowed=allowed).rows
    assert allowed[found].all()
    assert len(set(found.tolist())) == len(found)


@given(rows())
def test_scores_fall_and_the_parts_account_for_them(given_rows: Rows) -> None:
    found = ranked(given_rows)
    assert (np.diff(found.scores) <= 0).all()
    total = np.sum([*found.parts.values(), np.zeros(len(found.rows))], axis=0)
    assert (found.scores <= total + 1e-4).all()  # what is missing is what crowding cost
    alone = ranked(given_rows, LOOSE.but(same_file=0.0, same_symbol=0.0))
    told = np.sum([*alone.parts.values(), np.zeros(len(alone.rows))], axis=0)
    assert alone.scores == pytest.approx(told, abs=1e-4)


@given(rows())
def test_the_same_input_gives_the_same_order(given_rows: Rows) -> None:
    one, other = ranked(given_rows), ranked(given_rows)
    assert one.rows.tolist() == other.rows.tolist()
    assert one.scores.tolist() == other.scores.tolist()


@given(rows(), st.data())
def test_more_of_the_questions_words_never_cost_a_place(given_rows: Rows, data: st.DataObject) -> None:
    """Apart from what linked rows say for each other."""
    raised = data.draw(st.integers(0, given_rows.size - 1))
    weights = Weights(features={"lexical": 2.0, "coverage": 1.0, "passage": 1.5}, fields=ONLY_BODY)
    body = given_rows.scores.fields["body"].copy()
    body[raised] += data.draw(st.integers(1, 500)) / 500
    better = Rows(
        given_rows.traits,
        scores(
            body.tolist(),
            given_rows.scores.passage.tolist(),
            given_rows.scores.summary.tolist(),
            given_rows.scores.coverage.tolist(),
        ),
        given_rows.question,
    )
    before = ranked(given_rows, weights).rows.tolist().index(raised)
    assert ranked(better, weights).rows.tolist().index(raised) <= before


def test_ties_are_in_row_order() -> None:
    held = traits([f"{row}.py" for row in range(6)])
    found = rank(QUESTION, scores([1.0] * 6), held, np.ones(6, dtype=bool), LEXICAL)
    assert found.rows.tolist() == list(range(6))


def test_rows_without_a_word_of_the_question_get_no_credit_for_where_they_stand() -> None:
    held = traits([f"{row}.py" for row in range(5)])
    found = rank(QUESTION, scores([0, 0, 3, 0, 1]), held, np.ones(5, dtype=bool), LEXICAL)
    assert found.rows.tolist()[:2] == [2, 4]
    assert not found.scores[2:].any()


def test_pieces_of_one_symbol_make_room_for_another() -> None:
    held = traits(["a.py"] * 3 + ["b.py"], symbols=["long", "long", "long", "other"])
    body = scores([1.0, 0.98, 0.96, 0.9])
    apart = Weights(features={"lexical": 1.0}, fields=ONLY_BODY, same_file=0.0, same_symbol=1.0)
    assert rank(QUESTION, body, held, np.ones(4, dtype=bool), LEXICAL).rows.tolist() == [0, 1, 2, 3]
    assert rank(QUESTION, body, held, np.ones(4, dtype=bool), apart).rows.tolist() == [0, 3, 1, 2]


def test_one_file_does_not_fill_the_page() -> None:
    held = traits(["a.py", "a.py", "a.py", "b.py"])
    spread = Weights(features={"lexical": 1.0}, fields=ONLY_BODY, same_file=0.05, same_symbol=0.0)
    found = rank(QUESTION, scores([1.0, 0.99, 0.98, 0.95]), held, np.ones(4, dtype=bool), spread)
    assert found.rows.tolist() == [0, 3, 1, 2]


def test_changes_have_no_file_to_crowd() -> None:
    held = traits(["", "", ""], symbols=["", "", ""], kinds=["commit"] * 3)
    spread = Weights(features={"lexical": 1.0}, fields=ONLY_BODY, same_file=9.0, same_symbol=9.0)
    found = rank(QUESTION, scores([1.0, 0.9, 0.8]), held, np.ones(3, dtype=bool), spread)
    assert found.scores.tolist() == pytest.approx([1.0, 0.9, 0.8])


def test_a_weight_of_nothing_is_not_told_as_a_part() -> None:
    found = rank(QUESTION, scores([1.0, 0.5]), traits(["a", "b"]), np.ones(2, dtype=bool), LEXICAL)
    assert set(found.parts) == {"lexical"}
