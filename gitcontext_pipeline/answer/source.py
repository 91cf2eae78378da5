"""Lines of the pinned revision, read from the object database: what a link leads to, with what stands around it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from gitcontext_pipeline.chunks.skip import MOST_BYTES
from gitcontext_pipeline.corpus.checkout import Checkout
from gitcontext_pipeline.corpus.origins import read_checkout
from gitcontext_pipeline.corpus.permalinks import file_url
from gitcontext_pipeline.errors import UsageError
from gitcontext_pipeline.state import CorpusState
from gitcontext_pipeline.storage import read_json

_PLACE = re.compile(r"(?P<path>.+?)(?::|#L)(?P<start>\d+)(?:-L?(?P<end>\d+))?", re.DOTALL)
_LARGEST = 10**9
SUGGESTED = 3


@dataclass(frozen=True, slots=True)
class Place:
    """Lines of a file of the corpus, 1-based and inclusive."""

    path: str
    start: int
    end: int

    @classmethod
    def parse(cls, text: str) -> Place:
        """Understand `FILE:LINE`, `FILE:FIRST-LAST` and `FILE#L1-L9`; raises UsageError."""
        found = _PLACE.fullmatch(text)
        if found is None:
            raise UsageError(f"{text!r} names no line", fix="e.g. src/module.py:12, or src/module.py:12-20")
        return cls.of(found["path"], int(found["start"][:12]), int((found["end"] or found["start"])[:12]))

    @classmethod
    def of(cls, path: str, start: int, end: int | None = None) -> Place:
        """The lines from `start` to `end`; raises UsageError where there can be none."""
        last = start if end is None else end
        if not 1 <= start <= _LARGEST:
            raise UsageError(f"there is no line {start}", fix="lines count from 1")
        if last < start:
            raise UsageError(f"{path}:{start}-{last} ends before it begins", fix="give the first line, then the last")
        return cls(path.removeprefix("./"), start, last)

    def __str__(self) -> str:
        return f"{self.path}:{self.start}" + (f"-{self.end}" if self.end > self.start else "")


@dataclass(frozen=True, slots=True)
class Source:
    """Lines of a file at the pinned revision. `text` holds `start_line` to `end_line`; `url` leads to exactly these."""

    path: str
    start_line: int
    end_line: int
    lines: int
    """How many lines the whole file has."""
    revision: str
    url: str
    text: str

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Pinned:
    """The tree that answers: that of the published snapshot. `repository` is what links lead to, None without one."""

    checkout: Checkout
    repository: str | None


def pinned(corpus: CorpusState, manifest: Mapping[str, Any] | None = None) -> Pinned:
    """The tree of the snapshot with that manifest, without one of the published snapshot, whatever was fetched since.

    Raises:
        NotIndexed: nothing was checked out, or that revision is not on disk.
    """
    if manifest is None:
        manifest = (read_json(corpus.current / "manifest.json") if corpus.current else None) or {}
    return Pinned(read_checkout(corpus.directory, manifest.get("revision")), manifest.get("github"))


def read_source(
    corpus: CorpusState, place: Place, context: int = 0, manifest: Mapping[str, Any] | None = None
) -> Source:
    """The lines of `place` and `context` lines on either side, as far as the file has them; `manifest` as `pinned`.

    Raises:
        UsageError: there is no such file, it has fewer lines, it is no text, or `context` is negative.
        NotIndexed: the revision is not on disk.
    """
    if context < 0:
        raise UsageError(f"context is {context}", fix="ask for no lines around it, or some")
    found = pinned(corpus, manifest)
    text = read_lines(found.checkout, place)
    start, end = max(1, place.start - context), min(len(text), place.end + context)
    revision = found.checkout.revision
    return Source(
        path=place.path,
        start_line=start,
        end_line=end,
        lines=len(text),
        revision=revision,
        url=file_url(found.repository, revision, place.path, start, end),
        text="\n".join(text[start - 1 : end]),
    )


def read_lines(checkout: Checkout, place: Place) -> list[str]:
    """Every line of the file of `place`, without line ends; bytes that are not UTF-8 are replaced.

    Raises:
        UsageError: there is no such file, it has fewer lines than `place` asks for, it is no text, or too large.
    """
    file = next((file for file in checkout.files() if file.path == place.path), None)
    if file is None:
        ending = f"/{place.path}"
        alike = [file.path for file in checkout.files() if file.path.endswith(ending) and file.path.isprintable()]
        raise UsageError(
            f"there is no file {place.path!r} at {checkout.revision[:12]}",
            fix=f"is it {' or '.join(alike[:SUGGESTED])}?" if alike else "give its path from the top of the repository",
        )
    if file.size > MOST_BYTES:
        raise UsageError(
            f"{place.path} is too large to be indexed or shown", where=str(place), fix="open it in a clone"
        )
    data = checkout.read(file)
    if b"\0" in data[:8000]:
        raise UsageError(f"{place.path} is no text", where=str(place), fix="only text files have lines to show")
    # Lines as git and GitHub count them: only a line feed ends one.
    lines = data.decode(errors="replace").removesuffix("\n").split("\n") if data else []
    if place.end > len(lines):
        raise UsageError(f"{place.path} has {len(lines)} lines at {checkout.revision[:12]}", where=str(place))
    return lines
