"""The table of merged pull requests, one row each, as Parquet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from gitcontext_pipeline.corpus.changes import Change
from gitcontext_pipeline.errors import GitContextError
from gitcontext_pipeline.storage import write_atomic

FROM_HISTORY = "git history"


@dataclass(frozen=True, slots=True)
class PullRequest:
    """A merged pull request. Dates are ISO 8601 in UTC; `reverts` has commit ids and references of what it takes back.

    `discussion` is empty for rows whose `source` is the git history alone.
    """

    number: int
    title: str
    body: str
    discussion: str
    merge_sha: str
    author: str
    created: str
    merged: str
    files: tuple[str, ...]
    commits: tuple[str, ...]
    reverts: tuple[str, ...]
    source: str = FROM_HISTORY


def build_pull_requests(changes: Iterable[Change]) -> list[PullRequest]:
    """The pull requests among `changes`, in their order.

    A number that comes twice (merged, undone by a force push or a revert, and merged again) keeps a row per merge.
    """
    return [
        PullRequest(
            number=change.number,
            title=change.title,
            body=change.body,
            discussion="",
            merge_sha=change.sha,
            author=change.author,
            created=change.authored,
            merged=change.date,
            files=tuple(path.path for path in change.paths),
            commits=tuple(commit.sha for commit in change.commits),
            reverts=change.reverts,
        )
        for change in changes
        if change.number is not None
    ]


def write_pull_requests(rows: Sequence[PullRequest], path: Path) -> None:
    """Replace the Parquet file `path` by `rows`."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns: dict[str, Any] = {field.name: pa.string() for field in fields(PullRequest)}
    columns |= {"number": pa.int64()} | {name: pa.list_(pa.string()) for name in ("files", "commits", "reverts")}
    table = pa.Table.from_pylist([asdict(row) for row in rows], schema=pa.schema(list(columns.items())))
    buffer = pa.BufferOutputStream()
    pq.write_table(table, buffer, compression="zstd")
    write_atomic(path, buffer.getvalue().to_pybytes())


def read_pull_requests(path: Path) -> list[PullRequest]:
    """The rows of a file that `write_pull_requests` wrote."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        # Not the dataset reader: a path with `key=value` in it would grow a column of that name.
        rows = pq.ParquetFile(path).read().to_pylist()
        return [PullRequest(**_tuples(row)) for row in rows]
    except (OSError, pa.ArrowException, TypeError) as error:
        raise GitContextError(
            f"the table of pull requests cannot be read ({error})",
            where=path,
            fix="Materialize pr_cache again.",
        ) from error


def _tuples(row: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in row.items()}
