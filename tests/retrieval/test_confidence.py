from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitcontext_pipeline.answer.opened import Corpus, open_corpus
from gitcontext_pipeline.errors import UsageError
from gitcontext_pipeline.index import bm25
from gitcontext_pipeline.index.tokens import terms
from gitcontext_pipeline.index.words import WordVectors
from gitcontext_pipeline.retrieval.confidence import (
    CHANCE,
    LINE,
    MANY,
    SIGNS,
    SIMILAR,
    SURE,
    WEIGHTS,
    confidence_of,
    signs,
    weighed,
)
from gitcontext_pipeline.state import State
from tests.retrieval.corpora import chunk, retriever_of, section
from tests.sample import QUESTIONS

WORDS = ("how", "is", "the", "token", "bucket", "filled", "again", "refilled", "limit", "quantum")
"""A vocabulary in the order of rarity; `refilled` means nearly what `filled` does."""
FIELDS = {"body": bm25.fit([terms("fill the TokenBucket"), terms("limit")])}
LISTS = st.lists(st.floats(0, 20, width=32), max_size=8)


def vocabulary() -> WordVectors:
    matrix = np.eye(len(WORDS) + 1, dtype=np.float32)
    matrix[WORDS.index("refilled"), WORDS.index("filled")] = 2.0
    spread = np.repeat(matrix, 100, axis=0)  # ranks some way apart, as in a vocabulary of thousands
    return WordVectors(spread, lambda word: [100 * WORDS.index(word)] if word in WORDS else [])


def read(
    question: str = "how is the bucket filled",
    lexical: list[float] | None = None,
    passage: list[float] | None = None,
    texts: tuple[str, ...] = (),
) -> dict[str, float]:
    columns = [np.asarray(values or [], dtype=np.float32) for values in (lexical, passage)]
    return signs(question, columns[0], columns[1], texts, FIELDS, vocabulary())


def test_every_sign_has_its_weight_and_only_unknown_names_speak_against() -> None:
    assert set(read()) == set(SIGNS) == set(WEIGHTS)
    assert [name for name, weight in WEIGHTS.items() if weight < 0] == ["unknown"]


@pytest.mark.parametrize("name", list(SIGNS))
def test_more_of_a_sign_moves_confidence_the_way_its_weight_says(name: str) -> None:
    found = read(lexical=[9.0, 1.0], passage=[0.5] * 600, texts=("the bucket is filled",))
    before, after = confidence_of(found), confidence_of({**found, name: found[name] + 0.3})
    assert (after.value > before.value) == (WEIGHTS[name] > 0)
    assert after.line == before.line


@given(st.dictionaries(st.sampled_from(list(SIGNS)), st.floats(-50, 50), min_size=5, max_size=5))
def test_confidence_is_a_share_and_strong_above_the_line_alone(found: dict[str, float]) -> None:
    confidence = confidence_of(found)
    assert 0 <= confidence.value <= 1
    assert 0 < confidence.line < 1
    if abs(weighed(found) - LINE) > 1e-6:
        assert confidence.strong == (weighed(found) > LINE)


@given(st.text(max_size=60), LISTS, st.lists(st.floats(-1, 1, width=32), max_size=8), st.lists(st.text(max_size=40)))
def test_the_signs_of_anything_are_numbers(
    question: str, lexical: list[float], passage: list[float], texts: list[str]
) -> None:
    found = read(question, lexical, passage, tuple(texts))
    assert all(math.isfinite(value) for value in found.values())
    assert 0 <= found["unknown"] <= SURE


def test_terms_is_the_best_chunk_and_counts_for_less_among_many() -> None:
    few, better, many = read(lexical=[3.0, 1.0]), read(lexical=[6.0, 1.0]), read(lexical=[3.0] + [0.0] * 99)
    assert better["terms"] == pytest.approx(2 * few["terms"])
    assert few["terms"] > many["terms"] > 0
    assert read()["terms"] == 0


def test_words_is_whole_where_one_result_says_the_question_and_less_where_several_share_it() -> None:
    question = "bucket filled"
    assert read(question, texts=("filled: the bucket",))["words"] == pytest.approx(1.0)
    assert read(question, texts=("filled", "bucket"))["words"] < 0.8
    assert read(question, texts=("quantum",))["words"] == read(question)["words"] == 0.0


def test_words_reads_the_parts_of_names_and_words_that_mean_the_same() -> None:
    assert read("token bucket", texts=("class TokenBucket:",))["words"] == pytest.approx(1.0)
    assert 0.8 < read("filled", texts=("refilled",))["words"] < 1.0


def test_rare_words_weigh_more() -> None:
    question = "token quantum"
    assert read(question, texts=("quantum",))["words"] > read(question, texts=("token",))["words"] > 0


@pytest.mark.parametrize(
    ("question", "count"),
    [
        ("how is TokenBucket filled", 0),
        ("how is LeakyBucket filled", 1),
        ("leaky_bucket or LeakyBucket or DrippingBucket", SURE),
        ("how is a quantum entangled", 0),  # plain words may be missing from any answer
        ("what is aB", 0),  # too short to be sure of
    ],
)
def test_unknown_counts_names_that_the_corpus_does_not_have(question: str, count: int) -> None:
    assert read(question)["unknown"] == count


def test_length_counts_each_word_once() -> None:
    question = "bucket limit quantum token lock"
    assert read(f"{question}, bucket")["length"] == read(question)["length"]
    assert read(f"{question} clock")["length"] > read(question)["length"] > read("bucket limit")["length"]


def test_few_words_are_not_held_against_a_question() -> None:
    assert read("bucket")["length"] == read("bucket limit quantum token")["length"]


