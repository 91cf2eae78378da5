from __future__ import annotations

from pathlib import Path

import pytest

from gitcontext_pipeline.errors import GitContextError
from gitcontext_pipeline.evaluation.corpus_view import CorpusView
from gitcontext_pipeline.evaluation.mining_history import Change, blame_of, changes_of, cleaned_subject, mine_history
from tests.evaluation.test_history import git

SHA = "c" * 40
ROWS = [
    {"path": "a.py", "symbol": "S", "start_line": 1, "end_line": 40, "kind": "code"},
    {"path": "a.py", "symbol": "S.one", "start_line": 2, "end_line": 10, "kind": "code"},
    {"path": "a.py", "symbol": "S.two", "start_line": 12, "end_line": 13, "kind": "code"},
    {"path": "a.py", "symbol": "S.three", "start_line": 20, "end_line": 30, "kind": "code"},
]
CORPUS = CorpusView.from_rows(ROWS)
SUBJECT = "Timeouts are counted once more for each retry"


def gold(lines: dict[int, str], subject: str = SUBJECT, paths: tuple[str, ...] = ("a.py",)) -> list[str]:
    found = list(mine_history(CORPUS, [Change(subject, SHA, paths)], {"a.py": lines}))
    return [entry.name for candidate in found for entry in candidate.gold]


def test_the_innermost_symbols_that_it_wrote_are_gold() -> None:
    assert gold(dict.fromkeys((3, 4, 5), SHA)) == ["a.py#S.one"]
    assert gold(dict.fromkeys((3, 4), SHA)) == []
    assert gold({12: SHA}) == ["a.py#S.two"]
    assert gold(dict.fromkeys((3, 4, 5, 12, 21, 22, 23), SHA)) == ["a.py#S.one", "a.py#S.three", "a.py#S.two"]
    assert gold(dict.fromkeys((3, 4, 5), "d" * 40)) == []


@pytest.mark.parametrize(
    "subject",
    [
        "Merge branch main into it",
        "Bump the actions group now",
        "v2.31.0 is out right now",
        "fix typo in the docs",
        "Fix it",
        "chore: clean up the whole house",
        "Update changelog for the release",
    ],
)
def test_subjects_that_describe_nothing_ask_nothing(subject: str) -> None:
    assert gold(dict.fromkeys((3, 4, 5), SHA), subject=subject) == []


def test_sweeping_changes_ask_nothing() -> None:
    paths = ("a.py", *(f"f{i}.py" for i in range(8)))
    assert gold(dict.fromkeys((3, 4, 5), SHA), paths=paths) == []


def test_a_subject_that_names_its_symbol_is_an_identifier_question() -> None:
    corpus = CorpusView.from_rows([{**ROWS[1], "symbol": "S.send_all"}])
    (found,) = mine_history(
        corpus, [Change("Make send_all wait for the lock", SHA, ("a.py",))], {"a.py": dict.fromkeys((3, 4, 5), SHA)}
    )
    assert (found.style, found.confidence) == ("identifier", "medium")


@pytest.mark.parametrize(
    ("subject", "cleaned"),
    [
        ("fix(auth): Strip it at once (#12)", "Strip it at once"),
        ("[3.1] Strip it at once.", "Strip it at once"),
        ("Strip it, see GH-77", "Strip it, see"),
    ],
)
def test_subjects_lose_what_names_the_change(subject: str, cleaned: str) -> None:
    assert cleaned_subject(subject) == cleaned


def test_changes_and_blame_are_read_from_git(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main")
    path = tmp_path / "späth dir" / "a.py"
    path.parent.mkdir()
    path.write_text("one\ntwo\nthree\n")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "Begin")
    git(tmp_path, "switch", "-q", "-c", "topic")
    path.write_text("one\nTWO\nTHREE\n")
    git(tmp_path, "commit", "-q", "-a", "-m", "work")
    git(tmp_path, "switch", "-q", "main")
    merge = "Merge pull request #7 from ada/topic\n\nLines are written in capitals"
    git(tmp_path, "merge", "-q", "--no-ff", "topic", "-m", merge)
    head = git(tmp_path, "rev-parse", "HEAD")
    begun = git(tmp_path, "rev-parse", "HEAD^1")

    changes = changes_of(tmp_path, head)
    assert [(change.subject, change.commit, change.paths) for change in changes] == [
        ("Lines are written in capitals", head, ("späth dir/a.py",)),
        ("Begin", begun, ("späth dir/a.py",)),
    ]
    assert blame_of(tmp_path, head, ["späth dir/a.py", "absent.py"]) == {"späth dir/a.py": {1: begun, 2: head, 3: head}}
    with pytest.raises(GitContextError, match="git log"):
        changes_of(tmp_path, "b" * 40)
