from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from gitcontext_pipeline.answer import model_files
from gitcontext_pipeline.answer.model_files import (
    DEFAULT_NAME,
    MODEL_VARIABLE,
    NAMED,
    HubFile,
    PackagedFile,
    choose,
    chosen,
    location,
    verified,
)
from gitcontext_pipeline.errors import GitContextError, UsageError
from tests.answer.gguf_files import gguf
from tests.answer.hub import hub_file


@pytest.fixture
def installed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of the pinned model `toy`."""
    monkeypatch.setitem(model_files.NAMED, "toy", hub_file(gguf()))
    path = location("toy", folder)
    path.parent.mkdir(parents=True)
    path.write_bytes(gguf())
    return path


def test_every_named_model_is_pinned_by_commit_size_and_hash() -> None:
    for file in NAMED.values():
        assert len(file.sha256) == 64
        assert file.size > 10_000_000
        assert not isinstance(file, HubFile) or len(file.revision) == 40


def test_the_default_is_a_file_of_the_model_s_own_publisher() -> None:
    default = NAMED[DEFAULT_NAME]
    assert isinstance(default, HubFile)
    assert default.repository.startswith("Qwen/")


def test_a_published_file_is_verified(installed: Path, folder: Path) -> None:
    file = verified("toy", folder)
    assert (file.path, file.sha256, file.header.name) == (installed, hashlib.sha256(gguf()).hexdigest(), "Toy 1B")


def test_a_file_is_hashed_once_and_again_when_it_changed(installed: Path, folder: Path) -> None:
    told: list[str] = []
    verified("toy", folder, told.append)
    verified("toy", folder, told.append)
    assert told == ["verifying toy-Q8_0.gguf"]
    os.utime(installed, ns=(1, 1))
    verified("toy", folder, told.append)
    assert len(told) == 2


@pytest.mark.parametrize("content", [gguf()[:-1], gguf(data=96), gguf()[:-1] + b"?"])
def test_another_file_is_refused_however_it_differs(installed: Path, folder: Path, content: bytes) -> None:
    verified("toy", folder)
    installed.write_bytes(content)
    with pytest.raises(GitContextError, match="not the published file") as refused:
        verified("toy", folder)
    assert refused.value.fix == "gitcontext setup-model toy"


def test_a_file_that_is_not_there_says_how_to_get_it(folder: Path) -> None:
    with pytest.raises(GitContextError, match="not installed") as missing:
        verified(DEFAULT_NAME, folder)
    assert missing.value.fix == f"gitcontext setup-model {DEFAULT_NAME}"


def test_any_local_file_will_do_if_it_is_well_formed(tmp_path: Path, folder: Path) -> None:
    path = tmp_path / "mine.gguf"
    path.write_bytes(gguf())
    assert verified(str(path), folder).sha256 == hashlib.sha256(gguf()).hexdigest()
    path.write_bytes(b"GGUF and no more")
    with pytest.raises(GitContextError, match="not a well-formed GGUF file"):
        verified(str(path), folder)


def test_an_unknown_name_lists_the_known_ones(folder: Path) -> None:
    with pytest.raises(UsageError) as unknown:
        location("gpt-17", folder)
    assert all(name in str(unknown.value.fix) for name in NAMED)


def test_a_package_that_is_not_installed_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(model_files.NAMED, "none", PackagedFile("no-such-model", "no_such_module", "x.gguf", 1, "0"))
    with pytest.raises(GitContextError, match="no-such-model is not installed"):
        location("none", folder)


def test_the_choice_is_remembered_and_the_environment_overrides_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert chosen(folder) == DEFAULT_NAME
    choose("tiny", folder)
    assert chosen(folder) == "tiny"
    monkeypatch.setenv(MODEL_VARIABLE, "qwen3-0.6b")
    assert chosen(folder) == "qwen3-0.6b"
