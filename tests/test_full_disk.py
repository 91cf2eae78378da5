"""No room to write: a file system that takes no more, played by a limit on the size of files."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gitcontext_pipeline.errors import UsageError
from gitcontext_pipeline.full_disk import FullDisk, why_full, writing
from gitcontext_pipeline.storage import building, write_atomic


@contextmanager
def limited(size: int) -> Iterator[None]:
    """No file may grow beyond `size` bytes inside."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_file_that_has_no_room_is_told_by_its_place_and_the_old_one_stays(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    write_atomic(path, "old")
    with (
        limited(1000),
        pytest.raises(FullDisk, match=r"report\.json: there is no room .* MB are free: .*too large") as told,
    ):
        write_atomic(path, "new" * 1000)
    assert told.value.exit_code == 3
    assert "what is published goes on answering" in str(told.value)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_directory_that_has_no_room_is_told_and_the_old_one_stays(tmp_path: Path) -> None:
    path = tmp_path / "bm25"
    with building(path) as beside:
        (beside / "terms").write_text("old")
    with limited(1000), pytest.raises(FullDisk, match="bm25: there is no room"), building(path) as beside:
        (beside / "terms").write_text("new" * 1000)
    assert (path / "terms").read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "(sqlite3.OperationalError) database or disk is full\n[SQL: …]",
            "(sqlite3.OperationalError) database or disk is full",
        ),
        (
            "remote: hm\nfatal: write error: No space left on device\nfatal: bad",
            "fatal: write error: No space left on device",
        ),
        ("something else", None),
    ],
)
def test_the_line_that_says_it_is_found_whoever_wrote_it(tmp_path: Path, text: str, said: str | None) -> None:
    assert why_full(text, tmp_path) == said


def test_other_mistakes_stay_what_they_are(tmp_path: Path) -> None:
    with pytest.raises(UsageError), writing(tmp_path):
        raise UsageError("the disk is full of questions")
    with pytest.raises(ZeroDivisionError), writing(tmp_path):
        raise ZeroDivisionError
