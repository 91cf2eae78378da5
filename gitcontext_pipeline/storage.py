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

BESIDE = ".writing-"
"""Prefix of what is still being written; whatever carries it after a kill is rubbish."""


def write_atomic(path: Path, content: str | bytes) -> None:
    """Replace `path` by `content` in one rename, so that a reader sees the old file or the new one, never a part."""
    path.parent.mkdir(parents=True, exist_ok=True)
    data = content.encode() if isinstance(content, str) else content
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
    """Yield an empty directory beside `path`; on success it takes the place of `path`, on failure it is removed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    sweep(path.parent)
    beside = Path(tempfile.mkdtemp(prefix=f"{BESIDE}{path.name}-", dir=path.parent))
    try:
        yield beside
        beside.chmod(0o755)  # noqa: S103 (mkdtemp makes it private)
        old = path.with_name(f"{BESIDE}{path.name}-old")
        if path.exists():
            path.replace(old)
        beside.replace(path)
        shutil.rmtree(old, ignore_errors=True)
    except BaseException:
        shutil.rmtree(beside, ignore_errors=True)
        raise


def sweep(directory: Path) -> None:
    """Remove what killed runs left half-written in `directory`. Callers hold the lock of whoever writes there."""
    for leftover in directory.glob(f"{BESIDE}*"):
        if leftover.is_dir():
            shutil.rmtree(leftover, ignore_errors=True)
        else:
            leftover.unlink(missing_ok=True)


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


def sha256_file(path: Path) -> str:
    with path.open("rb") as source:
        return hashlib.file_digest(source, "sha256").hexdigest()
