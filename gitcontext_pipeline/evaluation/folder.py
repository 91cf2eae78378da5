"""A folder of files as a corpus view: for retrievers whose corpus is not one of ours, without building an index.

It tells where symbols are defined, whether gold exists at all, and what candidates can be mined from. Files are read
as they lie there, not as they were committed: that is what a retriever over a work tree sees.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from gitcontext_pipeline.chunks.skip import MOST_BYTES, why_skipped
from gitcontext_pipeline.chunks.splitter import split
from gitcontext_pipeline.errors import UsageError
from gitcontext_pipeline.evaluation.corpus_view import CorpusView


def folder_view(folder: Path, advance: Callable[[int, int], None] = lambda done, total: None) -> CorpusView:
    """The passages of every text file under `folder`: in a git work tree those that git does not ignore, elsewhere
    those that are not hidden. Raises UsageError when there is no such folder, or nothing to read in it."""
    if not folder.is_dir():
        raise UsageError("no such folder", where=folder, fix="Name the folder that the retriever searches.")
    rows = list(_rows(folder, advance))
    if not rows:
        raise UsageError("holds no text", where=folder, fix="Name the folder that the retriever searches.")
    return CorpusView.from_rows(rows)


def repository_of(folder: Path) -> Path | None:
    """`folder` if it is the top of a git repository with a commit, so that paths of both are the same."""
    told = _git(folder, "rev-parse", "--show-prefix", "HEAD")
    return folder if told is not None and told.startswith("\n") else None


def listed(folder: Path) -> list[str]:
    """Paths relative to `folder`, sorted, with forward slashes; no symbolic links."""
    told = _git(folder, "ls-files", "--cached", "--others", "--exclude-standard", "-z")
    names = [name for name in told.split("\0") if name] if told is not None else list(_walked(folder))
    return sorted({name for name in names if (folder / name).is_file() and not (folder / name).is_symlink()})


def _rows(folder: Path, advance: Callable[[int, int], None]) -> Iterator[dict[str, Any]]:
    names = listed(folder)
    for done, name in enumerate(names, 1):
        path = folder / name
        size = path.stat().st_size
        data = path.read_bytes() if size <= MOST_BYTES else b""
        if why_skipped(name, size, data) is None:
            text = data.decode("utf-8-sig", errors="replace")
            lines = text.split("\n")
            made = split(name, text)
            for span in made.spans:
                yield {
                    "path": name,
                    "kind": made.kind,
                    "symbol": span.symbol,
                    "symbol_kind": span.symbol_kind,
                    "signature": span.signature,
                    "doc": span.doc,
                    "start_line": span.start_line,
                    "end_line": span.end_line,
                    "text": span.text
                    if span.text is not None
                    else "\n".join(lines[span.start_line - 1 : span.end_line]),
                }
        advance(done, len(names))


def _walked(folder: Path) -> Iterator[str]:
    for where, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            if not name.startswith("."):
                yield (Path(where) / name).relative_to(folder).as_posix()


def _git(folder: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, check=False)
    except OSError:
        return None
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else None