@pytest.mark.parametrize("word", ["timeout", "session", "proxies", "redirects", "hooks"])
def test_a_word_that_the_corpus_is_full_of_is_strong(release: State, word: str) -> None:
    assert open_corpus("requests", state=release.root).ask(word).strong


@pytest.mark.parametrize("word", ["kubernetes", "postgres", "graphql", "telemetry"])
def test_a_word_that_the_corpus_does_not_know_is_weak(release: State, word: str) -> None:
    assert not open_corpus("requests", state=release.root).ask(word).strong


def test_similar_is_the_mean_of_the_nearest_and_made_up_for_among_few() -> None:
    nearest = [0.9, 0.8, 0.7, 0.6, 0.5]
    assert len(nearest) == SIMILAR
    many, more = read(passage=[*nearest, *[0.1] * MANY]), read(passage=[*nearest, *[0.1] * 9 * MANY])
    assert many["similar"] == more["similar"] == pytest.approx(0.7)
    few = read(passage=[*nearest, *[0.1] * 45])
    assert few["similar"] == pytest.approx(0.7 + CHANCE * math.log(MANY / 50))
    assert read(passage=[])["similar"] == 0


@pytest.fixture(scope="module")
def requests(release: State) -> Corpus:
    return open_corpus("requests", state=release.root)


@pytest.mark.parametrize(
    "question",
    [
        "Where does Requests strip redirect authorization?",
        "How are cookies merged?",
        "proxy bypass",
        "should_strip_auth",
        "SessionRedirectMixin.rebuild_auth",
    ],
)
def test_what_the_corpus_answers_is_strong(requests: Corpus, question: str) -> None:
    answer = requests.ask(question)
    assert answer.strong
    assert answer.summary.startswith("Strongest evidence: ")
    assert "nearest, not strong" not in answer.as_markdown()


@pytest.mark.parametrize(
    "question",
    [
        "How are database migrations rolled back?",
        "How is the Kubernetes operator deployed with Helm?",
        "How is a GraphQL schema validated?",
        "kubernetes",
        "QuantumFluxCapacitor",
        "ζῷον",
    ],
)
def test_what_it_knows_nothing_of_is_weak_and_marked(requests: Corpus, question: str) -> None:
    answer = requests.ask(question)
    told = answer.as_json()
    assert told["strong"] is False
    assert 0 <= told["confidence"] < 0.5
    printed = answer.as_markdown()
    assert "No strong evidence. The nearest that was found: `" in printed
    assert printed.count("] nearest, not strong: ") == len(answer.evidence) == 5


def test_a_name_that_the_corpus_does_not_have_weakens_the_same_question(requests: Corpus) -> None:
    known, unknown = (
        requests.ask(f"Where does {name} strip redirect authorization?").confidence
        for name in ("should_strip_auth", "QuantumFluxCapacitor")
    )
    assert known is not None
    assert unknown is not None
    assert unknown.value < known.value
    assert known.strong
    assert not unknown.strong


def test_the_same_question_is_as_sure_every_time_whatever_was_asked_before(requests: Corpus, release: State) -> None:
    question = "How are cookies merged?"
    first = requests.ask(question).confidence
    requests.ask("kubernetes")
    assert requests.ask(question).confidence == first
    assert open_corpus("requests", state=release.root).ask(question).confidence == first


def test_how_many_results_are_asked_for_does_not_matter(requests: Corpus) -> None:
    for question, scope in (("How are cookies merged?", None), ("redirect authorization", "docs")):
        one, *more = (requests.ask(question, top, scope).confidence for top in (1, 3, 10))
        assert more == [one, one]


def test_a_scope_is_judged_by_what_is_in_it(requests: Corpus) -> None:
    question = "Where does should_strip_auth strip redirect authorization?"
    assert requests.ask(question, scope="code").strong
    nothing = requests.ask(question, scope="history")  # a release has none
    assert nothing.evidence == ()
    assert not nothing.strong
    assert nothing.summary == "No evidence found."
    assert "No evidence found." in nothing.as_markdown()


def test_a_long_question_about_nothing_there_is_weak(requests: Corpus) -> None:
    question = "How does the session send the request with cookies through the proxy? " * 50
    assert not requests.ask(question, scope="history").strong
    with pytest.raises(UsageError):
        requests.ask(" ")


def test_a_scope_without_a_chunk_is_weak_in_any_corpus(tmp_path: Path) -> None:
    retriever = retriever_of([chunk("refill_bucket", "def refill_bucket():\n    return 1")], tmp_path / "one")
    for scope in ("docs", "history", "tests"):
        assert retriever.search("refill_bucket", 3, scope) == []
        assert not retriever.confidence("refill_bucket", [], scope).strong


def test_the_signs_of_a_scope_do_not_see_the_rest(tmp_path: Path) -> None:
    both = [chunk("refill_bucket", "def refill_bucket():\n    return 1"), section("Proxies", "Set a variable.")]
    retriever = retriever_of(both, tmp_path / "both")
    found = retriever.signs("refill_bucket", retriever.search("refill_bucket", 3, "docs"), "docs")
    assert found["terms"] == 0
    assert found["unknown"] == 0  # a name that the code has is no unknown one


def test_a_handful_of_chunks_is_enough_for_strong_evidence(sample_state: State) -> None:
    sample = open_corpus("sample", state=sample_state.root)
    flagged = [query for _, query, *_ in QUESTIONS if not sample.ask(query).strong]
    assert len(flagged) <= 1
    assert not sample.ask("How is a database migration rolled back?").strong
