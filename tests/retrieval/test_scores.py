from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitcontext_pipeline.index import bm25
from gitcontext_pipeline.index.vectors import VectorIndex, from_passages
from gitcontext_pipeline.retrieval.scores import RawScores, raw_scores

DOCUMENTS = [["proxy", "timeout"], ["proxy", "redirect"], ["proxy"], []]
FIELDS = {"body": bm25.fit(DOCUMENTS), "symbol": bm25.fit([[], ["timeout"], [], []])}


def index(rows: int) -> VectorIndex:
    unit = np.eye(4, dtype=np.float32)
    return from_passages([str(row) for row in range(rows)], [1] * rows, unit[:rows], unit[:rows])


def found(*terms: str, query: np.ndarray | None = None) -> RawScores:
    return raw_scores(terms, query, FIELDS, index(4))


def test_every_field_scores_every_row_and_zero_is_zero() -> None:
    scores = found("timeout")
    assert {name: (column > 0).tolist() for name, column in scores.fields.items()} == {
        "body": [True, False, False, False],
        "symbol": [False, True, False, False],
    }


def test_coverage_counts_a_term_wherever_it_stands_and_a_rare_term_for_more() -> None:
    assert found("proxy").coverage.tolist() == [1, 1, 1, 0]
    coverage = found("timeout", "redirect").coverage
    assert coverage[1] == pytest.approx(1)
    assert 0 < coverage[0] < 1
    assert coverage[2] == coverage[3] == 0
    both = found("redirect", "proxy").coverage
    assert both[1] - both[2] > both[2]


def test_a_term_that_nothing_has_lowers_every_coverage() -> None:
    assert (found("proxy", "unheard").coverage[:3] < found("proxy").coverage[:3]).all()


def test_without_a_vector_the_dense_half_is_silent() -> None:
    scores = found("proxy")
    assert not scores.passage.any()
    assert not scores.summary.any()


def test_with_a_vector_the_closest_row_is_the_closest() -> None:
    scores = found("proxy", query=np.eye(4, dtype=np.float32)[2])
    assert scores.passage.argmax() == scores.summary.argmax() == 2
    assert scores.passage[2] == pytest.approx(1)


def test_a_question_without_terms_scores_nothing() -> None:
    scores = found()
    assert not scores.coverage.any()
    assert not any(column.any() for column in scores.fields.values())


def test_an_empty_corpus_has_no_scores() -> None:
    empty = VectorIndex((), np.zeros(1, np.int64), np.zeros((0, 4), np.float32), np.zeros((0, 4), np.float32))
    scores = raw_scores(["proxy"], np.ones(4, dtype=np.float32), {"body": bm25.fit([])}, empty)
    assert scores.coverage.shape == scores.passage.shape == scores.summary.shape == (0,)


@given(
    st.lists(st.sampled_from(["proxy", "timeout", "redirect", "unheard"]), max_size=4, unique=True),
    st.permutations(range(4)),
)
def test_shares_lie_between_none_and_all_and_the_order_of_terms_means_nothing(
    terms: list[str], order: list[int]
) -> None:
    one = found(*terms)
    other = found(*[terms[place] for place in order if place < len(terms)])
    assert ((one.coverage >= 0) & (one.coverage <= 1 + 1e-6)).all()
    assert one.coverage == pytest.approx(other.coverage, abs=1e-6)
    assert one.fields["body"] == pytest.approx(other.fields["body"], abs=1e-5)
    covered = one.coverage > 0
    assert (covered == ((one.fields["body"] != 0) | (one.fields["symbol"] != 0))).all()
