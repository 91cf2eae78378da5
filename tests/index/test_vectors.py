from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import lancedb
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from gitcontext_pipeline.index.vector_copy import COPY, RECORD, read_copy
from gitcontext_pipeline.index.vectors import TABLE, VectorIndex, from_passages, is_readable, load, save


def unit_vectors(rows: int, seed: int) -> NDArray[np.float32]:
    drawn = np.random.default_rng(seed).normal(size=(rows, 16))
    return (drawn / np.linalg.norm(drawn, axis=1, keepdims=True)).astype(np.float32)


def index_of(*counts: int) -> VectorIndex:
    """Rows `id0`, `id1`, ... of `counts` passages."""
    ids = [f"id{row}" for row in range(len(counts))]
    return from_passages(ids, counts, unit_vectors(sum(counts), 1), unit_vectors(len(counts), 2))


def cosine(one: NDArray[np.float32], other: NDArray[np.float32]) -> float:
    return float(one @ other / (np.linalg.norm(one) * np.linalg.norm(other)))


@pytest.mark.parametrize("counts", [(1,), (1, 1), (3, 1, 7), tuple(1 + row % 4 for row in range(3000))])
def test_rows_and_their_passages_come_back_in_their_order(tmp_path: Path, counts: tuple[int, ...]) -> None:
    index = index_of(*counts)
    save(tmp_path / "lancedb", index)
    loaded = load(tmp_path / "lancedb")
    assert loaded.ids == index.ids
    for name in ("starts", "passages", "summary"):
        ours, theirs = getattr(loaded, name), getattr(index, name)
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)


def test_the_order_of_rows_is_not_that_of_their_ids(tmp_path: Path) -> None:
    index = from_passages(["z", "a", "m"], [1, 2, 1], unit_vectors(4, 1), unit_vectors(3, 2))
    save(tmp_path / "lancedb", index)
    assert load(tmp_path / "lancedb").ids == ("z", "a", "m")


@given(st.lists(st.integers(min_value=1, max_value=5), min_size=1, max_size=20), st.integers(0, 1000))
def test_a_row_is_as_near_as_its_best_passage(counts: list[int], seed: int) -> None:
    index = index_of(*counts)
    query = unit_vectors(1, seed + 10)[0]
    by_passage, by_summary = index.similarities(query)
    passages = iter(index.passages)
    best = [max(cosine(next(passages), query) for _ in range(count)) for count in counts]
    np.testing.assert_allclose(by_passage, best, atol=1e-6)
    np.testing.assert_allclose(by_summary, [cosine(summary, query) for summary in index.summary], atol=1e-6)


def test_what_was_saved_finds_the_same(tmp_path: Path) -> None:
    index = index_of(2, 3, 1, 4)
    save(tmp_path / "lancedb", index)
    by_passage, by_summary = load(tmp_path / "lancedb").similarities(index.passages[5])
    assert int(np.argmax(by_passage)) == 2
    assert by_passage[2] == pytest.approx(1)
    np.testing.assert_array_equal(by_summary, index.similarities(index.passages[5])[1])


def test_the_table_can_be_searched_with_lancedb_alone(tmp_path: Path) -> None:
    index = index_of(2, 3, 1, 4)
    save(tmp_path / "lancedb", index)
    table = lancedb.connect(str(tmp_path / "lancedb")).open_table(TABLE)
    (found,) = table.search(index.passages[3]).metric("cosine").limit(1).to_list()
    assert (found["id"], found["row"], found["part"]) == ("id1", 1, "passage")
    (found,) = table.search(index.summary[3]).metric("cosine").limit(1).to_list()
    assert (found["id"], found["row"], found["part"]) == ("id3", 3, "summary")


def test_an_empty_index(tmp_path: Path) -> None:
    save(tmp_path / "lancedb", index_of())
    index = load(tmp_path / "lancedb")
    assert index.ids == ()
    assert index.passages.shape == index.summary.shape == (0, 16)
    assert [part.shape for part in index.similarities(unit_vectors(1, 1)[0])] == [(0,), (0,)]


def test_a_reader_needs_no_lancedb(tmp_path: Path) -> None:
    save(tmp_path / "lancedb", index_of(2, 3))
    program = """
import sys
from pathlib import Path
from gitcontext_pipeline.index.vectors import load
print(load(Path(sys.argv[1])).ids, sorted({"lancedb", "pandas"} & set(sys.modules)))
"""
    command = [sys.executable, "-c", program, str(tmp_path / "lancedb")]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "('id0', 'id1') []\n"


def _missing(copy: Path) -> None:
    copy.unlink()


def _damaged(copy: Path) -> None:
    content = bytearray(copy.read_bytes())
    content[len(content) // 2] ^= 1
    copy.write_bytes(content)


def _of_another_table(copy: Path) -> None:
    other = copy.parent.parent / "other"
    save(other, index_of(1, 1, 1))
    for name in (COPY, RECORD):
        shutil.copy(other / name, copy.parent / name)


@pytest.mark.parametrize("spoil", [_missing, _damaged, _of_another_table])
def test_without_a_trustworthy_copy_the_table_answers_and_the_copy_is_made_again(
    tmp_path: Path, spoil: Callable[[Path], None]
) -> None:
    directory, index = tmp_path / "lancedb", index_of(2, 3, 1)
    save(directory, index)
    spoil(directory / COPY)
    assert read_copy(directory / "vectors.lance") is None
    np.testing.assert_array_equal(load(directory).passages, index.passages)
    assert is_readable(directory)
    assert read_copy(directory / "vectors.lance") is not None
    np.testing.assert_array_equal(load(directory).passages, index.passages)


def test_a_copy_without_its_table_is_no_index(tmp_path: Path) -> None:
    save(tmp_path / "lancedb", index_of(2))
    shutil.rmtree(tmp_path / "lancedb" / "vectors.lance")
    with pytest.raises(ValueError, match="not found"):
        load(tmp_path / "lancedb")
    assert not is_readable(tmp_path / "lancedb")


def test_a_damaged_table_is_no_index(tmp_path: Path) -> None:
    save(tmp_path / "lancedb", index_of(2))
    for manifest in (tmp_path / "lancedb" / "vectors.lance" / "_versions").iterdir():
        manifest.write_bytes(b"rubbish")
    assert not is_readable(tmp_path / "lancedb")
