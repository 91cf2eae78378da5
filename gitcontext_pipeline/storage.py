"""Files that are never half there: everything is written beside its place and renamed into it."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock

from gitcontext_pipeline.full_disk import writing

BESIDE = ".writing-"
"""Prefix of what is still being written; whatever carries it after a kill is rubbish."""
_OLD = "-old"


def write_atomic(path: Path, content: str | bytes) -> None:
    """Replace `path` by `content` in one rename, so that a reader sees the old file or the new one, never a part.

    Raises FullDisk where there is no room.
    """
    with writing(path):
        _replace(path, content.encode() if isinstance(content, str) else content)


def _replace(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, beside = tempfile.mkstemp(prefix=BESIDE, dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        Path(beside).chmod(0o644)
        Path(beside).replace(path)
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise


def write_json(path: Path, value: Any) -> None:
    write_atomic(path, json.dumps(value, indent=2, ensure_ascii=False, sort_keys=True) + "\n")


def read_json(path: Path) -> Any | None:
    """The parsed file, or None when it is missing or not JSON (a foreign or damaged file counts as missing)."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return None


@contextmanager
def building(path: Path) -> Iterator[Path]:
    """Yield an empty directory beside `path`; on success it takes the place of `path`, on failure it is removed.

    Raises FullDisk where there is no room for what is written into it.
    """
    with writing(path), _beside(path) as beside:
        yield beside


@contextmanager
def _beside(path: Path) -> Iterator[Path]:
    path.parent.mkdir(parents=True, exist_ok=True)
    sweep(path.parent)
    beside = Path(tempfile.mkdtemp(prefix=f"{BESIDE}{path.name}-", dir=path.parent))
    old = path.with_name(f"{BESIDE}{path.name}{_OLD}")
    try:
        yield beside
        beside.chmod(0o755)
        if path.exists():
            path.replace(old)
        beside.replace(path)
        if old.exists():
            # Under its own name a later sweep would take a half-removed directory for one to put back.
            old.replace(beside)
            _remove(beside)
    except BaseException:
        if old.exists() and not path.exists():
            old.replace(path)
        _remove(beside)
        raise


def sweep(directory: Path) -> None:
    """Remove what killed runs left half-written in `directory`. Callers hold the lock of whoever writes there.

    A run that was killed between the two renames of `building` left neither the old directory nor the new one in
    place; the old one is put back.
    """
    for leftover in directory.glob(f"{BESIDE}*"):
        place = leftover.with_name(leftover.name.removeprefix(BESIDE).removesuffix(_OLD))
        if leftover.name.endswith(_OLD) and not place.exists():
            leftover.replace(place)
        else:
            _remove(leftover)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


@contextmanager
def locked(directory: Path) -> Iterator[None]:
    """Hold the one writer's lock of `directory` (readers need none: they only ever see finished files)."""
    directory.mkdir(parents=True, exist_ok=True)
    with FileLock(directory / ".lock"):
        yield


def fingerprint(*parts: Any) -> str:
    """SHA-256 (64 hex digits) over the canonical JSON of `parts`."""
    canonical = json.dumps(parts, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=str)
    return hashlib.sha256(canonical.encode()).hexdigest()


def code_digest(*packages: Path) -> str:
    """SHA-256 over the Python files of some packages: what makes the same input give another result."""
    files = sorted(file for package in packages for file in package.rglob("*.py"))
    return fingerprint([sha256_file(file) for file in files])


def digest(path: Path) -> str | None:
    """SHA-256 of a file, or over the names and contents of all files below a directory; None where there is nothing."""
    if path.is_dir():
        files = sorted(file for file in path.rglob("*") if file.is_file())
        return fingerprint([(file.relative_to(path).as_posix(), sha256_file(file)) for file in files])
    return sha256_file(path) if path.is_file() else None


def sha256_file(path: Path) -> str:
    with path.open("rb") as source:
        return hashlib.file_digest(source, "sha256").hexdigest()
