from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitcontext_pipeline.corpus.changes import WIDE_PATHS, Change
from gitcontext_pipeline.corpus.git import fetch_git
from gitcontext_pipeline.corpus.history import MAX_COLUMNS, MAX_LINES, is_bot, read_changes
from tests.repositories import ADA, BOB, Repository


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "repository")
    made.commit("First", {"demo.py": "def demo():\n    return 1\n\n\ndef other():\n    return 1\n"})
    return made


def history(repository: Repository, limit: int | None = None) -> list[Change]:
    return read_changes(repository.path, repository.head, limit)


def files(change: Change) -> list[tuple[str, str, str | None, int, int]]:
    return [(path.status, path.path, path.old_path, path.added, path.deleted) for path in change.paths]


def test_a_merge_and_its_commits_are_one_change(repository: Repository) -> None:
    repository.branch("topic")
    one = repository.commit("Start", {"a.py": "a = 1\n"}, author=BOB)
    two = repository.commit("Finish", {"a.py": "a = 2\n", "b.py": "b = 1\n"}, author=BOB)
    repository.switch("main")
    repository.commit("Meanwhile", {"c.py": "c = 1\n"})
    merge = repository.merge("topic", number=12, title="Add a and b")
    changes = history(repository)
    assert [change.title for change in changes] == ["Add a and b", "Meanwhile", "First"]
    change = changes[0]
    assert (change.sha, change.kind, change.number, change.reference) == (merge, "pull_request", 12, "#12")
    assert [(commit.sha, commit.subject, commit.paths) for commit in change.commits] == [
        (two, "Finish", ("a.py", "b.py")),
        (one, "Start", ("a.py",)),
    ]
    assert (change.author, change.merger) == (BOB, ADA)
    assert files(change) == [("A", "a.py", None, 1, 0), ("A", "b.py", None, 1, 0)]
    assert change.authored < change.date
    assert changes[1].kind == "commit"
    assert changes[1].commits == ()


def test_a_squash_and_a_rebase_are_changes_of_their_own(repository: Repository) -> None:
    repository.branch("topic")
    repository.commit("wip", {"a.py": "a = 1\n"}, author=BOB)
    repository.switch("main")
    repository.squash("topic", "Add a (#13)\n\n* wip\n", author=BOB)
    repository.commit("Rebased one (#14)", {"b.py": "b = 1\n"})
    repository.commit("Rebased two (#14)", {"b.py": "b = 2\n"})
    changes = history(repository)
    assert [(change.reference, change.title) for change in changes] == [
        ("#14", "Rebased two"),
        ("#14", "Rebased one"),
        ("#13", "Add a"),
        (None, "First"),
    ]
    assert changes[2].author == BOB
    assert changes[2].merger is None


def test_an_octopus_brings_in_all_its_arms(repository: Repository) -> None:
    arms = []
    for name in ("one", "two", "three"):
        repository.branch(name, "main")
        arms.append(repository.commit(f"Arm {name}", {f"{name}.py": "x\n"}))
    repository.switch("main")
    repository.merge("one", "two", "three", message="Merge branches 'one', 'two' and 'three'")
    change = history(repository)[0]
    assert {commit.sha for commit in change.commits} == set(arms)
    assert {path.path for path in change.paths} == {"one.py", "two.py", "three.py"}


def test_commits_that_were_merged_twice_belong_to_the_first_merge(repository: Repository) -> None:
    repository.branch("topic")
    first = repository.commit("On topic", {"a.py": "a = 1\n"})
    repository.switch("main")
    repository.merge("topic", number=1)
    repository.switch("topic")
    second = repository.commit("More on topic", {"a.py": "a = 2\n"})
    repository.switch("main")
    repository.merge("topic", number=2)
    later, earlier = history(repository)[:2]
    assert [commit.sha for commit in later.commits] == [second]
    assert [commit.sha for commit in earlier.commits] == [first]
    assert [[commit.sha for commit in change.commits] for change in history(repository, 1)] == [[second]]


def test_a_revert_and_its_revert_are_both_there(repository: Repository) -> None:
    added = repository.commit("Add a (#20)", {"a.py": "a = 1\n"})
    reverted = repository.revert(added)
    repository.revert(reverted)
    again, back, first, _ = history(repository)
    assert back.reverts == (added, "#20")
    assert back.number is None
    assert again.reverts[0] == reverted
    assert (first.number, first.reverts) == (20, ())


