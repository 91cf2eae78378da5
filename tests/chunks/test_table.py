from __future__ import annotations

import dataclasses
import hashlib
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitcontext_pipeline.chunks.table import COLUMNS, Chunk, read, to_arrow, write

REVISION = "a" * 40


def chunk(**fields: Any) -> Chunk:
    made = {
        "corpus": "requests", "kind": "code", "path": "src/api.py", "language": "python", "role": "main",
        "symbol": "get", "symbol_kind": "function", "signature": "def get(url)", "doc": "Send a GET request.",
        "start_line": 3, "end_line": 9, "text": "def get(url): ...", "history": ("Add get",), "paths": (),
        "revision": REVISION, "commit": None, "pr": None, "author": None, "date": None,
        "url": f"git:{REVISION}:src/api.py#L3-L9",
    }  # fmt: skip
    return Chunk(**{**made, **fields})


def change(**fields: Any) -> Chunk:
    return chunk(
        kind="pull_request", path="", language="text", symbol=None, symbol_kind=None, signature="Add get", doc="",
        start_line=1, end_line=1, text="Add get", history=(), paths=("src/api.py",), commit="b" * 40, pr=7,
        author="Ada Lovelace", date="2026-01-02T03:04:05+00:00", url=f"git:{'b' * 40}", **fields,
    )  # fmt: skip


def ids(*chunks: Chunk) -> list[str]:
    return list(to_arrow(chunks).column("id").to_pylist())


def test_every_column_of_a_row_is_what_the_chunk_says() -> None:
    rows = to_arrow([chunk(), change()]).to_pylist()
    for row, made in zip(rows, [chunk(), change()], strict=True):
        assert list(row) == list(COLUMNS)
        for name in set(COLUMNS) - {"id"}:
            value = getattr(made, name)
            assert row[name] == (list(value) if isinstance(value, tuple) else value)
        assert len(row["id"]) == 16
        assert row["text_sha256"] == hashlib.sha256(made.text.encode()).hexdigest()


def test_columns_have_their_types_even_where_all_values_are_missing() -> None:
    for table in (to_arrow([]), to_arrow([chunk()]), to_arrow([change()])):
        found = {field.name: field.type for field in table.schema}
        assert found == {
            name: {"string": pa.string(), "int32": pa.int32(), "list<string>": pa.list_(pa.string())}[kind]
            for name, (kind, _) in COLUMNS.items()
        }


def test_every_column_is_described() -> None:
    assert all(len(description) > 10 for _, description in COLUMNS.values())
    assert set(COLUMNS) - {"id", "text_sha256"} == {field.name for field in dataclasses.fields(Chunk)}


def test_what_was_written_is_read(tmp_path: Path) -> None:
    chunks = [chunk(text="naïve 日本\n\x0c\r\n"), change(), chunk(symbol=None, history=())]
    write(chunks, tmp_path / "chunks.parquet")
    assert read(tmp_path / "chunks.parquet").equals(to_arrow(chunks))
    assert pq.read_schema(tmp_path / "chunks.parquet").names == list(COLUMNS)


def test_a_folder_called_like_a_partition_adds_no_column(tmp_path: Path) -> None:
    folder = tmp_path / "corpus=requests" / "kind=7"
    folder.mkdir(parents=True)
    write([chunk()], folder / "chunks.parquet")
    assert read(folder / "chunks.parquet").equals(to_arrow([chunk()]))


def test_no_chunks(tmp_path: Path) -> None:
    write([], tmp_path / "chunks.parquet")
    table = read(tmp_path / "chunks.parquet")
    assert (table.num_rows, table.column_names) == (0, list(COLUMNS))


class TestIds:
    def test_they_stay_when_lines_above_or_the_revision_change(self) -> None:
        moved = chunk(start_line=30, end_line=36, revision="c" * 40, url="elsewhere", history=("Other",), doc="x")
        assert ids(moved) == ids(chunk())

    def test_they_stay_when_another_file_changes(self) -> None:
        first, other, last = chunk(path="a.py"), chunk(path="b.py"), chunk(path="c.py")
        before = ids(first, other, last)
        more = chunk(path="b.py", text="new")
        assert ids(first, more, other, last) == [before[0], *ids(more), before[1], before[2]]
        assert ids(first, last) == [before[0], before[2]]

    @pytest.mark.parametrize(
        "fields", [{"corpus": "flask"}, {"path": "b.py"}, {"symbol": "post"}, {"symbol": None}, {"text": "other"}]
    )
    def test_another_passage_has_another_id(self, fields: dict[str, Any]) -> None:
        assert ids(chunk(**fields)) != ids(chunk())

    def test_two_changes_of_the_same_words_differ(self) -> None:
        assert ids(change()) != ids(dataclasses.replace(change(), commit="d" * 40))

    def test_equal_passages_of_one_file_count_upwards(self) -> None:
        twice = ids(chunk(start_line=1), chunk(start_line=20))
        assert len(set(twice)) == 2
        assert ids(chunk(), chunk(path="b.py"), chunk())[::2] == twice

    @given(
        st.lists(
            st.builds(
                chunk,
                path=st.sampled_from(["a.py", "b.py", "a", "b"]),
                symbol=st.none() | st.sampled_from(["", "a", "b", "py"]),
                text=st.sampled_from(["", "x", "y"]),
            ),
            max_size=30,
        )
    )
    def test_they_are_unique_and_the_same_again(self, chunks: list[Chunk]) -> None:
        found = ids(*chunks)
        assert len(set(found)) == len(chunks)
        assert ids(*chunks) == found
        assert all(len(each) == 16 and int(each, 16) >= 0 for each in found)
