"""A disk that is full: what was being written, where, how much is free, and that nothing was lost."""

from __future__ import annotations

import errno
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gitcontext_pipeline.errors import GitContextError, UsageError

NO_ROOM = "there is no room to write this"
NEXT_TO_NOTHING = 500_000
"""Bytes free, below which a failure of any kind is put down to the disk: SQLite then says `disk I/O error`."""
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_SAID = re.compile(r"[^\n]*(?:no space left on device|disk is full|quota exceeded|file too large)[^\n]*", re.IGNORECASE)


class FullDisk(GitContextError):
    """`where` could not be written, because of what the system `said`."""

    def __init__(self, where: Path, said: str) -> None:
        super().__init__(
            f"{NO_ROOM}, {free(where) / 1e6:,.1f} MB are free: {said.strip()}",
            where=where,
            fix="Make room and run it again. Nothing is lost: what is published goes on answering.",
        )


def why_full(text: str, where: Path) -> str | None:
    """The line of a message, whoever wrote it (git, SQLite, Arrow, LanceDB), that says that the disk is full.

    Its first line where there is next to nothing free at `where`, None where it is about something else.
    """
    found = _SAID.search(text)
    if found is not None:
        return found[0]
    return text.partition("\n")[0] if free(where) < NEXT_TO_NOTHING else None


def free(where: Path) -> int:
    """Bytes that may still be written at `where`, which need not be there yet."""
    return shutil.disk_usage(next((place for place in (where, *where.parents) if place.exists()), Path.cwd())).free


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Write `path` inside; raises FullDisk where there is no room for it."""
    try:
        yield
    except FullDisk:
        raise
    except Exception as error:
        said = str(error) if isinstance(error, OSError) and error.errno in _FULL else why_full(str(error), path)
        if said is None or isinstance(error, UsageError):
            raise
        raise FullDisk(path, said) from error
