from __future__ import annotations

import math
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from gitcontext_pipeline.errors import UsageError
from gitcontext_pipeline.evaluation.adapters import adapt
from gitcontext_pipeline.evaluation.calling import Answer, Caller
from gitcontext_pipeline.evaluation.retrievers import load_retriever


def ask(retriever: Any, top: int = 3, seconds: float | None = 5.0) -> Answer:
    caller = Caller(retriever, top, seconds)
    try:
        return caller.ask("query", None)
    finally:
        caller.close()


def giving(answer: Any) -> Any:
    return lambda query, top, scope: answer


def raising(error: BaseException) -> Any:
    def retrieve(query: str, top: int, scope: str | None) -> list[dict[str, Any]]:
        raise error

    return retrieve


class Endless(Sequence[Any]):
    """Says that it holds three rows and never stops giving them."""

    def __len__(self) -> int:
        return 3

    def __getitem__(self, place: Any) -> Any:
        return {"path": f"{place}.py"}


class Unreadable(Exception):
    def __str__(self) -> str:
        raise RuntimeError


@pytest.mark.parametrize(
    ("retriever", "reason"),
    [
        (giving(None), "returned None"),
        (giving({"path": "a"}), "returned a dict"),
        (giving("a.py"), "returned a str"),
        (giving(row for row in [{"path": "a"}]), "returned a generator"),
        (giving({"a"}), "returned a set"),
        (giving(3), "returned a int"),
        (giving(["a.py"]), "row 1 is a str"),
        (giving([{"path": "a"}, {"file": "b"}]), "row 2 has no path; it has file"),
        (giving([{"path": ""}]), "no path"),
        (giving([{"path": 3}]), "path that is a int"),
        (giving([{"path": "a", "score": math.nan}]), "NaN"),
        (giving([{"path": "a", "score": "high"}]), "not a number"),
        (giving([{"path": "a", "start_line": 0}]), "whole number"),
        (giving([{"path": "a", "start_line": 9, "end_line": 2}]), "before it starts"),
        (giving([{"path": "a", "symbol": 3}]), "symbol that is a int"),
        (giving([{"commit": "HEAD"}]), "hex digits"),
        (raising(ValueError("no\nindex")), "raised ValueError: no index"),
        (raising(SystemExit(0)), "called sys.exit(0)"),
        (raising(Unreadable()), "its message cannot be read"),
        (raising(ValueError(object())), "raised ValueError: <object object>"),
        (lambda query: [], "raised TypeError"),
    ],
)
def test_whatever_a_retriever_does_costs_its_case_and_says_why(retriever: Any, reason: str) -> None:
    answer = ask(retriever)
    assert answer.rows == ()
    assert answer.failure is not None
    assert reason in answer.failure
    assert "\n" not in answer.failure


def test_more_rows_than_asked_for_are_cut() -> None:
    answer = ask(giving([{"path": f"{i}.py"} for i in range(9)]))
    assert [row.path for row in answer.rows] == ["0.py", "1.py", "2.py"]
    assert answer.cut == 1


def test_rows_without_end_are_cut_too() -> None:
    assert len(ask(giving(Endless())).rows) == 3


def test_rows_of_a_table_are_read() -> None:
    row = {"path": "a.py", "start_line": 3.0, "end_line": math.nan, "symbol": math.nan, "pr": math.nan, "score": None}
    (found,) = ask(giving([row])).rows
    assert (found.path, found.lines, found.symbol, found.pr) == ("a.py", (3, 3), None, None)


def test_a_commit_or_a_pull_request_needs_no_path() -> None:
    assert [row.name for row in ask(giving([{"commit": "A" * 8}, {"pr": 7}])).rows] == ["commit:aaaaaaaa", "pr:7"]


def test_keyboard_interrupt_stops_the_run() -> None:
    with pytest.raises(KeyboardInterrupt):
        ask(raising(KeyboardInterrupt()))


def test_a_hung_query_costs_its_case_and_the_next_is_asked() -> None:
    release = threading.Event()

    def retrieve(query: str, top: int, scope: str | None) -> list[dict[str, Any]]:
        if query == "hang":
            release.wait(30)
        return [{"path": "a.py"}]

    caller = Caller(retrieve, 3, 0.2)
    try:
        assert caller.ask("hang", None).failure == "did not answer within 0.2 s"
        assert caller.ask("next", None).rows[0].path == "a.py"
    finally:
        release.set()
        caller.close()


