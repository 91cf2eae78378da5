"""A published snapshot, opened: it answers, reads and follows lines, and stays what it is."""

from __future__ import annotations

import inspect
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import gitcontext_pipeline
from gitcontext_pipeline import GitContextError, open_corpus
from gitcontext_pipeline.answer.opened import Corpus
from gitcontext_pipeline.errors import NotIndexed, UsageError
from gitcontext_pipeline.state import State
from gitcontext_pipeline.storage import read_json
from tests.sample import PULL_REQUEST
from tests.served import NAME, publish_damaged, publish_parent, served

__all__ = ["served"]

HEAVY = ("torch", "lancedb", "pandas", "pyarrow", "numpy", "dagster", "starlette", "mcp", "sentence_transformers")


@pytest.fixture(scope="module")
def corpus(served: State) -> Corpus:
    return open_corpus(NAME, state=served.root)


def test_the_public_names_are_these_five() -> None:
    assert sorted(gitcontext_pipeline.__all__) == ["Answer", "Corpus", "GitContextError", "Result", "open_corpus"]
    assert all(getattr(gitcontext_pipeline, name).__name__ == name for name in gitcontext_pipeline.__all__)
    with pytest.raises(AttributeError, match="no attribute 'Retriever'"):
        _ = gitcontext_pipeline.Retriever


@pytest.mark.parametrize(
    ("name", "signature"),
    [
        ("search", "(self, question: 'str', top: 'int' = 10, scope: 'str | None' = None) -> 'list[Result]'"),
        (
            "ask",
            "(self, question: 'str', top: 'int' = 5, scope: 'str | None' = None, *, "
            "reranker: 'Reranker | None' = None) -> 'Answer'",
        ),
        ("read", "(self, path: 'str', start: 'int' = 1, end: 'int | None' = None, context: 'int' = 0) -> 'Source'"),
        ("why", "(self, path: 'str', start: 'int', end: 'int | None' = None) -> 'Why'"),
        (
            "changes",
            "(self, question: 'str | None' = None, *, path: 'str | None' = None, symbol: 'str | None' = None, "
            "since: 'str | None' = None, until: 'str | None' = None, author: 'str | None' = None, "
            "top: 'int' = 10) -> 'list[Result]'",
        ),
        ("change", "(self, commit: 'str') -> 'list[Result]'"),
    ],
)
def test_the_public_methods_keep_their_signatures(name: str, signature: str) -> None:
    assert str(inspect.signature(getattr(Corpus, name))) == signature


def test_opening_keeps_its_signature() -> None:
    wanted = "(name: 'str | None' = None, *, state: 'str | Path | None' = None) -> 'Corpus'"
    assert str(inspect.signature(open_corpus)) == wanted


def test_importing_the_package_imports_nothing_heavy() -> None:
    code = f"import gitcontext_pipeline, sys; print([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_corpus_says_what_it_is(corpus: Corpus, served: State) -> None:
    current = served.corpus(NAME).current
    assert current is not None
    assert (corpus.name, corpus.snapshot) == (NAME, current.name)
    assert corpus.revision == read_json(current / "manifest.json")["revision"]


def test_it_searches_answers_reads_and_follows(corpus: Corpus) -> None:
    found = corpus.search("How long is the wait before an attempt?", 3, "code")
    assert found[0].symbol == "backoff_delay"
    answer = corpus.ask("How long is the wait before an attempt?", scope="code")
    assert answer.evidence[0].url == found[0].url
    assert answer.lineage[found[0].id].introduced is not None
    assert corpus.read("retry.py", 4).text == "def backoff_delay(attempt: int) -> float:"
    introduced = corpus.why("retry.py", 4, 6).as_json()["introduced"]
    assert introduced["pr"] == PULL_REQUEST
    assert [change.pr for change in corpus.changes(path="retry.py", top=1)] == [PULL_REQUEST]
    assert corpus.change(introduced["commit"])[0].pr == PULL_REQUEST


def test_the_one_published_last_is_opened_where_none_is_named(served: State) -> None:
    assert open_corpus(state=str(served.root)).name == NAME


def test_what_cannot_be_opened_is_said(served: State, state: State) -> None:
    with pytest.raises(UsageError, match="no corpus 'other'"):
        open_corpus("other", state=served.root)
    with pytest.raises(NotIndexed, match="nothing is indexed yet"):
        open_corpus()
    (state.root / "corpora" / "begun").mkdir(parents=True)
    with pytest.raises(NotIndexed, match="no published index"):
        open_corpus("begun")


def test_an_opened_snapshot_goes_on_when_another_is_published(served: State, tmp_path: Path) -> None:
    copied = State(tmp_path / "copied")
    shutil.copytree(served.root, copied.root, symlinks=True)
    opened = open_corpus(NAME, state=copied.root)
    older = publish_parent(copied)
    assert opened.revision != older
    assert opened.read("odd/open_end.txt").revision == opened.revision
    assert opened.why("retry.py", 4).revision == opened.revision
    assert opened.search("backoff", 1)[0].revision == opened.revision
    newer = open_corpus(NAME, state=copied.root)
    assert newer.revision == older
    with pytest.raises(UsageError, match="there is no file"):
        newer.read("odd/open_end.txt")
    publish_damaged(copied)
    assert opened.search("backoff", 1)
    with pytest.raises(GitContextError, match="cannot be read"):
        open_corpus(NAME, state=copied.root)


def test_threads_share_a_corpus(corpus: Corpus) -> None:
    questions = ["backoff_delay", "TokenBucket.take", "Which variable must be set for a proxy?", "Timeouts"] * 3
    alone = {question: [result.id for result in corpus.search(question, 3)] for question in questions}
    together: list[tuple[str, list[str]]] = []

    def ask(question: str) -> None:
        together.append((question, [result.id for result in corpus.search(question, 3)]))

    threads = [threading.Thread(target=ask, args=(question,)) for question in questions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(together) == len(questions)
    assert all(alone[question] == found for question, found in together)
