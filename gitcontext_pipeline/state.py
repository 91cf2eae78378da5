"""Where things are on disk. Everything here can be deleted and made again, except the history of Dagster's runs."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from gitcontext_pipeline.errors import NotIndexed, UsageError
from gitcontext_pipeline.storage import read_json

STATE_VARIABLE = "GITCONTEXT_STATE"
_SNAPSHOT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


def project_directory() -> Path | None:
    """The Dagster project that one stands in: the nearest directory upwards that has its definitions."""
    candidates = (Path.cwd(), *Path.cwd().parents)
    return next((each for each in candidates if (each / "gitcontext_pipeline" / "definitions.py").is_file()), None)


@dataclass(frozen=True)
class State:
    """The state directory."""

    root: Path

    @classmethod
    def locate(cls) -> State:
        """`$GITCONTEXT_STATE`, else `state/` of the project one stands in, else the user's data directory."""
        named = os.environ.get(STATE_VARIABLE)
        if named:
            return cls(Path(named).expanduser().resolve())
        project = project_directory()
        if project is not None:
            return cls(project / "state")
        import platformdirs

        return cls(Path(platformdirs.user_data_dir("gitcontext", appauthor=False)))

    @property
    def models(self) -> Path:
        return self.root / "models"

    @property
    def embeddings(self) -> Path:
        return self.root / "embeddings"

    def corpus(self, name: str) -> CorpusState:
        return CorpusState(name, self.root / "corpora" / name)

    def corpora(self) -> list[CorpusState]:
        """Every corpus that has a directory, by name."""
        directory = self.root / "corpora"
        names = sorted(child.name for child in directory.iterdir() if child.is_dir()) if directory.is_dir() else []
        return [self.corpus(name) for name in names if not name.startswith(".")]

    def choose(self, name: str | None) -> CorpusState:
        """The corpus called `name`; without a name, the one published last.

        Raises:
            UsageError: there is no corpus of that name.
            NotIndexed: it, or any at all, has no published snapshot.
        """
        corpora = self.corpora()
        if name is not None and name not in {corpus.name for corpus in corpora}:
            raise self.unknown(name)
        published = [
            corpus for corpus in corpora if corpus.name == (name or corpus.name) and corpus.current is not None
        ]
        if not published:
            what = f"the corpus {name!r} has no published index" if name else f"nothing is indexed yet in {self.root}"
            raise NotIndexed(what, fix="gitcontext index URL_OR_PATH[@REV] --name NAME")
        return max(published, key=lambda corpus: (corpus.pointer.stat().st_mtime_ns, corpus.name))

    def unknown(self, name: str) -> UsageError:
        """That there is no corpus of that name."""
        known = ", ".join(corpus.name for corpus in self.corpora()) or f"none yet in {self.root}"
        plain = name if name.isidentifier() else "NAME"  # a link can hold any, and a command is there to be copied
        return UsageError(f"no corpus {name!r} (known: {known})", fix=f"gitcontext index URL_OR_PATH --name {plain}")


@dataclass(frozen=True)
class CorpusState:
    """The directory of one corpus."""

    name: str
    directory: Path

    @cached_property
    def snapshots(self) -> Path:
        return self.directory / "snapshots"

    @property
    def pointer(self) -> Path:
        """The file that names the published snapshot; replaced by rename, never edited."""
        return self.directory / "current"

    @property
    def current(self) -> Path | None:
        """The published snapshot's directory, or None; a pointer that names no snapshot counts as missing."""
        try:
            name = self.pointer.read_text(encoding="ascii").strip()
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError, UnicodeDecodeError):
            return None
        snapshot = self.snapshots / name
        return snapshot if _SNAPSHOT.fullmatch(name) and (snapshot / "manifest.json").is_file() else None

    def manifest(self, step: str) -> dict[str, Any] | None:
        """What the last finished run of a step outside the snapshots recorded."""
        found = read_json(self.directory / f"{step}.json")
        return found if isinstance(found, dict) else None
