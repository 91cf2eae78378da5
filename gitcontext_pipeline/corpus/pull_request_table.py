"""The table of merged pull requests on disk: one Parquet file, one row each, nested where the rows are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gitcontext_pipeline.corpus.discussion import Comment, LinkedIssue, ReviewThread
from gitcontext_pipeline.corpus.pull_requests import PullRequest
from gitcontext_pipeline.errors import GitContextError
from gitcontext_pipeline.storage import write_atomic

if TYPE_CHECKING:
    import pyarrow as pa

PULL_REQUESTS = "pull_requests.parquet"
"""The file of that table in the directory of a corpus."""

_LISTS = ("files", "symbols", "commits", "reverts", "labels", "changelog")


def write_pull_requests(rows: Sequence[PullRequest], path: Path) -> None:
    """Replace the Parquet file `path` by `rows`."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    records = [{**asdict(row), "sources": list(row.sources.items())} for row in rows]
    buffer = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_pylist(records, schema=_schema()), buffer, compression="zstd")
    write_atomic(path, buffer.getvalue().to_pybytes())


def read_pull_requests(path: Path) -> list[PullRequest]:
    """The rows of a file that `write_pull_requests` wrote.

    Raises:
        GitContextError: it is missing, damaged, or was written by another version.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        # Not the dataset reader: a path with `key=value` in it would grow a column of that name.
        return [_row(record) for record in pq.ParquetFile(path).read().to_pylist()]
    except (OSError, pa.ArrowException, TypeError, KeyError) as error:
        raise GitContextError(
            f"the table of pull requests cannot be read ({error})",
            where=path,
            fix="Materialize pr_cache again.",
        ) from error


def _schema() -> pa.Schema:
    import pyarrow as pa

    comment = _struct(Comment, chatter=pa.bool_())
    thread = _struct(
        ReviewThread, start_line=pa.int32(), line=pa.int32(), resolved=pa.bool_(), comments=pa.list_(comment)
    )
    types: dict[str, Any] = {
        **dict.fromkeys(_LISTS, pa.list_(pa.string())),
        "number": pa.int64(),
        "issues": pa.list_(_struct(LinkedIssue, number=pa.int64())),
        "threads": pa.list_(thread),
        "comments": pa.list_(comment),
        "sources": pa.map_(pa.string(), pa.string()),
    }
    return pa.schema([(each.name, types.get(each.name, pa.string())) for each in fields(PullRequest)])


def _struct(kind: Any, **types: Any) -> pa.DataType:
    import pyarrow as pa

    return pa.struct([(each.name, types.get(each.name, pa.string())) for each in fields(kind)])


def _row(record: Mapping[str, Any]) -> PullRequest:
    return PullRequest(
        **{
            **record,
            **{name: tuple(record[name]) for name in _LISTS},
            "issues": tuple(LinkedIssue(**issue) for issue in record["issues"]),
            "threads": tuple(
                ReviewThread(**{**thread, "comments": _comments(thread["comments"])}) for thread in record["threads"]
            ),
            "comments": _comments(record["comments"]),
            "sources": dict(record["sources"]),
        }
    )


def _comments(records: Sequence[Mapping[str, Any]]) -> tuple[Comment, ...]:
    return tuple(Comment(**record) for record in records)
