"""The checks find what is wrong in a chunk table, whatever the steps said about it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from gitcontext_pipeline.corpus.spec import CorpusSpec
from gitcontext_pipeline.state import State
from gitcontext_pipeline.steps.audits import Finding, lines_covered, permalinks_resolve, provenance_complete
from gitcontext_pipeline.steps.material import build_chunks, check_out
from gitcontext_pipeline.steps.pull_requests import cache_pull_requests
from gitcontext_pipeline.steps.snapshots import candidate
from gitcontext_pipeline.steps.workspace import Workspace
from tests.sample import sample_repository

CHECKS = (permalinks_resolve, provenance_complete, lines_covered)
Row = dict[str, Any]


@pytest.fixture
def workspace(state: State, tmp_path: Path) -> Workspace:
    repository = sample_repository(tmp_path / "repository")
    origin = {"git": str(repository.path), "revision": repository.head}
    spec = CorpusSpec.model_validate({"name": "sample", "github": "acme/client", "origins": [origin]})
    made = Workspace(spec, state, tmp_path)
    check_out(made)
    cache_pull_requests(made)
    build_chunks(made)
    return made


def spoil(workspace: Workspace, change: Callable[[Row], Row | None], **of: str) -> None:
    """Rewrite the chunk table with the first row that has the columns of `of` changed, or left out."""
    path = candidate(workspace) / "chunks.parquet"
    table = pq.read_table(path)
    rows = table.to_pylist()
    place = next(n for n, row in enumerate(rows) if all(row[name] == value for name, value in of.items()))
    changed = change(rows[place])
    rows[place : place + 1] = [] if changed is None else [changed]
    pq.write_table(pa.Table.from_pylist(rows, schema=table.schema), path)


def failing(workspace: Workspace) -> dict[str, Finding]:
    return {check.__name__: found for check in CHECKS if not (found := check(workspace)).passed}


def test_a_table_as_it_was_made_passes(workspace: Workspace) -> None:
    assert failing(workspace) == {}
    assert all(check(workspace).checked for check in CHECKS)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda row: row | {"text": row["text"].replace("60.0", "90.0")}, id="other text"),
        pytest.param(lambda row: row | {"text": ""}, id="no text"),
        pytest.param(lambda row: row | {"url": row["url"].replace("#L", "#L1")}, id="other lines"),
        pytest.param(lambda row: row | {"url": row["url"].replace(row["revision"], "0" * 40)}, id="other revision"),
        pytest.param(lambda row: row | {"url": row["url"].replace("retry.py", "gone.py")}, id="other file"),
        pytest.param(lambda row: row | {"url": "https://example.org/"}, id="no link to lines"),
    ],
)
def test_a_link_that_leads_elsewhere_is_found(workspace: Workspace, change: Callable[[Row], Row]) -> None:
    spoil(workspace, change, path="retry.py", symbol="backoff_delay")
    found = failing(workspace)
    assert found.keys() == {"permalinks_resolve"}
    assert found["permalinks_resolve"].wrong == len(found["permalinks_resolve"].examples) == 1


@pytest.mark.parametrize(
    ("of", "change"),
    [
        ({"kind": "code"}, lambda row: row | {"revision": "HEAD"}),
        ({"kind": "pull_request"}, lambda row: row | {"commit": None}),
        ({"kind": "commit"}, lambda row: row | {"commit": "abc"}),
    ],
)
def test_a_chunk_without_provenance_is_found(
    workspace: Workspace, of: dict[str, str], change: Callable[[Row], Row]
) -> None:
    spoil(workspace, change, **of)
    assert failing(workspace)["provenance_complete"].wrong == 1


def test_lines_in_no_chunk_are_named(workspace: Workspace) -> None:
    spoil(workspace, lambda row: None, path="retry.py", symbol="is_retryable")
    found = failing(workspace)
    assert found.keys() == {"lines_covered"}
    assert found["lines_covered"].examples == ("retry.py:9", "retry.py:10")
