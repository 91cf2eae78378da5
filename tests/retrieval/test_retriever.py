from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitcontext_pipeline.errors import GitContextError, UsageError
from gitcontext_pipeline.evaluation.rows import read_rows
from gitcontext_pipeline.retrieval.retriever import SCOPES, Retriever
from gitcontext_pipeline.retrieval.weights import ABLATIONS, DEFAULT
from gitcontext_pipeline.storage import write_json
from tests.fakes.embedder import FakeEmbedder
from tests.retrieval.corpora import REVISION, change, chunk, retriever_of, section

WORDS = ("proxy", "redirect", "cookie", "digest", "timeout", "adapter")
QUESTIONS = ("which change made the proxy fail", "redirect", "test of the cookie", "nothing_like_it", "digest timeout?")


@pytest.fixture(scope="module")
def retriever(tmp_path_factory: pytest.TempPathFactory) -> Retriever:
    chunks = [
        *(chunk(word, f"def {word}(self):\n    return self.{word}_of_the_session") for word in WORDS),
        *(chunk(f"test_{word}", f"def test_{word}():\n    assert {word}", role="test") for word in WORDS),
        *(section(f"About the {word}", f"## About\n\nThe {word} and how to set it.") for word in WORDS),
        *(change(f"Mend the {word}", number) for number, word in enumerate(WORDS, 1)),
        *(change(f"Touch the {word}", 50 + n, kind="commit", pr=None) for n, word in enumerate(WORDS)),
    ]
    return retriever_of(chunks, tmp_path_factory.mktemp("small") / "snapshot")


@given(st.sampled_from(QUESTIONS), st.sampled_from(SCOPES), st.integers(1, 30))
def test_a_scope_never_leaks_and_top_is_kept(retriever: Retriever, question: str, scope: str, top: int) -> None:
    results = retriever.search(question, top, scope)
    assert 0 < len(results) <= top
    belongs = {
        "code": lambda result: result.kind == "code",
        "docs": lambda result: result.kind == "docs",
        "history": lambda result: result.kind in {"commit", "pull_request"},
        "tests": lambda result: result.role == "test",
    }[scope]
    assert all(belongs(result) for result in results)


@pytest.mark.parametrize("scope", ["docs", "history", "tests"])
def test_a_scope_that_nothing_is_in_finds_nothing(tmp_path: Path, scope: str) -> None:
    only_code = retriever_of([chunk("proxy", "def proxy(): ...")], tmp_path / "snapshot")
    assert only_code.search("proxy", 5, scope) == []


@given(st.sampled_from(QUESTIONS), st.integers(1, 30))
def test_a_shorter_page_is_the_beginning_of_a_longer_one(retriever: Retriever, question: str, top: int) -> None:
    page, longer = retriever.search(question, top), retriever.search(question, 40)
    assert [result.id for result in page] == [result.id for result in longer[:top]]
    scores = [result.score for result in longer]
    assert scores == sorted(scores, reverse=True)
    assert len({result.id for result in longer}) == len(longer)


@pytest.mark.parametrize("variant", ABLATIONS)
def test_every_variant_answers(retriever: Retriever, variant: str) -> None:
    assert len(retriever.with_weights(ABLATIONS[variant]).search("where is the redirect", 5)) == 5
    assert retriever.weights == DEFAULT


def test_without_vectors_the_model_is_never_asked(tmp_path: Path) -> None:
    embedder = FakeEmbedder()
    small = retriever_of([chunk("proxy"), chunk("redirect")], tmp_path / "snapshot", embedder=embedder)
    embedder.asked.clear()
    lexical = small.with_weights(ABLATIONS["no vectors"]).search("proxy")
    assert embedder.asked == []
    assert lexical[0].symbol == "proxy"
    small.search("proxy")
    assert embedder.asked == ["proxy"]


def test_the_named_symbol_comes_first(retriever: Retriever) -> None:
    assert (
        retriever.with_weights(ABLATIONS["no vectors"]).search("What is in cookie_of_the_session?")[0].symbol
        == "cookie"
    )


def test_an_equal_question_has_an_equal_answer(retriever: Retriever) -> None:
    assert retriever.search("redirect  and\n proxy") == retriever.search("redirect and proxy")


def test_copies_are_folded_and_linked(tmp_path: Path) -> None:
    body = "def close(self):\n    wait until every reader of the pooled connection has let go of it"
    pair = [chunk("A.close", body, path="a.py"), chunk("B.close", body, path="b.py"), chunk("other")]
    small = retriever_of(pair, tmp_path / "snapshot")
    folded = small.search("who waits for the reader of the connection")
    assert {result.symbol for result in folded} in ({"A.close", "other"}, {"B.close", "other"})
    best = next(result for result in folded if result.symbol != "other")
    assert len(best.copies) == 1
    apart = small.with_weights(DEFAULT.but(fold_copies=False)).search("who waits for the reader of the connection")
    assert len(apart) == 3


def test_the_rows_are_what_an_evaluation_reads(retriever: Retriever) -> None:
    answer = retriever("which change mended the proxy", 8, None)
    rows, cut = read_rows(answer, 8)
    assert (len(rows), cut) == (8, 0)
    assert all(row.path or row.is_history for row in rows)
    assert json.loads(json.dumps(answer)) == json.loads(json.dumps(answer))


def test_what_is_asked_wrongly_is_said(retriever: Retriever) -> None:
    with pytest.raises(UsageError, match="top is 0"):
        retriever.search("proxy", 0)
    with pytest.raises(UsageError, match="poems"):
        retriever.search("proxy", 3, "poems")
    with pytest.raises(UsageError):
        retriever.search("  ")


def test_features_are_of_the_candidates_that_the_ranking_sees(retriever: Retriever) -> None:
    rows, columns = retriever.features("where is the redirect")
    assert rows.tolist() == sorted(set(rows.tolist()))
    assert all(len(column) == len(rows) for column in columns.values())


def test_the_revision_and_the_corpus_are_told(retriever: Retriever) -> None:
    assert retriever.revision == REVISION
    assert retriever.manifest["corpus"] == "small"


@pytest.mark.parametrize("missing", ["chunks.parquet", "lancedb", "bm25/body", "manifest.json"])
def test_a_snapshot_that_lacks_a_part_is_refused(tmp_path: Path, missing: str) -> None:
    directory = tmp_path / "snapshot"
    retriever_of([chunk("proxy")], directory)
    part = directory / missing
    shutil.rmtree(part) if part.is_dir() else part.unlink()
    with pytest.raises(GitContextError, match="cannot be read"):
        Retriever.open(directory, tmp_path / "models")


def test_vectors_of_other_chunks_are_refused(tmp_path: Path) -> None:
    retriever_of([chunk("proxy")], tmp_path / "one")
    retriever_of([chunk("redirect")], tmp_path / "other")
    shutil.rmtree(tmp_path / "one" / "lancedb")
    shutil.copytree(tmp_path / "other" / "lancedb", tmp_path / "one" / "lancedb")
    with pytest.raises(GitContextError, match="other chunks"):
        Retriever.open(tmp_path / "one", tmp_path / "models")


def test_a_manifest_that_names_no_model_is_refused(tmp_path: Path) -> None:
    retriever_of([chunk("proxy")], tmp_path / "one")
    write_json(tmp_path / "one" / "manifest.json", {"corpus": "small", "revision": REVISION})
    with pytest.raises(GitContextError, match="embedding_model"):
        Retriever.open(tmp_path / "one", tmp_path / "models")
