from __future__ import annotations

from pathlib import Path

import pytest

from gitcontext_pipeline.corpus.discussion import Comment, LinkedIssue
from gitcontext_pipeline.corpus.github.records import CommentRecord, PullRecord
from gitcontext_pipeline.corpus.history import read_changes
from gitcontext_pipeline.corpus.pull_request_table import read_pull_requests, write_pull_requests
from gitcontext_pipeline.corpus.pull_requests import (
    GITHUB,
    HISTORY,
    Known,
    PullRequest,
    build_pull_requests,
    number_changes,
)
from gitcontext_pipeline.errors import GitContextError
from tests.repositories import BOB, Repository


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "repository")
    made.commit("First", {"a.py": "a = 1\n"})
    return made


def rows_of(repository: Repository, known: Known | None = None) -> list[PullRequest]:
    changes = read_changes(repository.path, repository.head)
    return build_pull_requests(number_changes(changes, known or Known()), known)


def pull(number: int, **fields: object) -> PullRecord:
    told: dict[str, object] = {
        "title": "A title", "body": "", "url": f"https://github.com/ada/demo/pull/{number}", "author": "ada",
        "bot": False,
        "created": "2023-11-14T00:00:00Z", "merged": "2023-11-16T00:00:00Z", "merge_sha": None, "updated": "",
        "labels": (), "issues": (),
    }  # fmt: skip
    return PullRecord(number=number, **{**told, **fields})  # type: ignore[arg-type]


def said(number: int, body: str, **fields: object) -> CommentRecord:
    told: dict[str, object] = {
        "id": f"c{body}", "kind": "discussion", "author": "bob", "bot": False, "date": "2023-11-15T00:00:00Z",
        "updated": "", "url": "https://github.com/ada/demo/pull/1#c",
    }  # fmt: skip
    return CommentRecord(number=number, body=body, **{**told, **fields})  # type: ignore[arg-type]


def test_each_merge_is_a_row_and_comes_back_from_disk(repository: Repository, tmp_path: Path) -> None:
    repository.branch("topic")
    work = repository.commit("Work", {"b.py": "def b():\n    return 1\n"}, author=BOB)
    repository.switch("main")
    merge = repository.merge("topic", number=1, title="Add b")
    added = repository.commit("Größe (#2)\n\nWhy. Fixes #8", {"c.py": "c = 1\n"})
    undone = repository.commit('Revert "Größe (#2)" (#3)\n\nReverts ada/demo#2', {"c.py": None})
    again = repository.commit('Revert "Revert "Größe (#2)" (#3)" (#4)', {"c.py": "c = 1\n"})
    rows = rows_of(repository)
    assert [(row.number, row.title, row.merge_sha, row.files, row.reverts) for row in rows] == [
        (4, 'Revert "Revert "Größe (#2)" (#3)"', again, ("c.py",), ("#3",)),
        (3, 'Revert "Größe (#2)"', undone, ("c.py",), ("#2",)),
        (2, "Größe", added, ("c.py",), ()),
        (1, "Add b", merge, ("b.py",), ()),
    ]
    assert (rows[3].commits, rows[3].author) == ((work,), BOB)
    assert rows[3].created < rows[3].merged
    assert rows[2].issues == (LinkedIssue(8, "", ""),)
    assert set(rows[2].sources.values()) == {HISTORY}
    assert {"title", "body", "merge_sha", "author", "issues"} <= set(rows[2].sources)
    known = Known(
        {1: pull(1, labels=("bug",), issues=((5, "It fails", "https://github.com/ada/demo/issues/5"),))},
        {1: [said(1, "Why?"), said(1, "Here.", kind="review", path="b.py", line=1, hunk="@@\n+x", thread="t")]},
    )
    enriched = rows_of(repository, known)
    path = tmp_path / "key=value" / "pr_cache.parquet"
    for each in (rows, enriched, []):
        write_pull_requests(each, path)
        assert read_pull_requests(path) == each


