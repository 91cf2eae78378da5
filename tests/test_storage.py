from __future__ import annotations

import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitcontext_pipeline.storage import (
    BESIDE,
    building,
    fingerprint,
    locked,
    read_json,
    sha256_file,
    sweep,
    write_atomic,
    write_json,
)


def names(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def content(directory: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in directory.iterdir()}


def killed(program: str, *arguments: object) -> None:
    """Run a program that kills itself in the middle of what it does."""
    done = subprocess.run([sys.executable, "-c", program, *map(str, arguments)], check=False, capture_output=True)
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()


class TestWriteAtomic:
    def test_it_makes_the_directories_and_replaces_the_file(self, tmp_path: Path) -> None:
        path = tmp_path / "a" / "b" / "file"
        write_atomic(path, "old")
        write_atomic(path, "naïve\n")
        assert path.read_bytes() == "naïve\n".encode()
        write_atomic(path, b"\xff\x00")
        assert path.read_bytes() == b"\xff\x00"
        assert names(path.parent) == ["file"]

    def test_others_may_read_it(self, tmp_path: Path) -> None:
        write_atomic(tmp_path / "file", "x")
        assert (tmp_path / "file").stat().st_mode & 0o777 == 0o644

    def test_a_failure_leaves_the_old_content_and_nothing_beside(self, tmp_path: Path) -> None:
        path = tmp_path / "file"
        path.mkdir()
        (path / "kept").write_text("x")
        with pytest.raises(OSError, match="file"):
            write_atomic(path, "a file cannot take the place of a directory that is not empty")
        assert names(tmp_path) == ["file"]
        assert content(path) == {"kept": "x"}

    def test_a_writer_killed_before_the_rename_leaves_the_old_content(self, tmp_path: Path) -> None:
        path = tmp_path / "file"
        path.write_text("old")
        killed(
            "import os, signal, sys, pathlib\n"
            "from gitcontext_pipeline import storage\n"
            "os.fsync = lambda handle: os.kill(os.getpid(), signal.SIGKILL)\n"
            "storage.write_atomic(pathlib.Path(sys.argv[1]), 'new' * 1000)\n",
            path,
        )
        assert path.read_text() == "old"
        sweep(tmp_path)
        assert names(tmp_path) == ["file"]

    def test_a_reader_never_sees_a_part(self, tmp_path: Path) -> None:
        path = tmp_path / "file"
        versions = {letter * 200_000 for letter in "ab"}
        write_atomic(path, "a" * 200_000)
        done = threading.Event()

        def write() -> None:
            for turn in range(60):
                write_atomic(path, "ab"[turn % 2] * 200_000)
            done.set()

        writer = threading.Thread(target=write)
        writer.start()
        seen: set[str] = set()
        while not done.is_set():
            seen.add(path.read_text())
        writer.join()
        assert seen <= versions


class TestJson:
    @settings(max_examples=30)
    @given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda x: st.lists(x), max_leaves=10))
    def test_what_was_written_is_read(self, tmp_path_factory: pytest.TempPathFactory, value: object) -> None:
        path = tmp_path_factory.getbasetemp() / "value.json"
        write_json(path, value)
        assert read_json(path) == value

    def test_equal_values_make_equal_files(self, tmp_path: Path) -> None:
        write_json(tmp_path / "a", {"b": 1, "a": "é"})
        write_json(tmp_path / "b", {"a": "é", "b": 1})
        assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
        assert "é" in (tmp_path / "a").read_text(encoding="utf-8")

    @pytest.mark.parametrize("damaged", [b"", b"{", b"\xff\xfe\x00", b"not json"])
    def test_a_damaged_file_counts_as_missing(self, tmp_path: Path, damaged: bytes) -> None:
        (tmp_path / "x.json").write_bytes(damaged)
        assert read_json(tmp_path / "x.json") is None

    def test_a_missing_file_is_none(self, tmp_path: Path) -> None:
        (tmp_path / "file").touch()
        assert read_json(tmp_path / "missing.json") is None
        assert read_json(tmp_path / "file" / "below.json") is None


