"""Publishing: which snapshot readers see, changed in one rename, and the older ones that can be gone back to."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gitcontext_pipeline.errors import UsageError
from gitcontext_pipeline.state import CorpusState
from gitcontext_pipeline.storage import locked, read_json, write_atomic, write_json

KEPT = 3
_PUBLISHED = "published.json"
_AGAIN = "-again"


@dataclass(frozen=True, slots=True)
class Published:
    """A snapshot that was published at some time, newest first in every list of them."""

    id: str
    directory: Path
    current: bool
    manifest: dict[str, Any]


def publish(corpus: CorpusState, snapshot: str) -> str | None:
    """Make `snapshot` the one that readers see; returns the id of the one before it. The caller holds the lock."""
    before = corpus.current.name if corpus.current else None
    order = [name for name in _order(corpus) if name != snapshot]
    write_json(corpus.directory / _PUBLISHED, [snapshot, *order])
    if before != snapshot:
        write_atomic(corpus.pointer, snapshot + "\n")
    return before


def unpublished(corpus: CorpusState, identity: str) -> str:
    """The id to build a snapshot under: `identity`, or another one where what is published is called so.

    That one is being made again because a file of it is damaged. It may still answer, so nothing of it is touched.
    """
    current = corpus.current
    return f"{identity}{_AGAIN}" if current is not None and current.name == identity else identity


def identity_of(snapshot: str) -> str:
    """The fingerprint in the id of a snapshot: two with the same one are made of the same, by the same code."""
    return snapshot.removesuffix(_AGAIN)


def prune(corpus: CorpusState) -> None:
    """Remove every snapshot but the current one and the `KEPT` published last; those that never passed the gate go too.

    The caller holds the lock, so no run is making one.
    """
    current = [corpus.current.name] if corpus.current else []  # whatever became of the list, readers keep theirs
    kept = list(dict.fromkeys(current + _order(corpus)))[:KEPT]
    for directory in corpus.snapshots.iterdir() if corpus.snapshots.is_dir() else ():
        if directory.name not in kept:
            shutil.rmtree(directory, ignore_errors=True)
    write_json(corpus.directory / _PUBLISHED, kept)


def published(corpus: CorpusState) -> list[Published]:
    """Every snapshot that can be gone back to, the one published last first."""
    current = corpus.current
    found = []
    for name in _order(corpus):
        directory = corpus.snapshots / name
        manifest = read_json(directory / "manifest.json")
        if isinstance(manifest, dict) and isinstance(manifest.get("revision"), str):
            found.append(Published(name, directory, directory == current, manifest))
    return found


def roll_back(corpus: CorpusState, snapshot: str | None = None) -> Published:
    """Publish an earlier snapshot again: `snapshot`, or the newest that is not the current one.

    Raises:
        UsageError: there is no such snapshot.
    """
    with locked(corpus.directory):
        choices = [entry for entry in published(corpus) if not entry.current]
        wanted = [entry for entry in choices if snapshot is None or entry.id == snapshot]
        if not wanted:
            known = ", ".join(entry.id for entry in choices) or "none"
            raise UsageError(
                f"the corpus {corpus.name!r} has no other snapshot {snapshot or ''}".rstrip(),
                fix=f"snapshots to go back to: {known}",
            )
        publish(corpus, wanted[0].id)
        return wanted[0]


def _order(corpus: CorpusState) -> list[str]:
    found = read_json(corpus.directory / _PUBLISHED)
    return [name for name in found if isinstance(name, str)] if isinstance(found, list) else []
