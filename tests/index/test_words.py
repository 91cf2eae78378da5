from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitcontext_pipeline.corpus.spec import DEFAULT_MODEL
from gitcontext_pipeline.index.embedder import load_embedder
from gitcontext_pipeline.index.words import WordVectors

LETTERS = "etaoinshrdlu"
"""A vocabulary of letters, the most frequent first; any other letter is in no piece."""


def pieces(word: str) -> Sequence[int]:
    return [LETTERS.index(letter) for letter in word if letter in LETTERS]


@pytest.fixture(scope="module")
def letters() -> WordVectors:
    return WordVectors(np.random.default_rng(3).normal(size=(len(LETTERS), 5)).astype(np.float16), pieces)


@pytest.fixture(scope="module")
def english(models: Path) -> WordVectors:
    return load_embedder(DEFAULT_MODEL, models).words


@given(st.lists(st.text(LETTERS + "xyz", max_size=8), max_size=6))
def test_a_word_is_a_unit_vector_or_zero_and_the_same_in_any_company(asked: list[str]) -> None:
    letters = WordVectors(np.eye(len(LETTERS), 7, dtype=np.float16), pieces)
    found = letters.vectors(asked)
    assert found.shape == (len(asked), 7)
    assert found.dtype == np.float32
    for word, vector in zip(asked, found, strict=True):
        np.testing.assert_array_equal(vector, letters.vectors([word])[0])
        assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-5) or not vector.any()


def test_a_word_that_the_vocabulary_cannot_spell_is_zero(letters: WordVectors) -> None:
    assert not letters.vectors(["xyz"]).any()
    assert letters.rarity("xyz") == 0.0


def test_letters_in_another_order_mean_the_same_and_other_letters_something_else(letters: WordVectors) -> None:
    one, turned, other = letters.vectors(["tea", "eat", "hurl"])
    assert one @ turned == pytest.approx(1.0, abs=1e-5)
    assert one @ other < 0.99


@given(st.text(LETTERS, min_size=1, max_size=8), st.sampled_from(LETTERS))
def test_a_longer_spelling_is_rarer(word: str, more: str) -> None:
    letters = WordVectors(np.eye(len(LETTERS)), pieces)
    assert letters.rarity(word + more) > letters.rarity(word) >= 0


def test_a_frequent_piece_is_less_rare_than_one_further_down(letters: WordVectors) -> None:
    rarities = [letters.rarity(letter) for letter in LETTERS]
    assert rarities == sorted(rarities)


def test_like_words_are_near_in_the_real_model(english: WordVectors) -> None:
    retry, retries, banana = english.vectors(["retry", "retries", "banana"])
    assert retry @ retries > retry @ banana + 0.2


def test_names_are_rarer_than_words_and_words_than_articles(english: WordVectors) -> None:
    assert english.rarity("the") < english.rarity("redirect") < english.rarity("should_strip_auth")
    assert english.rarity("") == 0.0