def test_a_row_says_which_of_its_fields_github_told(repository: Repository) -> None:
    repository.commit("Wait longer (#1)\n\nA message.", {"retry.py": "x\n"})
    known = Known({1: pull(1, title="Wait longer", body="A description.", labels=("bug",))}, {1: [said(1, "Why?")]})
    (row,) = rows_of(repository, known)
    assert (row.title, row.body, row.labels) == ("Wait longer", "A description.", ("bug",))
    assert row.comments == (
        Comment("bob", "2023-11-15T00:00:00Z", "Why?", "https://github.com/ada/demo/pull/1#c", False),
    )
    assert {name for name, source in row.sources.items() if source == GITHUB} == {
        *("body", "created", "labels", "comments", "url"),
    }
    assert row.sources["title"] == row.sources["author"] == HISTORY


def test_what_was_said_after_the_pinned_revision_is_not_part_of_it(repository: Repository) -> None:
    repository.commit("Wait longer (#1)", {"retry.py": "x\n"})
    comments = [said(1, "Before."), said(1, "After.", date="2024-01-01T00:00:00Z")]
    (row,) = rows_of(repository, Known({1: pull(1)}, {1: comments}, until="2023-12-31T00:00:00Z"))
    assert [comment.body for comment in row.comments] == ["Before."]


def test_rebased_commits_are_rows_of_their_pull_request_and_the_newest_has_the_discussion(
    repository: Repository,
) -> None:
    one = repository.commit("Part one", {"a.py": "a = 2\n"})
    two = repository.commit("Part two", {"a.py": "a = 3\n"})
    known = Known({9: pull(9, title="Both parts")}, {9: [said(9, "Why two?")]}, {one: 9, two: 9})
    rows = rows_of(repository, known)
    assert [(row.number, row.merge_sha, row.title, len(row.comments)) for row in rows] == [
        (9, two, "Both parts", 1),
        (9, one, "Both parts", 0),
    ]


def test_a_number_that_is_an_issues_is_no_pull_request(repository: Repository) -> None:
    repository.commit("Handle empty bodies (#5)", {"a.py": "a = 2\n"})
    assert [row.number for row in rows_of(repository)] == [5]
    assert rows_of(repository, Known({5: None})) == []


def test_a_number_given_away_only_later_is_not_mixed_up(repository: Repository) -> None:
    repository.commit("Imported from elsewhere (#5)", {"a.py": "a = 2\n"})
    (row,) = rows_of(repository, Known({5: pull(5, title="Another thing", created="2025-01-01T00:00:00Z")}))
    assert row.title == "Imported from elsewhere"
    assert not row.from_github


def test_routine_is_marked(repository: Repository) -> None:
    repository.commit("Bump idna from 3.4 to 3.7 (#1)", {"requirements.txt": "idna==3.7\n"}, author="dependabot[bot]")
    repository.commit("Upgrade idna to 3.8 (#2)", {"requirements.txt": "idna==3.8\n"})
    repository.commit("Update the wait to 3.0 seconds (#3)", {"retry.py": "x\n"})
    assert [row.noise for row in rows_of(repository)] == [None, "dependency bump", "robot"]


def test_a_damaged_table_says_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "pr_cache.parquet"
    path.write_bytes(b"not parquet")
    for where in (path, tmp_path / "missing.parquet"):
        with pytest.raises(GitContextError, match="Materialize pr_cache again"):
            read_pull_requests(where)


def test_the_changelogs_own_words_are_part_of_the_row(repository: Repository) -> None:
    repository.commit("Wait longer (#7)\n\nFixes #4", {"retry.py": "x\n"})
    changes = read_changes(repository.path, repository.head)
    (row,) = build_pull_requests(changes, changelog={4: ("Servers get more time. (#4)",), 5: ("Else. (#5)",)})
    assert row.changelog == ("Servers get more time. (#4)",)
    assert row.sources["changelog"] == "changelog"