def test_a_cherry_pick_is_a_change_of_its_own(repository: Repository) -> None:
    repository.branch("release")
    repository.switch("main")
    fix = repository.commit("Fix it (#30)", {"a.py": "a = 1\n"})
    repository.switch("release")
    repository.cherry_pick(fix)
    change = history(repository)[0]
    assert (change.reference, change.title) == ("#30", "Fix it")
    assert change.sha != fix


def test_renames_and_every_kind_of_path_are_reported(repository: Repository) -> None:
    repository.commit(
        "Add", {"old name.py": "".join(f"line {n}\n" for n in range(20)), "gone.py": "x\n", "bin": b"\0\1\n"}
    )
    (repository.path / "gone.py").unlink()
    repository.git("mv", "old name.py", "größe.py")
    repository.write('quo"te\n\tx.py', "new\nfile\n")
    repository.write("bin", b"\0\2\n")
    (repository.path / "link").symlink_to("demo.py")
    repository.write("größe.py", "".join(f"line {n}\n" for n in range(20)) + "more\n")
    repository.commit("Change")
    change = history(repository)[0]
    assert sorted(files(change)) == sorted(
        [
            ("R", "größe.py", "old name.py", 1, 0),
            ("D", "gone.py", None, 0, 1),
            ("A", 'quo"te\n\tx.py', None, 2, 0),
            ("M", "bin", None, 0, 0),
            ("A", "link", None, 1, 0),
        ]
    )
    assert next(path for path in change.paths if path.path == "bin").binary


def test_a_file_that_becomes_a_link_does_not_mix_up_the_others(repository: Repository) -> None:
    repository.commit("Add", {"a": "a\n", "z.py": "z\n"})
    (repository.path / "a").unlink()
    (repository.path / "a").symlink_to("z.py")
    repository.write("z.py", "z\nmore\n")
    repository.commit("Change")
    assert files(history(repository)[0]) == [("T", "a", None, 1, 1), ("M", "z.py", None, 1, 0)]


def test_hunks_name_the_symbol_and_show_a_few_lines(repository: Repository) -> None:
    repository.commit("Change", {"demo.py": "def demo():\n    return 1\n\n\ndef other():\n    return 'a new value'\n"})
    [hunk] = history(repository)[0].hunks
    assert (hunk.path, hunk.symbol) == ("demo.py", "def other():")
    assert (hunk.added, hunk.removed) == (("return 'a new value'",), ("return 1",))


def test_lines_that_look_like_headers_are_content(repository: Repository) -> None:
    odd = f"-- a/other.py\n++ b/other.py\n@@ -1 +1 @@\ncommit {'1' * 40}\ndiff --git a/x b/x\n:100\n"
    repository.commit("Add", {"odd.txt": odd})
    repository.commit("Remove", {"odd.txt": "kept without newline"})
    removed, added, _ = history(repository)
    assert files(removed) == [("M", "odd.txt", None, 1, 6)]
    assert files(added) == [("A", "odd.txt", None, 6, 0)]
    assert removed.hunks[0].removed == tuple(odd.splitlines())


def test_the_digest_is_bounded(repository: Repository) -> None:
    repository.commit("Long", {"long.txt": "".join(f"{n} {'x' * 500}\n" for n in range(500))})
    change = history(repository)[0]
    lines = [line for hunk in change.hunks for line in (*hunk.added, *hunk.removed)]
    assert len(lines) == MAX_LINES
    assert max(map(len, lines)) == MAX_COLUMNS
    assert change.paths[0].added == 500
    repository.commit("Wide", {f"many/{n}.txt": "x\n" for n in range(WIDE_PATHS + 1)})
    wide = history(repository)[0]
    assert wide.wide
    assert wide.hunks == ()
    assert len(wide.paths) == WIDE_PATHS + 1


def test_a_limit_gives_the_newest_as_they_are_without_it(repository: Repository) -> None:
    for number in range(5):
        repository.branch(f"topic{number}", "main~1" if number else "main")
        repository.commit(f"Work {number}", {f"{number}.py": "x\n"})
        repository.switch("main")
        repository.merge(f"topic{number}", number=number + 1)
    assert history(repository, 3) == history(repository)[:3]
    assert history(repository, 100) == history(repository)


