from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from gitcontext_pipeline.corpus import blame
from gitcontext_pipeline.corpus.blame import IGNORE_FILE, line_commits, revisions_to_ignore, subjects_by_line_range
from gitcontext_pipeline.corpus.git import fetch_git
from gitcontext_pipeline.corpus.history import read_changes
from tests.repositories import Repository


def git_blame(repository: Repository, path: str, *options: str) -> list[str]:
    porcelain = repository.git_bytes("blame", "--first-parent", "--porcelain", *options, "HEAD", "--", path)
    return [sha.decode() for sha in re.findall(rb"^([0-9a-f]{40}) \d+ \d+", porcelain, re.MULTILINE)]


def ours(repository: Repository, tmp_path: Path, ignore: frozenset[str] = frozenset()) -> dict[str, list[str]]:
    paths = repository.git("ls-tree", "-r", "-z", "--name-only", "HEAD").split("\0")
    return line_commits(repository.path, repository.head, paths, tmp_path / "cache", ignore)


def edited(lines: list[str], chance: random.Random) -> list[str]:
    result = list(lines)
    for _ in range(chance.randint(1, 4)):
        start = chance.randint(0, len(result))
        removed = chance.choice([0, 0, 1, 2, 5])
        added = [f"line {chance.randint(0, 30)}" for _ in range(chance.choice([0, 1, 1, 3]))]
        result[start : start + removed] = added
    return result


