"""What is installed: packages, git, the models. Nothing is imported for it."""

from __future__ import annotations

import platform
import shutil
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

from gitcontext_pipeline import __version__
from gitcontext_pipeline.cli.health.finding import Finding
from gitcontext_pipeline.errors import GitContextError
from gitcontext_pipeline.state import State

AREA = "installed"
OLDEST_PYTHON = (3, 11)
OLDEST_GIT = (2, 31)
"""The first git that takes configuration from the environment (GIT_CONFIG_COUNT), as this project hands it over."""
NEEDED = ("dagster", "lancedb", "onnxruntime", "pyarrow", "sentence-transformers")


def installed(state: State) -> Iterator[Finding]:
    """Python, git, the packages that do the work, the embedding model, the model that explains."""
    yield _python()
    yield Finding(AREA, "gitcontext", "ok", f"{__version__}")
    yield _git()
    yield from map(_package, NEEDED)
    yield _embedding_model(state)
    yield _language_model(state)


def _python() -> Finding:
    told = f"{platform.python_version()} at {sys.executable}"
    if sys.version_info >= OLDEST_PYTHON:
        return Finding(AREA, "python", "ok", told)
    return Finding(AREA, "python", "broken", f"{told} is too old", "python3.11 -m venv .venv")


def _git() -> Finding:
    from gitcontext_pipeline.corpus.command import environment, run_git

    if shutil.which("git") is None:
        return Finding(AREA, "git", "broken", "not found", "install git from https://git-scm.com/downloads")
    told = run_git("version", env=environment(), seconds=10).decode(errors="replace").strip()
    numbers = [int(part) for part in told.removeprefix("git version ").split(".")[:2] if part.isdecimal()]
    if tuple(numbers) >= OLDEST_GIT:
        return Finding(AREA, "git", "ok", told.removeprefix("git version "))
    oldest = ".".join(map(str, OLDEST_GIT))
    return Finding(AREA, "git", "broken", f"{told} is older than {oldest}", "update git")


def _package(name: str) -> Finding:
    try:
        return Finding(AREA, name, "ok", version(name))
    except PackageNotFoundError:
        return Finding(AREA, name, "broken", "not installed", f"pip install {name}")


def _embedding_model(state: State) -> Finding:
    from gitcontext_pipeline.corpus.spec import DEFAULT_MODEL
    from gitcontext_pipeline.index.model_files import is_exported, source_folder

    try:
        source_folder(DEFAULT_MODEL)
    except GitContextError as error:
        return Finding(AREA, "embedding model", "broken", error.what, error.fix)
    exported = is_exported(DEFAULT_MODEL, state.models)
    told = "verified, exported" if exported else "verified; the first run exports it, which takes a minute"
    return Finding(AREA, "embedding model", "ok", f"{DEFAULT_MODEL} {told}")


def _language_model(state: State) -> Finding:
    from gitcontext_pipeline.answer import model_files

    name = "model that explains"
    if find_spec("llama_cpp") is None:
        return Finding(AREA, name, "off", "llama.cpp is not installed", "pip install -e '.[explain]'")
    chosen = model_files.chosen(state.models)
    try:
        if not model_files.location(chosen, state.models).is_file():
            return Finding(AREA, name, "off", f"{chosen} is not here", f"gitcontext setup-model {chosen}")
        file = model_files.verified(chosen, state.models)
    except GitContextError as error:
        return Finding(AREA, name, "warning", error.what, error.fix)
    return Finding(AREA, name, "ok", f"{chosen} verified, {file.path.stat().st_size / 1e6:.0f} MB")
