"""What the checks verify, from the files themselves and not from what a step said about them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from gitcontext_pipeline.chunks import table
from gitcontext_pipeline.chunks.splitter import split
from gitcontext_pipeline.corpus.checkout import Checkout, TreeFile
from gitcontext_pipeline.corpus.origins import read_checkout
from gitcontext_pipeline.corpus.permalinks import read_file_url
from gitcontext_pipeline.steps.snapshots import candidate
from gitcontext_pipeline.steps.workspace import Workspace

NAMED = 10
"""How many offenders a finding names."""


@dataclass(frozen=True, slots=True)
class Finding:
    """How many things were looked at, and the first of those that are not as they should be."""

    checked: int
    wrong: int
    examples: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        return self.wrong == 0


def permalinks_resolve(workspace: Workspace) -> Finding:
    """Every link of a file's chunk names the indexed revision and lines that hold exactly the excerpt.

    An excerpt that is not its lines to the letter, as a notebook's cell is not, must be what the splitter reads there.
    """
    checkout = read_checkout(workspace.corpus.directory)
    files = {file.path: file for file in checkout.files()}
    rows = [row for row in _rows(workspace) if row["kind"] in {"code", "docs"}]
    wrong: list[str] = []
    for path, chunks in groupby(rows, key=lambda row: str(row["path"])):
        lines = _lines(checkout, files[path]) if path in files else []
        others: list[tuple[str, tuple[int, int, str]]] = []
        for row in chunks:
            url, link = row["url"], read_file_url(row["url"])
            if link is None or (link.revision, link.path) != (checkout.revision, path) or path not in files:
                wrong.append(url)
            elif not row["text"] or "\n".join(lines[link.start_line - 1 : link.end_line]) != row["text"]:
                others.append((url, (link.start_line, link.end_line, row["text"])))
        rewritten = _rewritten(path, lines) if others else ()
        wrong += [url for url, passage in others if passage not in rewritten]
    return Finding(len(rows), len(wrong), tuple(wrong[:NAMED]))


def _rewritten(path: str, lines: Sequence[str]) -> set[tuple[int, int, str]]:
    """The passages of a file that are not its lines to the letter."""
    spans = split(path, "\n".join(lines)).spans
    return {(span.start_line, span.end_line, span.text) for span in spans if span.text is not None}


def provenance_complete(workspace: Workspace) -> Finding:
    """Every chunk says where it is from: revision, link, lines, and a commit id where it is a change."""
    rows = _rows(workspace)
    wrong = [row["id"] for row in rows if not _has_provenance(row)]
    return Finding(len(rows), len(wrong), tuple(wrong[:NAMED]))


def lines_covered(workspace: Workspace) -> Finding:
    """Every non-blank line of every indexed file is in a chunk, or among the lines left out on purpose."""
    checkout = read_checkout(workspace.corpus.directory)
    spans: dict[str, list[tuple[int, int]]] = {}
    for row in _rows(workspace):
        if row["kind"] in {"code", "docs"}:
            spans.setdefault(row["path"], []).append((row["start_line"], row["end_line"]))
    checked = 0
    wrong: list[str] = []
    for file in checkout.files():
        if file.path not in spans:
            continue
        lines = _lines(checkout, file)
        wanted = {number for number, line in enumerate(lines, 1) if line.strip()}
        checked += len(wanted)
        for start, end in spans[file.path]:
            wanted -= set(range(start, end + 1))
        if wanted:
            for omission in split(file.path, "\n".join(lines)).omissions:
                wanted -= set(range(omission.start_line, omission.end_line + 1))
        wrong += [f"{file.path}:{number}" for number in sorted(wanted)]
    return Finding(checked, len(wrong), tuple(wrong[:NAMED]))


def _rows(workspace: Workspace) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = table.read(candidate(workspace) / "chunks.parquet").to_pylist()
    return rows


def _lines(checkout: Checkout, file: TreeFile) -> list[str]:
    return checkout.read(file).decode("utf-8-sig", errors="replace").split("\n")


def _has_provenance(row: dict[str, Any]) -> bool:
    if not re.fullmatch(r"[0-9a-f]{40}", row["revision"] or "") or not row["url"]:
        return False
    if row["kind"] in {"commit", "pull_request"}:
        return bool(re.fullmatch(r"[0-9a-f]{40}", row["commit"] or ""))
    return bool(row["path"]) and 1 <= row["start_line"] <= row["end_line"]


def index_rows(workspace: Workspace) -> Iterator[tuple[str, int]]:
    """Rows of the chunk table, of the vector index and of each field of the BM25 index, which must all be equal."""
    from gitcontext_pipeline.index import bm25, texts, vectors

    snapshot = candidate(workspace)
    yield "chunks", len(_rows(workspace))
    yield "vector_index", len(vectors.load(snapshot / "lancedb").ids)
    for field in texts.FIELDS:
        yield f"bm25_index/{field}", bm25.load(snapshot / "bm25" / field).size
