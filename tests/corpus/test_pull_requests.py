from __future__ import annotations

from pathlib import Path

import pytest

from gitcontext_pipeline.corpus.history import read_changes
from gitcontext_pipeline.corpus.pull_requests import build_pull_requests, read_pull_requests, write_pull_requests
from gitcontext_pipeline.errors import GitContextError
from tests.repositories import BOB, Repository


def test_each_merge_is_a_row_and_comes_back_from_disk(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repository")
    repository.commit("First", {"a.py": "a = 1\n"})
    repository.branch("topic")
    work = repository.commit("Work", {"b.py": "b = 1\n"}, author=BOB)
    repository.switch("main")
    merge = repository.merge("topic", number=1, title="Add b")
    added = repository.commit("Größe (#2)\n\nWhy.", {"c.py": "c = 1\n"})
    undone = repository.commit('Revert "Größe (#2)" (#3)\n\nReverts ada/demo#2', {"c.py": None})
    again = repository.commit('Revert "Revert "Größe (#2)" (#3)" (#4)', {"c.py": "c = 1\n"})
    rows = build_pull_requests(read_changes(repository.path, repository.head))
    assert [(row.number, row.title, row.merge_sha, row.files, row.reverts) for row in rows] == [
        (4, 'Revert "Revert "Größe (#2)" (#3)"', again, ("c.py",), ("#3",)),
        (3, 'Revert "Größe (#2)"', undone, ("c.py",), ("#2",)),
        (2, "Größe", added, ("c.py",), ()),
        (1, "Add b", merge, ("b.py",), ()),
    ]
    assert (rows[3].commits, rows[3].author, rows[3].source) == ((work,), BOB, "git history")
    assert rows[3].created < rows[3].merged
    path = tmp_path / "key=value" / "pr_cache.parquet"
    write_pull_requests(rows, path)
    assert read_pull_requests(path) == rows
    write_pull_requests([], path)
    assert read_pull_requests(path) == []


def test_a_damaged_table_says_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "pr_cache.parquet"
    path.write_bytes(b"not parquet")
    for where in (path, tmp_path / "missing.parquet"):
        with pytest.raises(GitContextError, match="Materialize pr_cache again"):
            read_pull_requests(where)
