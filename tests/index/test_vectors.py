from __future__ import annotations

from pathlib import Path

import lancedb
import numpy as np
import pytest
from numpy.typing import NDArray

from gitcontext_pipeline.index.vectors import TABLE, load, save


def unit_vectors(rows: int, dimension: int, seed: int) -> NDArray[np.float32]:
    drawn = np.random.default_rng(seed).normal(size=(rows, dimension))
    return (drawn / np.linalg.norm(drawn, axis=1, keepdims=True)).astype(np.float32)


@pytest.mark.parametrize("rows", [1, 2, 5000])
def test_rows_come_back_in_their_order(tmp_path: Path, rows: int) -> None:
    ids = [f"id{row}" for row in reversed(range(rows))]
    text, summary = unit_vectors(rows, 16, 1), unit_vectors(rows, 16, 2)
    save(tmp_path / "lancedb", ids, text, summary)
    index = load(tmp_path / "lancedb")
    assert index.ids == tuple(ids)
    np.testing.assert_array_equal(index.text, text)
    np.testing.assert_array_equal(index.summary, summary)
    assert index.text.dtype == index.summary.dtype == np.float32


def test_similarities_are_cosines_of_every_row(tmp_path: Path) -> None:
    text, summary = unit_vectors(200, 16, 1), unit_vectors(200, 16, 2)
    save(tmp_path / "lancedb", [str(row) for row in range(200)], text, summary)
    query = text[17]
    by_text, by_summary = load(tmp_path / "lancedb").similarities(query)
    for found, matrix in ((by_text, text), (by_summary, summary)):
        cosines = [float(row @ query / (np.linalg.norm(row) * np.linalg.norm(query))) for row in matrix]
        np.testing.assert_allclose(found, cosines, atol=1e-6)
    assert int(np.argmax(by_text)) == 17


def test_the_table_can_be_searched_with_lancedb_alone(tmp_path: Path) -> None:
    text = unit_vectors(50, 16, 1)
    save(tmp_path / "lancedb", [f"id{row}" for row in range(50)], text, unit_vectors(50, 16, 2))
    table = lancedb.connect(str(tmp_path / "lancedb")).open_table(TABLE)
    found = table.search(text[7], vector_column_name="vector").metric("cosine").limit(1).to_list()
    assert found[0]["id"] == "id7"


def test_an_empty_index(tmp_path: Path) -> None:
    nothing = np.zeros((0, 16), np.float32)
    save(tmp_path / "lancedb", [], nothing, nothing)
    index = load(tmp_path / "lancedb")
    assert index.ids == ()
    assert index.text.shape == index.summary.shape == (0, 16)
    assert [part.shape for part in index.similarities(unit_vectors(1, 16, 1)[0])] == [(0,), (0,)]


def test_a_slice_of_a_larger_matrix(tmp_path: Path) -> None:
    both = unit_vectors(6, 16, 1)
    save(tmp_path / "lancedb", ["a", "b", "c"], both[:3], both[3:])
    index = load(tmp_path / "lancedb")
    np.testing.assert_array_equal(index.text, both[:3])
    np.testing.assert_array_equal(index.summary, both[3:])
