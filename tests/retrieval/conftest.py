from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from gitcontext_pipeline.cli.app import app
from gitcontext_pipeline.state import STATE_VARIABLE, State
from tests.sample import sample_repository, write_questions


@pytest.fixture(scope="session")
def indexed_sample(tmp_path_factory: pytest.TempPathFactory, models: Path) -> State:
    """The sample repository, indexed once by the command, with its golden set; tests only look at it."""
    directory = tmp_path_factory.mktemp("sample")
    repository = sample_repository(directory / "repository")
    golden = write_questions(directory / "golden.jsonl")
    state = State(directory / "state")
    state.root.mkdir()
    state.models.symlink_to(models, target_is_directory=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(STATE_VARIABLE, str(state.root))
        options = ["--name", "sample", "--github", "acme/client", "--golden-set", str(golden)]
        result = CliRunner().invoke(app, ["index", f"{repository.path}@{repository.head}", *options])
    assert result.exit_code == 0, result.output
    return state


@pytest.fixture
def sample_state(indexed_sample: State, monkeypatch: pytest.MonkeyPatch) -> State:
    """The same, as the state that `State.locate()` finds."""
    monkeypatch.setenv(STATE_VARIABLE, str(indexed_sample.root))
    return indexed_sample
