"""The command in this process: `gitcontext("eval", "run", …)` in an empty folder, as a newcomer would stand in it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import Result
from filelock import FileLock
from typer.testing import CliRunner

from gitcontext_pipeline.cli.app import app
from gitcontext_pipeline.state import STATE_VARIABLE
from tests.cli.odd_corpus import OddCorpus, index_odd_corpus

Command = Callable[..., Result]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder to stand in; what is imported from it is forgotten afterwards."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)
    yield folder
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", None)).startswith(str(tmp_path)):
            del sys.modules[name]


@pytest.fixture
def gitcontext() -> Command:
    def run(*arguments: object) -> Result:
        return CliRunner().invoke(app, [str(argument) for argument in arguments])

    return run


@pytest.fixture(scope="session")
def indexed_odd_corpus(shared: Path, models: Path) -> OddCorpus:
    """Indexed once for all workers; tests leave it as they found it."""
    directory = shared / "odd"
    directory.mkdir(exist_ok=True)
    with FileLock(shared / "odd.lock"):
        return index_odd_corpus(directory, models)


@pytest.fixture
def odd_corpus(indexed_odd_corpus: OddCorpus, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> OddCorpus:
    """The same as the state in which the command looks."""
    monkeypatch.setenv(STATE_VARIABLE, str(indexed_odd_corpus.state.root))
    monkeypatch.chdir(tmp_path)
    return indexed_odd_corpus
