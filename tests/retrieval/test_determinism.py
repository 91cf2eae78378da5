"""The same index and question give the same answer in every process, whatever order Python's sets come in."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gitcontext_pipeline.cli.app import app
from gitcontext_pipeline.state import STATE_VARIABLE, State
from tests.repositories import Repository

HANDLER = "def handle_{name}(request):\n    return request.answer_with(status=200)\n"
COPY = "class Pool{name}:\n    def close(self):\n        wait_until_every_reader_of_the_connection_has_let_go(self)\n"
QUESTIONS = (
    "which function answers a request with status 200",
    "answer_with",
    "close waits until every reader of the connection has let go",
    "when was the handler added?",
)
SEEDS = ("0", "4711", "random")


@pytest.fixture(scope="module")
def tied(tmp_path_factory: pytest.TempPathFactory, models: Path) -> State:
    """A repository full of files that are equal but for their names, in an index of its own."""
    directory = tmp_path_factory.mktemp("tied")
    repository = Repository(directory / "repository")
    names = ("Alpha", "Beta", "Gamma", "Delta", "Zeta", "Eta")
    for name in names:
        files = {
            f"{name.lower()}.py": HANDLER.format(name=name.lower()),
            f"pool_{name.lower()}.py": COPY.format(name=name),
        }
        repository.commit("Add the handler", files)
    (directory / "questions.jsonl").write_text("".join(json.dumps({"query": each}) + "\n" for each in QUESTIONS))
    state = State(directory / "state")
    state.root.mkdir()
    state.models.symlink_to(models, target_is_directory=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(STATE_VARIABLE, str(state.root))
        made = CliRunner().invoke(app, ["index", str(repository.path), "--name", "tied"])
    assert made.exit_code == 0, made.output
    return state


def answers(state: State, seed: str) -> str:
    """What the command prints, in a process of its own."""
    questions = state.root.parent / "questions.jsonl"
    done = subprocess.run(
        [sys.executable, "-m", "gitcontext_pipeline", "search", "--questions", str(questions), "--json"],
        env={**os.environ, STATE_VARIABLE: str(state.root), "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_processes_agree_to_the_last_digit(tied: State) -> None:
    first, *others = [answers(tied, seed) for seed in SEEDS]
    lines = [json.loads(line) for line in first.splitlines()]
    assert [len(line["results"]) > 3 for line in lines] == [True] * len(QUESTIONS)
    assert any(result["copies"] for line in lines for result in line["results"])
    for other in others:
        assert other == first