@pytest.mark.parametrize("seed", range(4))
def test_every_line_is_attributed_as_git_blame_does(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    repository = Repository(tmp_path / "repository")
    contents = {f"{name}.txt": [f"{name} {n}" for n in range(30)] for name in "abc"}
    names = {name: name for name in contents}
    repository.commit("First", {name: "\n".join(lines) + "\n" for name, lines in contents.items()})
    for number in range(25):
        name = chance.choice(sorted(contents))
        contents[name] = edited(contents[name], chance)
        end = chance.choice(["\n", "\n", ""])
        action = chance.choice(["edit", "edit", "rename", "branch", "mode"])
        if action == "rename":
            new = f"moved/{number} größe.txt"
            (repository.path / "moved").mkdir(exist_ok=True)
            repository.git("mv", names[name], new)
            names[name] = new
        elif action == "branch":
            repository.branch(f"topic{number}")
        elif action == "mode":
            (repository.path / names[name]).chmod(0o755)
        repository.commit(f"Edit {number}", {names[name]: "\n".join(contents[name]) + end})
        if action == "branch":
            repository.commit(f"Edit {number} again", {names[name]: "\n".join([*contents[name], "tail"]) + end})
            contents[name].append("tail")
            repository.switch("main")
            repository.merge(f"topic{number}", number=number)
    found = ours(repository, tmp_path)
    assert found == {path: git_blame(repository, path) for path in names.values()}


def test_a_file_that_was_removed_begins_anew(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repository")
    repository.commit("First", {"a.txt": "one\ntwo\n", "empty.txt": "", "bin": b"\0\n\n"})
    repository.commit("Remove", {"a.txt": None})
    back = repository.commit("Back", {"a.txt": "one\ntwo\n"})
    found = ours(repository, tmp_path)
    assert found["a.txt"] == [back, back]
    assert found["empty.txt"] == []


def test_a_later_revision_reads_only_what_came_after(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(7)
    repository = Repository(tmp_path / "repository")
    lines = [str(n) for n in range(40)]
    for number in range(12):
        lines = edited(lines, chance)
        repository.commit(f"Edit {number}", {"a.txt": "\n".join(lines) + "\n"})
    ours(repository, tmp_path)
    repository.commit("A new file", {"new.txt": "new\n"})
    repository.rename("a.txt", "b.txt", "Move")
    lines = edited(lines, chance)
    repository.commit("Edit after", {"b.txt": "\n".join(lines) + "\n"})
    read: list[str] = []
    original = blame.read_patches

    def counted(*arguments: object) -> object:
        for commit in original(*arguments):  # type: ignore[arg-type]
            read.append(commit.sha)
            yield commit

    monkeypatch.setattr(blame, "read_patches", counted)
    found = ours(repository, tmp_path)
    assert found == {"b.txt": git_blame(repository, "b.txt"), "new.txt": git_blame(repository, "new.txt")}
    assert len(read) == 4
    read.clear()
    assert ours(repository, tmp_path) == found
    assert read == []


@pytest.mark.parametrize("damage", ["", "[]", '{"key": 1}'])
def test_a_damaged_cache_is_made_again(tmp_path: Path, damage: str) -> None:
    repository = Repository(tmp_path / "repository")
    repository.commit("First", {"a.txt": "one\n"})
    found = ours(repository, tmp_path)
    (tmp_path / "cache/blame.json").write_text(damage)
    assert ours(repository, tmp_path) == found


def test_a_reformatting_is_looked_through(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repository")
    first = repository.commit("First", {"a.py": "x = {'a':1,\n'b':2}\ny=1\n"})
    second = repository.commit("Second", {"a.py": "x = {'a':1,\n'b':2}\ny=1\nz=1\n"})
    black = repository.commit("Reformat", {"a.py": 'x = {\n    "a": 1,\n    "b": 2,\n}\ny = 1\nz = 1\n'})
    assert set(ours(repository, tmp_path)["a.py"]) == {black}
    listed = repository.commit("Ignore it", {IGNORE_FILE: f"# black\n{black}\n  # and a line of words\n"})
    ignore = revisions_to_ignore(repository.path, listed, read_changes(repository.path, listed))
    assert ignore == {black}
    found = ours(repository, tmp_path, ignore)["a.py"]
    assert set(found) == {first, second}
    assert (found[0], found[-1]) == (first, second)


def test_a_merge_of_nothing_but_ignored_commits_is_ignored(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repository")
    repository.commit("First", {"a.py": "a=1\n"})
    repository.branch("format")
    black = repository.commit("Black", {"a.py": "a = 1\n"})
    repository.switch("main")
    merge = repository.merge("format")
    repository.commit("Ignore it", {IGNORE_FILE: black})
    changes = read_changes(repository.path, repository.head)
    assert revisions_to_ignore(repository.path, repository.head, changes) == {black, merge}


def test_lines_older_than_a_shallow_history_belong_to_nobody(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repository")
    repository.commit("First", {"a.txt": "one\n", "b.txt": "b\n"})
    repository.commit("Second", {"a.txt": "one\ntwo\n"})
    third = repository.commit("Third", {"a.txt": "one\ntwo\nthree\n"})
    fetch_git(str(repository.path), third, 2, tmp_path / "corpus").close()
    found = line_commits(tmp_path / "corpus/repo.git", third, ["a.txt", "b.txt", "no.txt"], tmp_path / "cache")
    assert found == {"a.txt": ["", "", third], "b.txt": [""]}


def test_titles_of_a_range_come_with_the_most_lines_first(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repository")
    repository.commit("First (#1)", {"a.txt": "1\n2\n3\n4\n5\n6\n"})
    repository.commit("Second (#2)", {"a.txt": "1\n2\n3\n4\n5\nsix\n"})
    repository.commit("Third (#3)", {"a.txt": "one\n2\n3\n4\n5\nsix\n"})
    repository.branch("topic")
    repository.commit("Handle two", {"a.txt": "one\ntwo\n3\n4\n5\nsix\n"})
    repository.commit("Elsewhere", {"b.txt": "b\n"})
    repository.switch("main")
    repository.merge("topic", number=4, title="Fourth")
    changes = {change.sha: change for change in read_changes(repository.path, repository.head)}
    lines = ours(repository, tmp_path)
    assert subjects_by_line_range(lines, changes, "a.txt", 1, 6) == ["First", "Fourth", "Third", "Second", "Handle two"]
    assert subjects_by_line_range(lines, changes, "a.txt", 1, 6, most=2) == ["First", "Fourth"]
    assert subjects_by_line_range(lines, changes, "a.txt", 6, 99) == ["Second"]
    assert subjects_by_line_range(lines, changes, "none.txt", 1, 6) == []


def test_lines_of_a_merged_branch_belong_to_the_pull_requests_merged_into_it(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repository")
    base = "".join(f"line {n}\n" for n in range(8))
    first = repository.commit("First", {"a.txt": base, "b.txt": base})
    repository.branch("release")
    plain = repository.commit("Prepare", {"a.txt": base.replace("line 0", "prepared")})
    repository.branch("fix")
    repository.commit("Fix", {"a.txt": base.replace("line 0", "prepared").replace("line 3", "fixed")})
    repository.rename("b.txt", "c.txt", "Move")
    repository.switch("release")
    fix = repository.merge("fix", number=47, title="The fix")
    tail = (repository.path / "c.txt").read_text() + "tail\n"
    squashed = repository.commit("Squashed (#48)", {"c.txt": tail})
    repository.switch("main")
    repository.commit("Meanwhile", {"d.txt": "d\n"})
    outer = repository.merge("release", message="Merge branch 'release'")
    changes = read_changes(repository.path, repository.head)
    paths = ["a.txt", "c.txt"]
    plainly = line_commits(repository.path, repository.head, paths, tmp_path / "plainly")
    found = line_commits(repository.path, repository.head, paths, tmp_path / "found", changes=changes)
    assert plainly["a.txt"] == [outer, first, first, outer, *[first] * 4]
    assert found["a.txt"] == [outer, first, first, fix, *[first] * 4]
    assert found["c.txt"] == [*[first] * 8, squashed]
    assert plain not in found["a.txt"]


def test_a_reformatting_after_the_merge_does_not_hide_the_pull_request_inside_it(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repository")
    repository.commit("First", {"a.py": "a = 1\n"})
    repository.branch("release")
    nested = repository.commit("Add b (#48)", {"a.py": "a = 1\nb = {'x': 1, 'y': 2}\n"})
    repository.switch("main")
    repository.merge("release", message="Merge branch 'release'")
    black = repository.commit("Black", {"a.py": 'a = 1\nb = {\n    "x": 1,\n    "y": 2,\n}\n'})
    changes = read_changes(repository.path, repository.head)
    found = line_commits(repository.path, repository.head, ["a.py"], tmp_path / "cache", {black}, changes)
    assert found["a.py"][1:] == [nested] * 4
