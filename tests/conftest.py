from __future__ import annotations

import os
from pathlib import Path

import pytest
from filelock import FileLock
from hypothesis import settings

from gitcontext_pipeline.corpus.spec import DEFAULT_MODEL
from gitcontext_pipeline.index.model_files import exported_folder
from gitcontext_pipeline.state import STATE_VARIABLE, State
from tests.release import materialize

# Read by huggingface_hub when it is imported: no test may find a model, or hang, because of a network.
os.environ["HF_HUB_OFFLINE"] = "1"

# The same examples in every run, however busy the machine is; `--hypothesis-profile=default` looks for new ones.
settings.register_profile("same", deadline=None, derandomize=True)
settings.load_profile("same")

_OF_THE_TESTER = (
    "DAGSTER_HOME",
    "GH_ENTERPRISE_TOKEN",
    "GH_TOKEN",
    "GITHUB_ENTERPRISE_TOKEN",
    "GITHUB_TOKEN",
    "GITCONTEXT_DEBUG",
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
)


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One directory for the whole run, whichever worker a test is in."""
    base = tmp_path_factory.getbasetemp()
    directory = (base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base) / "shared"
    directory.mkdir(exist_ok=True)
    return directory


@pytest.fixture(scope="session")
def shared_models(shared: Path) -> Path:
    """One directory of exported models for the whole run; empty until somebody needs a model."""
    directory = shared / "models"
    directory.mkdir(exist_ok=True)
    return directory


@pytest.fixture(scope="session")
def models(shared_models: Path) -> Path:
    """The same directory with the default embedding model in it, exported once for all workers."""
    exported_folder(DEFAULT_MODEL, shared_models, lambda line: None)
    return shared_models


@pytest.fixture(scope="session")
def release(shared: Path, models: Path) -> State:
    """The shipped corpus, materialized once for all workers, from the release that the package index has."""
    state = State(shared / "release")
    with FileLock(shared / "release.lock"):
        if state.corpus("requests").current is None:
            state.root.mkdir(exist_ok=True)
            if not state.models.is_symlink():
                state.models.symlink_to(models, target_is_directory=True)
            materialize(state)
    return state


@pytest.fixture(autouse=True)
def _no_state_of_the_tester(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(STATE_VARIABLE, str(tmp_path / "state"))
    monkeypatch.setenv("GH_CONFIG_DIR", str(tmp_path / "gh"))  # where `gh auth token` finds no login
    for name in _OF_THE_TESTER:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def state(shared_models: Path) -> State:
    """An empty state directory, the one that `State.locate()` finds; models exported by any test are there."""
    located = State.locate()
    located.root.mkdir(parents=True)
    located.models.symlink_to(shared_models, target_is_directory=True)
    return located