def test_a_hung_query_does_not_keep_the_process_from_ending() -> None:
    program = (
        "import time\n"
        "from gitcontext_pipeline.evaluation.calling import Caller\n"
        "caller = Caller(lambda query, top, scope: time.sleep(60), 3, 0.2)\n"
        "print(caller.ask('q', None).failure)\n"
    )
    began = time.monotonic()
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=30, check=True)
    assert "did not answer" in done.stdout
    assert time.monotonic() - began < 20


def test_queries_share_a_thread_until_one_hangs() -> None:
    threads: list[int] = []

    def retrieve(query: str, top: int, scope: str | None) -> list[dict[str, Any]]:
        threads.append(threading.get_ident())
        return []

    caller = Caller(retrieve, 3, 5.0)
    caller.ask("a", None)
    caller.ask("b", None)
    caller.close()
    Caller(retrieve, 3, None).ask("c", None)
    assert threads[0] == threads[1] != threads[2] == threading.get_ident()


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(tmp_path)):
            del sys.modules[name]


def test_a_callable_of_the_current_directory_is_loaded(workplace: Path) -> None:
    (workplace / "mine_a.py").write_text(
        "def retrieve(query, top, scope):\n    return [{'path': query}]\n"
        "class Index:\n    def search(self, query, top, scope=None):\n        return [{'path': 'searched'}]\n"
        "class Holder:\n    index = Index()\n"
        "class Asks:\n    def retrieve(self, query, top, scope):\n        return [{'path': 'class'}]\n"
    )
    for name, path in (
        ("retrieve", "query"),
        ("Index", "searched"),
        ("Holder.index", "searched"),
        ("Holder.index.search", "searched"),
        ("Asks", "class"),
    ):
        assert ask(load_retriever(f"mine_a:{name}")).rows[0].path == path


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("mine_b", "does not name a retriever"),
        ("mine_b:", "does not name a retriever"),
        (":x", "does not name a retriever"),
        ("absent_module:x", "cannot import 'absent_module'"),
        ("mine_b:absent", "there is no 'absent'"),
        ("mine_b:number", "cannot be called"),
        ("mine_b:narrow", "cannot be called"),
        ("mine_b:Needy", "cannot be made without arguments"),
        ("leaving:x", "raised SystemExit"),
        ("needing:x", "cannot import 'absent_dependency'"),
        ("http://", "names no host"),
        ("http://[", "no URL"),
        ("exec:", "names no command"),
        ("exec:'", "exec:"),
    ],
)
def test_what_is_no_retriever_is_refused_before_the_run(workplace: Path, text: str, said: str) -> None:
    (workplace / "mine_b.py").write_text(
        "number = 3\ndef narrow(query):\n    return []\nclass Needy:\n    def __init__(self, index):\n        pass\n"
    )
    (workplace / "leaving.py").write_text("import sys\nsys.exit(0)\n")
    (workplace / "needing.py").write_text("import absent_dependency\n")
    with pytest.raises(UsageError) as caught:
        load_retriever(text)
    assert said in str(caught.value)


def document(**metadata: Any) -> SimpleNamespace:
    return SimpleNamespace(metadata=metadata, page_content="text")


def test_langchain_retrievers_are_asked_by_invoke() -> None:
    class New:
        def invoke(self, text: str, config: Any = None) -> list[Any]:
            return [document(source="a.py", start_line=2, end_line=4), document(path="b.py", source="elsewhere")]

    class Old:
        def get_relevant_documents(self, query: str) -> list[Any]:
            return [document(file_path="c.py")]

    assert [row.name for row in ask(adapt(New())).rows] == ["a.py#L2-L4", "b.py"]
    assert [row.name for row in ask(adapt(Old())).rows] == ["c.py"]


def test_llamaindex_retrievers_are_asked_by_retrieve() -> None:
    class Nodes:
        def retrieve(self, text: str) -> list[Any]:
            return [SimpleNamespace(node=document(file_path="a.py", symbol="f"), score=0.5)]

    (found,) = ask(adapt(Nodes())).rows
    assert (found.name, found.score) == ("a.py#f", 0.5)


def test_a_document_without_a_path_says_which_metadata_it_has() -> None:
    class Bare:
        def invoke(self, text: str) -> list[Any]:
            return [document(page=3)]

    assert ask(adapt(Bare())).failure == (
        "a document's metadata has none of path, file_path, source, filename, file_name; it has page"
    )
