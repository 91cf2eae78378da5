"""What the machine has to offer: room on the disk, free memory, a state directory that can be written."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from shlex import quote

from gitcontext_pipeline.cli.health.finding import Condition, Finding
from gitcontext_pipeline.state import STATE_VARIABLE, State

AREA = "machine"
GIB = 1 << 30
ENOUGH_DISK, LITTLE_DISK = 2 * GIB, GIB // 4
"""Bytes: what indexing a large repository takes, and what is too little for any."""
ENOUGH_MEMORY = GIB
"""Bytes that embedding and the ranking of a corpus of some size take."""


def machine(state: State) -> Iterator[Finding]:
    """The state directory, and what is free."""
    yield _writable(state.root)
    yield _disk(_existing(state.root))
    yield _memory()


def _writable(root: Path) -> Finding:
    name, elsewhere = "state directory", f"export {STATE_VARIABLE}=DIRECTORY"
    if not root.exists():
        parent = _existing(root)
        if os.access(parent, os.W_OK | os.X_OK):
            return Finding(AREA, name, "off", f"{root} is not there yet; the first index makes it")
        return Finding(AREA, name, "broken", f"{root} cannot be made: {parent} is not writable", elsewhere)
    try:
        with tempfile.TemporaryFile(dir=root):
            return Finding(AREA, name, "ok", f"{root} can be written")
    except OSError as error:
        return Finding(AREA, name, "broken", f"{root} cannot be written ({error.strerror})", elsewhere)


def _disk(path: Path) -> Finding:
    free = shutil.disk_usage(path).free
    condition: Condition = "ok" if free >= ENOUGH_DISK else "warning" if free >= LITTLE_DISK else "broken"
    fix = None if condition == "ok" else f"du -sh {quote(str(path))}/*"
    return Finding(AREA, "disk", condition, f"{free / GIB:.1f} GiB free", fix)


def _memory() -> Finding:
    available = _available_memory()
    if available is None:
        return Finding(AREA, "memory", "off", "this system does not say what is free")
    told = f"{available / GIB:.1f} GiB free"
    if available >= ENOUGH_MEMORY:
        return Finding(AREA, "memory", "ok", told)
    return Finding(AREA, "memory", "warning", f"{told}: indexing may be slow or killed", "ps aux --sort=-rss | head")


def _available_memory() -> int | None:
    """Bytes that programs can have without swapping; https://docs.kernel.org/filesystems/proc.html#meminfo"""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        told = next(line for line in lines if line.startswith("MemAvailable:"))
        return int(told.split()[1]) * 1024
    except (OSError, StopIteration, ValueError, IndexError):
        return None


def _existing(path: Path) -> Path:
    return next(each for each in (path, *path.parents) if each.exists())
