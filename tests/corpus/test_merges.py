from __future__ import annotations

from pathlib import Path

import pytest

from gitcontext_pipeline.corpus.changes import Change
from gitcontext_pipeline.corpus.git import fetch_git
from gitcontext_pipeline.corpus.history import read_changes
from tests.repositories import BOB, Repository


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "repository")
    made.commit("First", {"demo.py": "one\n"})
    return made


def history(repository: Repository) -> list[Change]:
    return read_changes(repository.path, repository.head)


def test_a_pull_request_merged_on_a_release_branch_is_a_change_of_its_own(repository: Repository) -> None:
    repository.branch("release")
    plain = repository.commit("Prepare", {"VERSION": "3\n"})
    repository.branch("fix")
    work = repository.commit("Compare ports too", {"auth.py": "ports\n"}, author=BOB)
    repository.switch("release")
    nested = repository.merge("fix", number=47, title="Strip the header when the host changes")
    squashed = repository.commit("Quote the realm (#48)", {"realm.py": "quoted\n"})
    repository.switch("main")
    outer = repository.merge("release", message="Merge branch 'release'")
    changes = history(repository)
    assert [(change.sha, change.number, change.within) for change in changes[:3]] == [
        (outer, None, None),
        (squashed, 48, outer),
        (nested, 47, outer),
    ]
    inner = changes[2]
    assert (inner.title, inner.author) == ("Strip the header when the host changes", BOB)
    assert [path.path for path in inner.paths] == ["auth.py"]
    assert [hunk.added for hunk in inner.hunks] == [("ports",)]
    assert [commit.sha for commit in inner.commits] == [work]
    assert [(commit.sha, commit.paths) for commit in changes[0].commits] == [
        (squashed, ("realm.py",)),
        (nested, ("auth.py",)),
        (plain, ("VERSION",)),
    ]


def test_pull_requests_inside_pull_requests_each_keep_their_own_commits(repository: Repository) -> None:
    repository.branch("develop")
    repository.branch("feature")
    repository.branch("part")
    part = repository.commit("Part", {"part.py": "x\n"})
    repository.switch("feature")
    inner = repository.merge("part", number=11, title="The part")
    repository.switch("develop")
    middle = repository.merge("feature", number=12, title="The feature")
    repository.switch("main")
    outer = repository.merge("develop", number=13, title="Release")
    found = {change.sha: change for change in history(repository)}
    assert {sha: change.within for sha, change in found.items() if change.number} == {
        outer: None,
        middle: outer,
        inner: middle,
    }
    assert [[commit.sha for commit in found[sha].commits] for sha in (outer, middle, inner)] == [
        [middle],
        [inner],
        [part],
    ]


def test_an_issue_that_a_pull_requests_commit_mentions_is_no_pull_request(repository: Repository) -> None:
    repository.branch("topic")
    repository.commit("Handle empty bodies (#20)", {"a.py": "a\n"})
    by_github = {"GIT_COMMITTER_NAME": "GitHub", "GIT_COMMITTER_EMAIL": "noreply@github.com"}
    repository.git("commit", "--quiet", "--allow-empty", "-m", "Merged into the branch (#22)", **by_github)
    repository.switch("main")
    repository.merge("topic", number=21)
    assert [change.number for change in history(repository)] == [21, 22, None]


def test_the_numbers_of_a_fork_are_not_this_repositorys(repository: Repository) -> None:
    repository.commit("A long history (#400)", {"b.py": "b\n"})
    repository.branch("topic", "main~1")
    repository.commit("Work", {"a.py": "a\n"})
    repository.branch("other", "main")
    repository.switch("topic")
    repository.merge("other", number=1, message="Merge pull request #1 from upstream/main\n\nUpdate my fork")
    repository.switch("main")
    repository.commit("Meanwhile", {"c.py": "c\n"})
    repository.merge("topic", number=401, title="The work")
    assert [change.number for change in history(repository)] == [401, None, 400, None]


def test_a_pull_on_top_of_somebodys_own_work_keeps_what_was_merged_upstream(repository: Repository) -> None:
    repository.branch("upstream")
    for number in (1, 2, 3):
        repository.branch(f"topic{number}")
        repository.commit(f"Work {number}", {f"{number}.py": "x\n"})
        repository.switch("upstream")
        repository.merge(f"topic{number}", number=number, title=f"Title {number}")
    repository.switch("main")
    repository.commit("Not yet pushed", {"own.py": "x\n"})
    pulled = repository.merge("upstream", message="Merge branch 'main' of example.com:ada/demo")
    changes = history(repository)
    assert [(change.number, change.within) for change in changes] == [
        (None, None),
        (3, pulled),
        (2, pulled),
        (1, pulled),
        (None, None),
        (None, None),
    ]
    assert [change.title for change in changes[1:4]] == ["Title 3", "Title 2", "Title 1"]


def test_clocks_that_are_wrong_do_not_move_a_commit_to_another_pull_request(repository: Repository) -> None:
    now = repository.now
    repository.branch("release")
    for number, moment in ((47, now + 500 * 86_400), (48, now - 5_000 * 86_400), (49, 200_000_000)):
        repository.branch(f"topic{number}")
        repository.now = moment
        repository.commit(f"Work {number}", {f"{number}.py": "x\n"})
        repository.switch("release")
        repository.merge(f"topic{number}", number=number, title=f"Title {number}")
    repository.switch("main")
    outer = repository.merge("release", message="Merge branch 'release'")
    found = {change.number: change for change in history(repository) if change.within == outer}
    assert {number: [commit.subject for commit in change.commits] for number, change in found.items()} == {
        number: [f"Work {number}"] for number in (47, 48, 49)
    }


def test_a_branch_that_was_forced_elsewhere_keeps_what_the_pinned_revision_has(
    repository: Repository, tmp_path: Path
) -> None:
    repository.branch("topic")
    repository.commit("Work", {"a.py": "a\n"})
    repository.switch("main")
    repository.merge("topic", number=3, title="As it was")
    pinned = repository.head
    fetch_git(str(repository.path), pinned, "all", tmp_path / "corpus").close()
    repository.git("reset", "--hard", "--quiet", "HEAD~1")
    repository.commit("As it is now (#3)", {"a.py": "other\n"})
    assert [change.title for change in read_changes(tmp_path / "corpus/repo.git", pinned)] == ["As it was", "First"]