class TestBuilding:
    def test_the_new_directory_takes_the_place_of_the_old_one(self, tmp_path: Path) -> None:
        target = tmp_path / "deep" / "index"
        for version in ("1", "2"):
            with building(target) as beside:
                assert names(beside) == []
                (beside / version).write_text(version)
                assert beside.parent == target.parent
        assert content(target) == {"2": "2"}
        assert names(target.parent) == ["index"]
        assert target.stat().st_mode & 0o777 == 0o755

    @pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
    def test_an_exception_leaves_the_old_directory(self, tmp_path: Path, error: type[BaseException]) -> None:
        target = tmp_path / "index"
        target.mkdir()
        (target / "old").write_text("old")

        def build() -> None:
            with building(target) as beside:
                (beside / "half").write_text("half")
                raise error

        with pytest.raises(error):
            build()
        assert content(target) == {"old": "old"}
        assert names(tmp_path) == ["index"]

    def test_an_exception_leaves_no_directory_where_there_was_none(self, tmp_path: Path) -> None:
        with pytest.raises(ValueError, match="no"), building(tmp_path / "index"):
            raise ValueError("no")
        assert names(tmp_path) == []

    def test_a_failure_between_the_two_renames_puts_the_old_one_back(self, tmp_path: Path) -> None:
        class Failing(type(tmp_path)):  # type: ignore[misc]
            def replace(self, target: Path) -> Path:
                moved = super().replace(target)
                if self.name == "index":
                    raise OSError("the disk is gone")
                return moved

        target = Failing(tmp_path / "index")
        target.mkdir()
        (target / "old").write_text("old")
        with pytest.raises(OSError, match="the disk is gone"), building(target):
            pass
        assert content(tmp_path / "index") == {"old": "old"}
        assert names(tmp_path) == ["index"]

    def test_what_a_killed_run_left_is_swept_by_the_next_one(self, tmp_path: Path) -> None:
        target = tmp_path / "index"
        target.mkdir()
        (target / "old").write_text("old")
        killed(
            "import os, signal, sys, pathlib\n"
            "from gitcontext_pipeline.storage import building\n"
            "with building(pathlib.Path(sys.argv[1])) as beside:\n"
            "    (beside / 'half').write_text('half')\n"
            "    os.kill(os.getpid(), signal.SIGKILL)\n",
            target,
        )
        assert content(target) == {"old": "old"}
        assert any(name.startswith(BESIDE) for name in names(tmp_path))
        with building(target) as beside:
            (beside / "new").write_text("new")
        assert names(tmp_path) == ["index"]
        assert content(target) == {"new": "new"}

    def test_a_run_killed_between_the_two_renames_loses_nothing(self, tmp_path: Path) -> None:
        target = tmp_path / "index"
        target.mkdir()
        (target / "old").write_text("old")
        killed(
            "import os, signal, sys, pathlib\n"
            "from gitcontext_pipeline.storage import building\n"
            "target = pathlib.Path(sys.argv[1])\n"
            "class Fatal(type(target)):\n"
            "    def replace(self, other):\n"
            "        super().replace(other)\n"
            "        os.kill(os.getpid(), signal.SIGKILL)\n"
            "with building(Fatal(target)) as beside:\n"
            "    (pathlib.Path(beside) / 'new').write_text('new')\n",
            target,
        )
        assert not target.exists()
        sweep(tmp_path)
        assert content(target) == {"old": "old"}
        assert names(tmp_path) == ["index"]

    def test_sweeping_leaves_finished_files_alone(self, tmp_path: Path) -> None:
        (tmp_path / "finished").write_text("x")
        (tmp_path / f"{BESIDE}abc").write_text("x")
        (tmp_path / f"{BESIDE}index-abc" / "deep").mkdir(parents=True)
        sweep(tmp_path)
        assert names(tmp_path) == ["finished"]


COUNT_UP = """
import os, sys, pathlib
from gitcontext_pipeline.storage import locked
directory = pathlib.Path(sys.argv[1])
for _ in range(100):
    with locked(directory):
        counter = directory / "counter"
        value = int(counter.read_text()) if counter.exists() else 0
        os.sched_yield()
        counter.write_text(str(value + 1))
"""


class TestLocked:
    def test_one_process_at_a_time(self, tmp_path: Path) -> None:
        command = [sys.executable, "-c", COUNT_UP, str(tmp_path / "new")]
        workers = [subprocess.Popen(command) for _ in range(3)]
        assert [worker.wait(timeout=60) for worker in workers] == [0, 0, 0]
        assert (tmp_path / "new" / "counter").read_text() == "300"

    def test_an_exception_and_a_kill_let_go_of_it(self, tmp_path: Path) -> None:
        with pytest.raises(ValueError, match="x"), locked(tmp_path):
            raise ValueError("x")
        killed(
            "import os, signal, sys, pathlib\n"
            "from gitcontext_pipeline.storage import locked\n"
            "with locked(pathlib.Path(sys.argv[1])):\n"
            "    os.kill(os.getpid(), signal.SIGKILL)\n",
            tmp_path,
        )
        taken = threading.Event()

        def take() -> None:
            with locked(tmp_path):
                taken.set()

        threading.Thread(target=take, daemon=True).start()
        assert taken.wait(timeout=10)


class TestFingerprint:
    def test_it_is_the_same_in_every_process_and_release(self) -> None:
        assert fingerprint("requests", 1, None, {"b": [1.5, "é"], "a": True}) == (
            "a8bd973b34d8b014e680f9257f77bccbec058ceac18c56cf49b0502d4f8096a9"
        )

    def test_the_order_of_keys_does_not_count(self) -> None:
        assert fingerprint({"a": 1, "b": 2}) == fingerprint({"b": 2, "a": 1})

    @pytest.mark.parametrize(
        ("one", "other"),
        [(("a", "b"), ("b", "a")), (("ab",), ("a", "b")), ((["a"], "b"), ("a", ["b"])), ((1,), ("1",)), ((None,), ())],
    )
    def test_different_parts_differ(self, one: tuple[object, ...], other: tuple[object, ...]) -> None:
        assert fingerprint(*one) != fingerprint(*other)

    def test_a_path_is_its_name(self) -> None:
        assert fingerprint(Path("a/b")) == fingerprint("a/b")


def test_sha256_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"abc")
    assert sha256_file(tmp_path / "x") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
