from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from gitcontext_pipeline.answer.opened import open_corpus
from gitcontext_pipeline.cli.app import app
from gitcontext_pipeline.errors import UsageError
from gitcontext_pipeline.retrieval.rerank import PART, Reranker, agreed, search_with
from gitcontext_pipeline.retrieval.retriever import Retriever
from gitcontext_pipeline.state import State
from tests.retrieval.corpora import change, chunk, retriever_of, section
from tests.retrieval.cross_encoders import tiny_cross_encoder

QUESTION = "where is the timeout"


@pytest.fixture(scope="module")
def cross_encoder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tiny_cross_encoder(tmp_path_factory.mktemp("cross") / "tiny"))


@pytest.fixture(scope="module")
def retriever(tmp_path_factory: pytest.TempPathFactory) -> Retriever:
    words = ("connect", "proxy", "redirect", "cookie", "adapter", "digest")
    chunks = [chunk(f"{word}_timeout", f"def {word}_timeout():\n    return timeout_{word}") for word in words]
    chunks += [section(f"The {word} timeout", f"## {word}\n\nHow long the timeout is.") for word in words[:3]]
    chunks += [change(f"Lower the {word} timeout", number) for number, word in enumerate(words[:3], 1)]
    return retriever_of(chunks, tmp_path_factory.mktemp("small") / "snapshot")


def test_the_model_alone_decides_when_its_share_is_the_whole(retriever: Retriever, cross_encoder: str) -> None:
    before = retriever.search(QUESTION, 12)
    after, note = Reranker(cross_encoder, ["code", "docs", "history"], share=1).search(retriever, QUESTION, 12)
    opinions = [result.parts[PART] for result in after]
    assert note == ""
    assert opinions == sorted(opinions, reverse=True)
    assert {result.id for result in after} == {result.id for result in before}
    assert [result.id for result in after] != [result.id for result in before]
    assert [result.score for result in after] == [result.score for result in before]


def test_results_of_other_kinds_and_further_down_keep_their_places(retriever: Retriever, cross_encoder: str) -> None:
    before = retriever.search(QUESTION, 12)
    after, _ = Reranker(cross_encoder, ["code"], first=8, share=1).search(retriever, QUESTION, 12)
    moved = {n for n, (old, new) in enumerate(zip(before, after, strict=True)) if old.id != new.id}
    assert moved
    assert all(before[n].kind == "code" and n < 8 for n in moved)
    assert all((PART in result.parts) == (result.kind == "code" and n < 8) for n, result in enumerate(after))


def test_a_share_of_nothing_changes_nothing(retriever: Retriever, cross_encoder: str) -> None:
    after, _ = Reranker(cross_encoder, share=0).search(retriever, QUESTION, 12)
    assert [result.id for result in after] == [result.id for result in retriever.search(QUESTION, 12)]


def test_results_that_were_below_the_page_can_come_up(retriever: Retriever, cross_encoder: str) -> None:
    reranker = Reranker(cross_encoder, ["code", "docs", "history"], share=1)
    every, _ = reranker.search(retriever, QUESTION, 12)
    page, _ = reranker.search(retriever, QUESTION, 3)
    assert [result.id for result in page] == [result.id for result in every[:3]]


def test_the_passage_that_fits_is_read_rather_than_the_whole_chunk(tmp_path: Path) -> None:
    lines = [f"    line_{number} = {number}" for number in range(60)]
    long = chunk("long_one", "def long_one():\n" + "\n".join(lines))
    small = retriever_of([long, chunk("other")], tmp_path / "snapshot")
    results = small.search("long_one", 2)
    found = small.closest_passages("line_57", results)
    assert len(found) == len(results)
    for result, passage in zip(results, found, strict=True):
        assert passage.split("\n", 1)[0] == result.symbol
    assert len(found[[result.symbol for result in results].index("long_one")]) < len(long.text) / 2


@pytest.mark.parametrize("model", ["no/such-cross-encoder", "folder"])
def test_a_model_that_cannot_be_loaded_is_said_and_changes_nothing(
    retriever: Retriever, tmp_path: Path, model: str
) -> None:
    (tmp_path / "folder").mkdir()
    named = str(tmp_path / model) if model == "folder" else model
    after, note = Reranker(named).search(retriever, QUESTION, 5)
    assert [result.as_row() for result in after] == [result.as_row() for result in retriever.search(QUESTION, 5)]
    assert note.startswith(f"The cross-encoder {named} did not run (")
    assert "\n" not in note


def test_a_classifier_with_several_outputs_is_no_reranker(retriever: Retriever, tmp_path: Path) -> None:
    model = tiny_cross_encoder(tmp_path / "three", outputs=3)
    after, note = Reranker(str(model)).search(retriever, QUESTION, 5)
    assert [result.id for result in after] == [result.id for result in retriever.search(QUESTION, 5)]
    assert "3 outputs" in note


def test_without_a_reranker_it_is_the_retriever(retriever: Retriever) -> None:
    results, note = search_with(None, retriever, QUESTION, 4, "docs")
    assert (results, note) == (retriever.search(QUESTION, 4, "docs"), "")


@pytest.mark.parametrize("kinds", [["code", "tests"], []])
def test_kinds_that_there_are_not(kinds: list[str]) -> None:
    with pytest.raises(UsageError, match="rerank"):
        Reranker("any", kinds)


def test_the_answer_and_the_search_say_that_it_did_not_run(sample_state: State) -> None:
    plain = open_corpus(state=sample_state.root).ask(QUESTION)
    answer = open_corpus(state=sample_state.root).ask(QUESTION, reranker=Reranker("no/such-cross-encoder"))
    assert answer.evidence == plain.evidence
    assert "did not run" in answer.note
    assert "did not run" in answer.as_markdown()
    told = CliRunner().invoke(app, ["search", QUESTION, "--json", "--rerank", "no/such-cross-encoder"])
    assert told.exit_code == 0
    assert "did not run" in told.stderr
    assert json.loads(told.stdout)


def test_the_commands_take_a_model(sample_state: State, cross_encoder: str) -> None:
    options = ["--rerank", cross_encoder, "--rerank-kinds", "code,docs", "--json"]
    found = CliRunner().invoke(app, ["search", QUESTION, *options])
    asked = CliRunner().invoke(app, ["ask", QUESTION, *options])
    assert found.exit_code == asked.exit_code == 0
    assert any(PART in result["parts"] for result in json.loads(found.stdout))
    assert any(PART in result["parts"] for result in json.loads(asked.stdout)["evidence"])
    wrong = CliRunner().invoke(app, ["search", QUESTION, "--rerank", cross_encoder, "--rerank-kinds", "poems"])
    assert wrong.exit_code == 2


@given(st.lists(st.floats(-5, 5), max_size=12), st.floats(0, 1))
def test_agreement_is_a_permutation_between_both_orders(scores: list[float], share: float) -> None:
    order = agreed(scores, share)
    assert sorted(order) == list(range(len(scores)))
    if share == 0:
        assert order == list(range(len(scores)))
    if share == 1:
        assert order == sorted(range(len(scores)), key=lambda number: (-scores[number], number))
    for better in range(len(scores)):
        for worse in range(better + 1, len(scores)):
            if scores[better] >= scores[worse]:
                assert order.index(better) < order.index(worse)
