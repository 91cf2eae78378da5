from __future__ import annotations

from pathlib import Path

import pytest

from gitcontext_pipeline.corpus.blame import IGNORE_FILE, line_commits
from gitcontext_pipeline.corpus.changes import WIDE_PATHS
from gitcontext_pipeline.corpus.follow import Followed, follow_file, follow_lines
from gitcontext_pipeline.corpus.git import fetch_git
from gitcontext_pipeline.corpus.history import read_changes
from gitcontext_pipeline.corpus.lineage import Lineage
from gitcontext_pipeline.corpus.pull_requests import build_pull_requests
from tests.repositories import Repository

CODE = """\
import time


def wait(seconds):
    time.sleep(seconds)
    return seconds


def stop():
    return None
"""


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "repository")
    made.commit("First", {"client.py": CODE})
    return made


def follow(repository: Repository, path: str, start: int, end: int) -> Followed:
    pulls = build_pull_requests(read_changes(repository.path, repository.head))
    return follow_lines(repository.path, repository.head, path, start, end, pulls)


def names(followed: Followed) -> list[str]:
    return [f"{touch.name} {touch.title}" if touch.pull else touch.title for touch in followed.touches]


def test_a_line_leads_to_the_pull_requests_that_brought_and_changed_it(repository: Repository) -> None:
    repository.branch("topic")
    added = CODE + "\n\ndef retry(call):\n    return call()\n"
    repository.commit("wip", {"client.py": added})
    repository.commit("fix typo", {"client.py": added.replace("return call()", "return call() or call()")})
    repository.switch("main")
    repository.merge("topic", number=7, title="Try again")
    repository.commit("Once is enough (#8)", {"client.py": added.replace("retry(call)", "retry(call, times=1)")})
    repository.commit("Elsewhere (#9)", {"client.py": (repository.path / "client.py").read_text() + "\n# end\n"})
    found = follow(repository, "client.py", 13, 14)
    assert names(found) == ["#8 Once is enough", "#7 Try again"]
    assert found.introduced is not None
    assert found.introduced.name == "#7"
    assert found.changed is not None
    assert found.changed.name == "#8"


def test_lines_are_followed_across_a_rename_of_the_file_and_of_the_symbol(repository: Repository) -> None:
    repository.rename("client.py", "net/waiting.py", "Move into a package (#3)")
    repository.commit("Say what it does (#4)", {"net/waiting.py": CODE.replace("def wait(", "def pause(")})
    found = follow(repository, "net/waiting.py", 4, 6)
    assert names(found) == ["#4 Say what it does", "First"]
    history = follow_file(
        repository.path,
        repository.head,
        "net/waiting.py",
        build_pull_requests(read_changes(repository.path, repository.head)),
    )
    assert names(history) == ["#4 Say what it does", "#3 Move into a package", "First"]


def test_reformatting_is_told_as_such_and_changes_nothing(repository: Repository) -> None:
    spaced = CODE.replace("    ", "  ")
    black = repository.commit("Two spaces", {"client.py": spaced})
    repository.commit("Ignore it", {IGNORE_FILE: f"{black}\n"})
    many = {f"many/{n}.py": "x = 1\n" for n in range(WIDE_PATHS + 1)}
    repository.commit("Reformat everything with black", {**many, "client.py": spaced.replace("  time", "    time")})
    found = follow(repository, "client.py", 4, 6)
    assert [touch.reformatting for touch in found.touches] == [True, True, False]
    assert found.changed == found.introduced
    assert found.changed is not None
    assert found.changed.title == "First"


def test_a_pull_request_is_only_reformatting_if_all_that_touched_the_lines_is(repository: Repository) -> None:
    repository.branch("topic")
    spaced = CODE.replace("    ", "  ")
    black = repository.commit("Two spaces", {"client.py": spaced})
    repository.commit(
        "And a limit", {"client.py": spaced.replace("time.sleep(seconds)", "time.sleep(min(9, seconds))")}
    )
    repository.switch("main")
    repository.merge("topic", number=7, title="A limit")
    repository.commit("Ignore it", {IGNORE_FILE: f"{black}\n"})
    found = follow(repository, "client.py", 4, 6)
    newest = found.touches[0]
    assert (newest.name, newest.reformatting) == ("#7", False)


def test_a_shallow_history_does_not_pretend_to_know_the_beginning(repository: Repository, tmp_path: Path) -> None:
    repository.commit("Second", {"client.py": CODE.replace("None", "True")})
    repository.commit("Third", {"other.py": "x\n"})
    head = repository.head
    fetch_git(str(repository.path), head, 2, tmp_path / "corpus").close()
    clone = tmp_path / "corpus/repo.git"
    assert follow_lines(clone, head, "client.py", 10, 10).introduced is None
    assert follow_lines(clone, head, "client.py", 10, 10).changed is None
    assert follow_lines(clone, head, "other.py", 1, 1).introduced is not None


def lineage_of(repository: Repository, tmp_path: Path) -> Lineage:
    changes = read_changes(repository.path, repository.head)
    paths = repository.git("ls-tree", "-r", "--name-only", "HEAD").splitlines()
    lines = line_commits(repository.path, repository.head, paths, tmp_path / "cache", changes=changes)
    return Lineage(lines, changes)


def test_a_passage_knows_the_change_it_began_with_and_the_last_one(repository: Repository, tmp_path: Path) -> None:
    first = repository.head
    repository.commit("Second", {"client.py": CODE.replace("return seconds", "return 2 * seconds")})
    third = repository.commit("Third", {"client.py": (repository.path / "client.py").read_text() + "\n\nx = {\n}\n"})
    lineage = lineage_of(repository, tmp_path)
    wait = "def wait(seconds):\n    time.sleep(seconds)\n    return 2 * seconds"
    assert lineage.of_lines("client.py", 4, wait) == (first, repository.git("rev-parse", "HEAD~1"))
    assert lineage.of_lines("client.py", 13, "x = {\n}") == (third, third)
    assert lineage.of_lines("client.py", 14, "}") == (None, None)
    assert lineage.of_lines("none.py", 1, "x") == (None, None)


def test_a_change_knows_where_its_lines_still_stand_or_that_they_are_gone(
    repository: Repository, tmp_path: Path
) -> None:
    first = repository.head
    second = repository.commit("Second (#5)", {"temporary.py": "x = 1\n"})
    third = repository.commit("Third", {"temporary.py": None, "client.py": CODE.replace("return None", "return 1")})
    lineage = lineage_of(repository, tmp_path)
    assert lineage.standing(first) == [("client.py", 1, 9)]
    assert lineage.standing(second) == []
    assert lineage.standing(third) == [("client.py", 10, 10)]
