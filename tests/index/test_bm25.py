from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

from gitcontext_pipeline.index.bm25 import K1, B, FieldIndex, fit, load, save

DOCUMENTS = [
    ["strip", "auth", "redirect", "auth"],
    ["proxy", "auth"],
    [],
    ["redirect", "cookie", "jar"],
    ["session", "send", "send", "send"],
]

TERM = st.sampled_from("a b c d e f g h".split())
CORPUS = st.lists(st.lists(TERM, max_size=12), max_size=12)
QUERY = st.lists(TERM | st.sampled_from(["unknown", ""]), max_size=8)


def assert_same(one: FieldIndex, other: FieldIndex) -> None:
    assert dict(one.vocabulary) == dict(other.vocabulary)
    assert one.size == other.size
    for name in ("starts", "rows", "scores"):
        ours, theirs = getattr(one, name), getattr(other, name)
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)


@given(CORPUS.filter(any), QUERY)
def test_scores_are_those_of_rank_bm25(documents: list[list[str]], query: list[str]) -> None:
    expected = BM25Okapi(documents, k1=K1, b=B).get_scores(query)
    np.testing.assert_allclose(fit(documents).score(query), expected, rtol=1e-5, atol=1e-5)


@given(CORPUS, QUERY)
def test_a_row_without_any_of_the_terms_has_exactly_zero(documents: list[list[str]], query: list[str]) -> None:
    scores = fit(documents).score(query)
    assert scores.shape == (len(documents),)
    for row, document in enumerate(documents):
        if not set(document) & set(query):
            assert scores[row] == 0


@given(CORPUS)
def test_document_frequency_counts_rows(documents: list[list[str]]) -> None:
    index = fit(documents)
    for term in [*"abcdefgh", "unknown"]:
        rows = [row for row, document in enumerate(documents) if term in document]
        assert index.rows_with(term).tolist() == rows
        assert index.document_frequency(term) == len(rows)


@given(documents=CORPUS, query=QUERY)
def test_what_was_saved_scores_the_same(
    tmp_path_factory: pytest.TempPathFactory, documents: list[list[str]], query: list[str]
) -> None:
    directory = tmp_path_factory.getbasetemp() / f"bm25-{time.monotonic_ns()}"
    index = fit(documents)
    save(index, directory)
    loaded = load(directory)
    assert_same(loaded, index)
    np.testing.assert_array_equal(loaded.score(query), index.score(query))


def test_the_best_row_is_the_one_that_says_it_most() -> None:
    index = fit(DOCUMENTS)
    assert int(np.argmax(index.score(["auth", "redirect"]))) == 0
    assert int(np.argmax(index.score(["cookie"]))) == 3


def test_a_repeated_term_of_the_query_counts_each_time() -> None:
    index = fit(DOCUMENTS)
    np.testing.assert_allclose(index.score(["auth", "auth"]), 2 * index.score(["auth"]))


@pytest.mark.parametrize("documents", [[], [[]], [[], [], []]])
def test_nothing_to_find(documents: list[list[str]], tmp_path: Path) -> None:
    index = fit(documents)
    save(index, tmp_path)
    for each in (index, load(tmp_path)):
        np.testing.assert_array_equal(each.score(["auth"]), np.zeros(len(documents), np.float32))
        assert each.document_frequency("auth") == 0


def test_the_files_hold_any_term(tmp_path: Path) -> None:
    documents = [["日本", "naïve", "a\0b", "x" * 300], ["é"]]
    save(fit(documents), tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["postings.arrow", "terms.arrow"]
    assert set(load(tmp_path).vocabulary) == {term for document in documents for term in document}
