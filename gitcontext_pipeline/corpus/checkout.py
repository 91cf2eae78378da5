"""The port between a pinned tree and whoever reads it, whichever origin it came from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True, slots=True)
class TreeFile:
    """One regular file of the pinned tree: POSIX path from its top, size in bytes, git blob id (40 hex)."""

    path: str
    size: int
    blob: str


class Checkout(Protocol):
    """A tree at exactly one revision, read without a work tree."""

    revision: str
    """The commit the tree is, or corresponds to (40 hex)."""
    repository: Path | None
    """The bare git repository, where the origin has history."""

    def files(self) -> Iterator[TreeFile]:
        """Every regular file in path order."""

    def read(self, file: TreeFile) -> bytes:
        """The file's content."""

    def not_regular(self) -> dict[str, str]:
        """Paths that are in the tree but are not regular files, with the reason they are left alone."""
