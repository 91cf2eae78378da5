from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from gitcontext_pipeline.evaluation.calling import Caller
from gitcontext_pipeline.evaluation.process_retriever import ProcessRetriever
from gitcontext_pipeline.evaluation.retrievers import load_retriever

PROGRAM = """
import json, os, sys, time
for line in sys.stdin:
    asked = json.loads(line)
    query = asked["query"]
    if query == "exit": os._exit(0)
    if query == "hang": time.sleep(60)
    if query == "noise":
        print("loading index", flush=True)
        continue
    if query == "object":
        print("3", flush=True)
        continue
    if query == "error":
        print(json.dumps({"error": "no index"}), flush=True)
        continue
    print(json.dumps({"results": [{"path": f"{query}-{asked['top']}-{asked['scope']}-{os.getpid()}"}]}), flush=True)
"""


@pytest.fixture
def command(tmp_path: Path) -> str:
    (tmp_path / "mine.py").write_text(PROGRAM)
    return f"exec:{shlex.join([sys.executable, str(tmp_path / 'mine.py')])}"


def test_a_program_is_started_once_and_asked_line_by_line(command: str) -> None:
    caller = Caller(load_retriever(command), 3, 10.0)
    first, second = (caller.ask(query, "code").rows[0].path.rsplit("-", 1) for query in ("a", "b"))
    assert (first[0], second[0]) == ("a-3-code", "b-3-code")
    assert first[1] == second[1]


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("exit", "ended with status 0 instead of answering"),
        ("hang", "did not answer within"),
        ("noise", "not JSON"),
        ("object", "neither a list"),
        ("error", "answered: no index"),
    ],
)
def test_what_it_does_costs_its_case_and_the_next_is_asked(command: str, query: str, reason: str) -> None:
    caller = Caller(load_retriever(command), 3, 5.0 if query != "hang" else 1.0)
    failure = caller.ask(query, None).failure
    assert failure is not None
    assert reason in failure
    assert caller.ask("next", None).rows[0].path.startswith("next-3-None")


def test_a_program_that_is_not_there_costs_the_case() -> None:
    failure = Caller(ProcessRetriever("/nowhere/retriever"), 3, 5.0).ask("a", None).failure
    assert failure == "/nowhere/retriever cannot be started: No such file or directory"
