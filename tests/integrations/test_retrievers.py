"""The retriever as LangChain and LlamaIndex know it, and what is said where they are not installed."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest
from llama_index.core.schema import MetadataMode

from gitcontext_pipeline import Corpus, GitContextError, Result, open_corpus
from gitcontext_pipeline.evaluation.adapters import adapt
from gitcontext_pipeline.integrations import langchain, llamaindex
from gitcontext_pipeline.state import State
from tests.served import NAME

QUESTION = "How long is the wait before an attempt?"


@pytest.fixture(scope="module")
def corpus(served: State) -> Corpus:
    return open_corpus(NAME, state=served.root)


@pytest.fixture(scope="module")
def found(corpus: Corpus) -> list[Result]:
    return corpus.search(QUESTION, 4, "code")


def test_langchain_gets_documents(corpus: Corpus, found: list[Result]) -> None:
    retriever = langchain.GitContextRetriever(corpus=corpus, top=4, scope="code")
    documents = retriever.invoke(QUESTION)
    assert [document.page_content for document in documents] == [result.text for result in found]
    assert [document.id for document in documents] == [result.id for result in found]
    first = documents[0].metadata
    assert (first["url"], first["score"], first["corpus"]) == (found[0].url, found[0].score, NAME)
    assert (first["path"], first["start_line"], first["symbol"]) == ("retry.py", 4, "backoff_delay")
    assert asyncio.run(retriever.ainvoke(QUESTION)) == documents
    assert retriever.batch([QUESTION, QUESTION]) == [documents, documents]


def test_llamaindex_gets_nodes(corpus: Corpus, found: list[Result]) -> None:
    retriever = llamaindex.GitContextRetriever(corpus, top=4, scope="code")
    nodes = retriever.retrieve(QUESTION)
    assert [node.text for node in nodes] == [result.text for result in found]
    assert [node.score for node in nodes] == [result.score for result in found]
    assert nodes[0].metadata["url"] == found[0].url
    shown = nodes[0].node.get_content(MetadataMode.LLM)
    assert found[0].url in shown
    assert "score" not in shown
    assert [node.node_id for node in asyncio.run(retriever.aretrieve(QUESTION))] == [node.node_id for node in nodes]


def test_what_they_give_back_can_be_measured_by_the_gate(corpus: Corpus, found: list[Result]) -> None:
    given = (langchain.GitContextRetriever(corpus=corpus, top=4), llamaindex.GitContextRetriever(corpus, top=4))
    for retriever in given:
        retrieve = adapt(retriever)
        assert retrieve is not None
        row = retrieve(QUESTION, 4, None)[0]
        assert (row["path"], row["symbol"], row["start_line"]) == (found[0].path, found[0].symbol, found[0].start_line)


def test_wrong_questions_are_errors_of_this_project(corpus: Corpus) -> None:
    with pytest.raises(GitContextError, match="poems"):
        langchain.GitContextRetriever(corpus=corpus, scope="poems").invoke(QUESTION)
    with pytest.raises(GitContextError):
        llamaindex.GitContextRetriever(corpus).retrieve("  ")


@pytest.mark.parametrize(("module", "library"), [("langchain", "langchain_core"), ("llamaindex", "llama_index")])
def test_a_missing_library_is_named_with_the_extra_that_has_it(module: str, library: str, tmp_path: Path) -> None:
    (tmp_path / f"{library}.py").write_text("raise ImportError('not here', name=__name__)")
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        f"try:\n    import gitcontext_pipeline.integrations.{module}\n"
        "except ImportError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == f"{library} cannot be imported: not here\n  pip install 'gitcontext-pipeline[{module}]'\n"