def test_the_oldest_change_of_a_shallow_history_claims_no_paths(repository: Repository, tmp_path: Path) -> None:
    repository.commit("Second", {"a.py": "a\n"})
    repository.commit("Third", {"b.py": "b\n"})
    fetch_git(str(repository.path), repository.head, 2, tmp_path / "corpus").close()
    third, second = read_changes(tmp_path / "corpus/repo.git", repository.head)
    assert files(third) == [("A", "b.py", None, 1, 0)]
    assert (second.title, second.paths, second.hunks) == ("Second", (), ())


def test_a_mailmap_in_the_tree_names_people(repository: Repository) -> None:
    repository.commit("Map", {".mailmap": "Augusta King <ada@example.com>\n"})
    assert {change.author for change in history(repository)} == {"Augusta King"}


@pytest.mark.parametrize(
    ("name", "robot"),
    [
        ("dependabot[bot]", True),
        ("renovate[bot]", True),
        ("Renovate Bot", True),
        ("pre-commit-ci", True),
        ("github-actions", True),
        ("pyup-bot", True),
        ("Ada Lovelace", False),
        ("Abbot", False),
        ("", False),
    ],
)
def test_robots_are_told_from_people(name: str, robot: bool) -> None:
    assert is_bot(name) == robot


def test_a_person_who_merges_a_robots_branch_does_not_make_it_a_persons(repository: Repository) -> None:
    repository.branch("bump")
    repository.commit("Bump x", {"x.txt": "2\n"}, author="dependabot[bot]")
    repository.switch("main")
    repository.merge("bump", number=5, title="Bump x")
    change, first = history(repository)
    assert (change.bot, change.author, change.merger) == (True, "dependabot[bot]", ADA)
    assert not first.bot


def test_odd_authors_dates_and_encodings_are_no_obstacle(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "odd")
    commits = [
        (b"author <a@b> 1700000000 +0000", b"author without a name\n"),
        (b"author A\xe9B <a@b> 1600000000 -2359", b"latin \xe9\r\n\r\nbody\r\n"),
        (b"author A <a@b> 99999999999999 +1400", b"far future\n"),
        (b"author A <a@b> 0 +0000", b""),
        (
            b"author A \x01 B <a@b> 1700000000 +0000",
            b"\n\n\nlate subject\n\ncommit %s\n" % (b"1" * 40),
        ),
    ]
    stream = b""
    for who, message in commits:
        committer = who.replace(b"author", b"committer")
        stream += b"commit refs/heads/main\n%s\n%s\ndata %d\n%s\n" % (who, committer, len(message), message)
    repository.fast_import(stream)
    changes = history(repository)
    assert [change.title for change in changes] == [
        "late subject", "", "far future", "latin \N{REPLACEMENT CHARACTER}", "author without a name",
    ]  # fmt: skip
    assert [change.date for change in changes][-2:] == ["2020-09-13T12:26:40Z", "2023-11-14T22:13:20Z"]
    assert changes[-1].author == ""
    assert all(change.paths == () for change in changes)


names = st.binary(min_size=1, max_size=12).filter(
    lambda name: not set(name) & set(b"\0\n/") and name not in (b".", b"..", b".git")
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    commits=st.lists(
        st.tuples(
            st.binary(max_size=80), st.dictionaries(names, st.binary(max_size=60), max_size=3), st.integers(0, 2**33)
        ),
        min_size=1,
        max_size=5,
    )
)
def test_any_message_path_and_content_is_read(
    tmp_path_factory: pytest.TempPathFactory, commits: list[tuple[bytes, dict[bytes, bytes], int]]
) -> None:
    repository = Repository(tmp_path_factory.mktemp("any"))
    stream = b""
    for message, contents, date in commits:
        message = message.replace(b"\0", b"")
        stream += b"commit refs/heads/main\ncommitter A <a@b> %d +0000\ndata %d\n%s\n" % (date, len(message), message)
        for name, content in contents.items():
            quoted = b'"' + b"".join(b"\\%03o" % byte for byte in name) + b'"'
            stream += b"M 100644 inline %s\ndata %d\n%s\n" % (quoted, len(content), content)
    repository.fast_import(stream)
    changes = history(repository)
    assert len(changes) == len(commits)
    for change, (_, contents, _) in zip(reversed(changes), commits, strict=True):
        assert len(change.paths) <= len(contents) + 1
        touched = {path.path for path in change.paths} | {path.old_path for path in change.paths}
        assert touched <= {name.decode(errors="backslashreplace") for _, c, _ in commits for name in c} | {None}
