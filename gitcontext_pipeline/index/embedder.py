"""Text to unit vectors, by the int8 ONNX export of a sentence-transformers model, or by torch where that cannot run."""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from gitcontext_pipeline.errors import GitContextError
from gitcontext_pipeline.index import model_files
from gitcontext_pipeline.index.words import WordVectors
from gitcontext_pipeline.storage import fingerprint, read_json, sha256_file

if TYPE_CHECKING:
    from numpy.typing import NDArray

log = logging.getLogger(__name__)


class Embedder(Protocol):
    """Turns texts into vectors of length 1, float32."""

    name: str
    digest: str
    """Identifies the weights and the way they are run (12 hex digits): equal digests give equal vectors."""
    dimension: int
    words: WordVectors

    def encode_documents(
        self, texts: Sequence[str], advance: Callable[[int], None] = lambda _: None
    ) -> NDArray[np.float32]:
        """Shape (len(texts), dimension); `advance` is told how many more are done."""

    def encode_query(self, text: str) -> NDArray[np.float32]:
        """Shape (dimension,)."""


class OnnxEmbedder:
    """Runs the export without torch, which takes seconds to import.

    One text a call: dynamic int8 scales its activations by the largest in the batch, so a text's vector would depend
    on its neighbours there (cosine down to 0.96 measured), and an embedding cache would not be a cache. On two cores
    it is as fast as batches of 32.
    """

    def __init__(self, folder: Path, name: str) -> None:
        import onnxruntime
        from tokenizers import Tokenizer

        settings: dict[str, Any] = read_json(folder / "encoder.json") or {}
        self.name = name
        self.digest = fingerprint(sha256_file(folder / "model.onnx"), settings)[:12]
        self.dimension = int(settings["dimension"])
        self._settings = settings
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_truncation(settings["max_tokens"])
        self._tokenizer.no_padding()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = max(1, min(4, (os.cpu_count() or 2)))
        options.inter_op_num_threads = 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(
            str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"]
        )
        self._inputs = {node.name for node in self._session.get_inputs()}
        self.words = WordVectors(
            np.load(folder / "words.npy", mmap_mode="r"),
            lambda word: self._tokenizer.encode(word, add_special_tokens=False).ids,
        )

    def encode_documents(
        self, texts: Sequence[str], advance: Callable[[int], None] = lambda _: None
    ) -> NDArray[np.float32]:
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            vectors[row] = self._encode(self._settings["document_prompt"] + text)
            advance(1)
        return vectors

    def encode_query(self, text: str) -> NDArray[np.float32]:
        return self._encode(self._settings["query_prompt"] + text)

    def _encode(self, text: str) -> NDArray[np.float32]:
        ids = np.asarray([self._tokenizer.encode(text).ids], dtype=np.int64)
        feeds = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        tokens = self._session.run(None, {name: feeds[name] for name in self._inputs})[0][0]
        vector = tokens[0] if self._settings["pooling"] == "cls" else tokens.mean(axis=0)
        return (vector / max(float(np.linalg.norm(vector)), 1e-12)).astype(np.float32)  # type: ignore[no-any-return]


class TorchEmbedder:
    """The model as sentence-transformers runs it: any architecture, slower to start and to run."""

    def __init__(self, source: str, name: str) -> None:
        import torch
        from sentence_transformers import SentenceTransformer

        torch.set_num_threads(max(1, (os.cpu_count() or 2) // 2))  # more threads than cores spin against each other
        with model_files.quiet_libraries():
            self._model: Any = SentenceTransformer(source, device="cpu")
            self.dimension = int(self._model.get_sentence_embedding_dimension())
        self.name = name
        self.words = WordVectors(
            model_files.input_embedding(self._model),
            lambda word: self._model.tokenizer(word, add_special_tokens=False).input_ids,
        )
        weights = {
            key: hashlib.sha256(value.detach().reshape(-1).contiguous().view(torch.uint8).numpy()).hexdigest()
            for key, value in self._model.state_dict().items()
        }
        layers = repr(self._model)  # with their settings: pooling, length limit
        self.digest = fingerprint("torch", weights, layers, self._model.prompts)[:12]

    def encode_documents(
        self, texts: Sequence[str], advance: Callable[[int], None] = lambda _: None
    ) -> NDArray[np.float32]:
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        for start in range(0, len(texts), 32):
            batch = list(texts[start : start + 32])
            vectors[start : start + len(batch)] = self._model.encode_document(
                batch, normalize_embeddings=True, show_progress_bar=False
            )
            advance(len(batch))
        return vectors

    def encode_query(self, text: str) -> NDArray[np.float32]:
        vector = self._model.encode_query([text], normalize_embeddings=True, show_progress_bar=False)
        return np.asarray(vector[0], dtype=np.float32)


@lru_cache(maxsize=2)
def load_embedder(model: str, models: Path, progress: Callable[[str], None] = log.info) -> Embedder:
    """The embedder for `model`, exported under `models` at first use; kept for the life of the process.

    Raises:
        GitContextError: the model is unknown, damaged, or a hub that is not reachable has it.
    """
    try:
        return OnnxEmbedder(model_files.exported_folder(model, models, progress), model)
    except GitContextError as error:
        model_files.source_folder(model)  # unknown or damaged weights are no less so on torch: this raises again
        reason = error.what
    except Exception as error:  # the exporters raise anything, from ImportError to RuntimeError
        reason = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
    try:
        embedder = TorchEmbedder(str(model_files.source_folder(model) or model), model)
    except (OSError, ValueError) as error:
        raise GitContextError(
            f"the embedding model {model!r} could not be loaded: {str(error).splitlines()[0]}",
            fix="give a folder with the model's files, or a name that the configured model hub has",
        ) from error
    log.warning("%s runs on torch, slower: the ONNX export failed (%s)", model, reason)
    return embedder
