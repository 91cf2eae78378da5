"""A folder as a corpus view: which files, where symbols are, and where its history begins."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitcontext_pipeline.errors import UsageError
from gitcontext_pipeline.evaluation.folder import folder_view, listed, repository_of
from gitcontext_pipeline.evaluation.gold import Gold
from tests.repositories import Repository


def test_symbols_are_found_where_they_are_defined(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("class A:\n    def b(self):\n        return 1\n")
    view = folder_view(tmp_path)
    assert view.definitions["a.py", "A.b"] == ((2, 3),)
    assert view.answering(Gold(path="a.py", symbol="A.b"))
    assert not view.answering(Gold(path="a.py", symbol="A.c"))
    assert not view.answering(Gold(path="b.py"))


def test_hidden_binary_and_linked_files_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.txt").write_text("text\n")
    (tmp_path / ".hidden").mkdir()
    (tmp_path / ".hidden" / "b.txt").write_text("text\n")
    (tmp_path / "c.bin").write_bytes(b"\0\1\2")
    (tmp_path / "d.txt").symlink_to(tmp_path / "sub" / "a.txt")
    assert set(folder_view(tmp_path).by_path) == {"sub/a.txt"}


def test_in_a_work_tree_git_says_which_files(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repository")
    repository.commit("First", {".gitignore": "ignored.txt\n", "a.txt": "a\n", "sub/é.txt": "b\n"})
    repository.write("ignored.txt", "c\n")
    repository.write("new.txt", "d\n")
    assert listed(repository.path) == [".gitignore", "a.txt", "new.txt", "sub/é.txt"]
    assert listed(repository.path / "sub") == ["é.txt"]
    assert repository_of(repository.path) == repository.path
    assert repository_of(repository.path / "sub") is None
    assert repository_of(tmp_path) is None


@pytest.mark.parametrize("name", ["none", "empty"])
def test_no_folder_and_no_text_are_told(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError):
        folder_view(tmp_path / name)
