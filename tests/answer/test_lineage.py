"""What an answer says about where its evidence comes from, and what became of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gitcontext_pipeline.answer.evidence import Answer
from gitcontext_pipeline.answer.lineage import Lineages
from gitcontext_pipeline.chunks import table
from gitcontext_pipeline.chunks.table import Chunk
from gitcontext_pipeline.retrieval.result import Result

PIN, OLD, NEW = "a" * 40, "b" * 40, "c" * 40
LINK = f"https://github.com/ada/demo/blob/{PIN}/a.py#L1-L2"


def chunk(**fields: Any) -> Chunk:
    made: dict[str, Any] = {
        "corpus": "demo", "kind": "code", "path": "a.py", "language": "python", "role": "main", "symbol": "wait",
        "symbol_kind": "function", "signature": "", "doc": "", "start_line": 1, "end_line": 2, "text": "def wait(): …",
        "history": (), "paths": (), "revision": PIN, "commit": None, "pr": None, "author": None, "date": None,
        "url": LINK,
    }  # fmt: skip
    return Chunk(**{**made, **fields})


def change(commit: str, **fields: Any) -> Chunk:
    told = {
        "kind": "pull_request", "path": "", "symbol": None, "symbol_kind": None, "commit": commit, "author": "Ada",
        "date": "2026-01-02T03:04:05Z", "url": f"https://github.com/ada/demo/commit/{commit}", "text": commit,
    }  # fmt: skip
    return chunk(**{**told, **fields})


@pytest.fixture
def rows(tmp_path: Path) -> list[dict[str, Any]]:
    chunks = [
        chunk(introduced=OLD, changed=NEW),
        change(OLD, pr=7, signature="Wait longer", stands=(LINK,)),
        change(
            OLD, pr=7, signature="Wait longer", symbol_kind="review", text="a thread", author="bob", url="the thread"
        ),
        change(NEW, kind="commit", signature="Say why"),
    ]
    table.write(chunks, tmp_path / "chunks.parquet")
    found: list[dict[str, Any]] = table.read(tmp_path / "chunks.parquet").to_pylist()
    return found


@pytest.fixture
def told(rows: list[dict[str, Any]], tmp_path: Path) -> str:
    names = [name for name in Result.__dataclass_fields__ if name in rows[0]]
    evidence = tuple(Result(score=1.0, **{name: row[name] for name in names}) for row in rows)
    lineage = Lineages(table.read(tmp_path / "chunks.parquet")).of(row["id"] for row in rows)
    return Answer("Why wait?", "demo", PIN, evidence, lineage=lineage).as_markdown()


def test_code_says_which_change_introduced_it_and_which_one_changed_it_last(told: str) -> None:
    assert f"introduced in #7, Wait longer, 2026-01-02: https://github.com/ada/demo/commit/{OLD}" in told
    assert f"last changed in commit {NEW[:12]}, Say why, 2026-01-02: https://github.com/ada/demo/commit/{NEW}" in told


def test_a_change_says_that_it_describes_the_code_as_it_was_and_where_its_lines_stand(told: str) -> None:
    assert f"a pull request by Ada, merged on 2026-01-02; it describes the code as it was merged: {OLD}" in told
    assert f"its lines still stand at {LINK}" in told
    assert f"a commit by Ada on 2026-01-02; it describes the code as of {NEW}" in told
    assert f"none of its lines stands any more in the files indexed at {PIN}" in told


def test_a_review_says_what_it_is_about(told: str) -> None:
    assert f"a review by bob on 2026-01-02, about the code as pull request #7 merged it: {OLD}" in told
    assert "    the thread\n" in told


def test_a_snapshot_of_an_older_version_has_no_lineage(rows: list[dict[str, Any]], tmp_path: Path) -> None:
    old = table.read(tmp_path / "chunks.parquet").drop_columns(["introduced", "changed", "stands"])
    assert Lineages(old).of(row["id"] for row in rows) == {}


def test_a_chunk_of_another_snapshot_has_no_lineage(rows: list[dict[str, Any]], tmp_path: Path) -> None:
    assert Lineages(table.read(tmp_path / "chunks.parquet")).of(["0" * 16]) == {}
