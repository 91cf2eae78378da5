from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from gitcontext_pipeline.index.embedding_cache import EmbeddingCache
from tests.fakes.embedder import FakeEmbedder


def encode(directory: Path, embedder: FakeEmbedder, *texts: str) -> int:
    """How many were embedded anew; that the vectors are those of the texts is asserted."""
    matrix, anew = EmbeddingCache(directory, embedder).encode(texts)
    reference = FakeEmbedder(digest=embedder.digest, dimension=embedder.dimension)
    np.testing.assert_array_equal(matrix, reference.encode_documents(texts))
    assert matrix.dtype == np.float32
    return anew


def change_rows(directory: Path, statement: str) -> None:
    (file,) = directory.glob("*.sqlite")
    with closing(sqlite3.connect(file)) as database, database:
        assert database.execute(statement).rowcount > 0


def test_only_new_text_is_embedded(tmp_path: Path) -> None:
    embedder = FakeEmbedder()
    assert encode(tmp_path, embedder, "a", "b") == 2
    assert encode(tmp_path, embedder, "b", "c", "a") == 1
    assert encode(tmp_path, embedder, "a", "b", "c") == 0
    assert embedder.asked == ["a", "b", "c"]


def test_a_text_that_comes_twice_is_embedded_once(tmp_path: Path) -> None:
    embedder = FakeEmbedder()
    assert encode(tmp_path, embedder, "a", "b", "a", "a") == 2
    assert embedder.asked == ["a", "b"]


def test_more_texts_than_a_batch_or_a_query_takes(tmp_path: Path) -> None:
    texts = [f"text {number}" for number in range(1300)]
    embedder = FakeEmbedder()
    assert encode(tmp_path, embedder, *texts) == 1300
    assert encode(tmp_path, embedder, *reversed(texts)) == 0


def test_no_texts(tmp_path: Path) -> None:
    matrix, anew = EmbeddingCache(tmp_path, FakeEmbedder(dimension=8)).encode([])
    assert (matrix.shape, anew) == ((0, 8), 0)


@pytest.mark.parametrize("text", ["", "\0", "日本", "\ud800", "x" * 100_000])
def test_any_text_is_a_key_of_its_own(tmp_path: Path, text: str) -> None:
    class Blind(FakeEmbedder):
        def encode_query(self, text: str) -> np.ndarray:  # type: ignore[type-arg]
            return super().encode_query(ascii(text))

    embedder = Blind()
    cache = EmbeddingCache(tmp_path, embedder)
    assert [cache.encode([each])[1] for each in (text, text + "x", text)] == [1, 1, 0]


def test_progress_adds_up_to_all_texts(tmp_path: Path) -> None:
    told: list[int] = []
    cache = EmbeddingCache(tmp_path, FakeEmbedder())
    cache.encode(["a", "b"])
    cache.encode(["a", "b", "c", "c", *map(str, range(200))], told.append)
    assert sum(told) == 204


def test_two_models_do_not_share(tmp_path: Path) -> None:
    small, large, other = FakeEmbedder(digest="1" * 12), FakeEmbedder(digest="2" * 12, dimension=16), FakeEmbedder("b")
    assert [encode(tmp_path, each, "a") for each in (small, large, other)] == [1, 1, 1]
    assert [encode(tmp_path, each, "a") for each in (small, large, other)] == [0, 0, 0]


@pytest.mark.parametrize("name", ["BAAI/bge-small-en", "../../etc/passwd", "/models/mine", "a b:c", "é"])
def test_the_file_stays_in_its_directory_whatever_the_model_is_called(tmp_path: Path, name: str) -> None:
    encode(tmp_path / "embeddings", FakeEmbedder(name), "a")
    assert [path.name for path in tmp_path.iterdir()] == ["embeddings"]
    assert {path.is_file() for path in (tmp_path / "embeddings").iterdir()} == {True}


def test_damaged_rows_are_embedded_again(tmp_path: Path) -> None:
    embedder = FakeEmbedder()
    encode(tmp_path, embedder, "a", "b", "c")
    change_rows(tmp_path, "UPDATE vectors SET vector = x'0000'")
    assert encode(tmp_path, embedder, "a", "b", "c") == 3
    assert encode(tmp_path, embedder, "a", "b", "c") == 0


@pytest.mark.parametrize("damage", ["all", "beginning", "middle", "half"])
def test_a_damaged_file_is_begun_anew(tmp_path: Path, damage: str) -> None:
    embedder = FakeEmbedder(dimension=64)
    texts = [str(number) for number in range(200)]
    encode(tmp_path, embedder, *texts)
    (file,) = tmp_path.glob("*.sqlite")
    content = bytearray(file.read_bytes())
    if damage == "all":
        content[:] = b"this is no database, it was overwritten" * 100
    elif damage == "beginning":
        content[:100] = b"\0" * 100
    elif damage == "middle":
        content[4096:] = b"\xff" * (len(content) - 4096)
    else:
        del content[len(content) // 2 :]
    file.write_bytes(content)
    assert encode(tmp_path, embedder, *texts) == 200
    assert encode(tmp_path, embedder, *texts) == 0


PROGRAM = """
import pathlib, sys
from gitcontext_pipeline.index.embedding_cache import EmbeddingCache
from tests.fakes.embedder import FakeEmbedder

embedder = FakeEmbedder()
first = int(sys.argv[2])
for start in range(first, first + 600, 100):
    texts = [str(number) for number in range(start, start + 200)]
    EmbeddingCache(pathlib.Path(sys.argv[1]), embedder).encode(texts)
print(len(embedder.asked))
"""


def test_two_processes_at_once_share_what_they_embed(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    commands = [[sys.executable, "-c", PROGRAM, str(tmp_path), start] for start in ("0", "300")]
    workers = [subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True) for command in commands]
    asked = [int(worker.communicate(timeout=60)[0]) for worker in workers]
    assert [worker.returncode for worker in workers] == [0, 0]
    assert 1000 <= sum(asked) <= 1400
    assert encode(tmp_path, FakeEmbedder(), *map(str, range(1000))) == 0


def test_what_was_embedded_before_a_kill_is_kept(tmp_path: Path) -> None:
    class Killed(FakeEmbedder):
        def encode_query(self, text: str) -> np.ndarray:  # type: ignore[type-arg]
            if len(self.asked) == 150:
                raise KeyboardInterrupt
            return super().encode_query(text)

    texts = [str(number) for number in range(200)]
    with pytest.raises(KeyboardInterrupt):
        EmbeddingCache(tmp_path, Killed()).encode(texts)
    assert 0 < encode(tmp_path, FakeEmbedder(), *texts) < 200
