"""Which commits and pull requests are found by what they touched, who made them, when, and what they are about."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gitcontext_pipeline.answer.changes import Changes, Filters
from gitcontext_pipeline.chunks.table import Chunk
from gitcontext_pipeline.errors import GitContextError, UsageError
from gitcontext_pipeline.retrieval.result import Result
from tests.retrieval.corpora import change, chunk, retriever_of

FIRST, SECOND, THIRD, FOURTH = (f"{digit * 8}{'0' * 32}" for digit in "1234")


def landed(commit: str, title: str, day: str, **more: Any) -> Chunk:
    return change(title, int(commit[0]), commit=commit, date=f"2024-{day}T12:00:00Z", **more)


@pytest.fixture(scope="module")
def changes(tmp_path_factory: pytest.TempPathFactory) -> Changes:
    wait = chunk("Client.wait", "def wait(self): ...", path="net/client.py", introduced=FIRST, changed=THIRD)
    chunks = [
        wait,
        chunk("Client.stop", "def stop(self): ...", path="net/client.py", history=("Stop at once",)),
        landed(FOURTH, "Proxy of the session", "04-04", paths=(".ci/run.yml",), author="Robot", role="bot"),
        landed(SECOND, "Stop at once", "02-02", paths=("client.py",), author="Ada Lovelace"),
        landed(
            THIRD, "Wait longer", "03-03", paths=("net/client.py", "docs/wait ing.md"), author="Bob",
            text="Wait longer\n\n@@ docs/wait ing.md def gone(self):\n-    the timeout was a minute",
        ),
        landed(
            THIRD, "Wait longer", "05-05", symbol_kind="review", text="The proxy times out", author="Ada Lovelace"
        ),
        landed(FIRST, "First", "01-01", paths=("client.py",), author=None),
    ]  # fmt: skip
    return Changes(retriever_of(chunks, tmp_path_factory.mktemp("changes") / "snapshot"))


def titles(results: list[Result]) -> list[str]:
    return [result.name for result in results]


def test_without_a_question_the_newest_come_first_and_reviews_are_no_changes(changes: Changes) -> None:
    newest = ["Proxy of the session", "Wait longer", "Stop at once", "First"]
    assert titles(changes.find()) == newest
    assert titles(changes.find(top=2)) == newest[:2]
    assert changes.find()[1].paths == ("net/client.py", "docs/wait ing.md")


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        (Filters(path="net/client.py"), ["Wait longer", "Stop at once", "First"]),
        (Filters(path="./net/"), ["Wait longer", "Stop at once", "First"]),
        (Filters(path="client.py"), ["Stop at once", "First"]),
        (Filters(path=".ci"), ["Proxy of the session"]),
        (Filters(path="ne"), None),
        (Filters(symbol="Client.wait"), ["Wait longer", "First"]),
        (Filters(symbol="client::WAIT"), ["Wait longer", "First"]),
        (Filters(symbol="stop"), ["Stop at once"]),
        (Filters(symbol="gone"), ["Wait longer"]),
        (Filters(symbol="ing"), None),
        (Filters(symbol="wait", path="docs"), None),
        (Filters(author="ada"), ["Stop at once"]),
        (Filters(author="nobody"), []),
        (Filters(since="2024-03"), ["Proxy of the session", "Wait longer"]),
        (Filters(until="2024-02-02"), ["Stop at once", "First"]),
        (Filters(since="2024-02-02", until="2024-03-03"), ["Wait longer", "Stop at once"]),
        (Filters(since="2024-03-03T13:00:00+01:00", until="2024-03-03T12:00:00"), ["Wait longer"]),
        (Filters(since="2024-03-03", until="2024"), ["Proxy of the session", "Wait longer"]),
        (Filters(path="."), ["Proxy of the session", "Wait longer", "Stop at once", "First"]),
    ],
)
def test_filters_keep_what_they_name(changes: Changes, filters: Filters, found: list[str] | None) -> None:
    if found is None:
        with pytest.raises(UsageError, match="is indexed, and no change names one"):
            changes.find(filters=filters)
    else:
        assert titles(changes.find(filters=filters)) == found


def test_with_a_question_each_change_is_found_once_by_what_fits_best(changes: Changes) -> None:
    found = changes.find("which change made the proxy time out")
    assert sorted(titles(found)) == sorted({result.name for result in found})
    review = next(result for result in found if result.commit == THIRD)
    assert review.symbol_kind == "review"


def test_filters_hold_for_a_question_too(changes: Changes) -> None:
    assert set(titles(changes.find("proxy", Filters(path="net")))) == {"Wait longer", "Stop at once", "First"}
    assert titles(changes.find("proxy", Filters(author="bob"))) == ["Wait longer"]
    assert changes.find("proxy", Filters(author="nobody")) == []


@pytest.mark.parametrize(
    ("filters", "what"),
    [
        (Filters(since="yesterday"), "'yesterday' is no date"),
        (Filters(until="2024-02-30"), "'2024-02-30' is no date"),
        (Filters(since="0001-01-01T00:00:00+23:00"), "is no date"),
        (Filters(since="2024-05", until="2024-04-30"), "nothing is since 2024-05 and until 2024-04-30"),
        (Filters(path="lib/client.py"), "is it one of net/client.py?"),
        (Filters(symbol="Session.wait"), "is it one of client.wait?"),
    ],
)
def test_what_cannot_be_is_said(changes: Changes, filters: Filters, what: str) -> None:
    with pytest.raises(UsageError, match=what.replace("?", r"\?")):
        changes.find(filters=filters)


def test_no_change_at_all_is_too_few_to_ask_for(changes: Changes) -> None:
    with pytest.raises(UsageError, match="top is 0"):
        changes.find(top=0)


def test_a_change_comes_with_what_was_said_about_it(changes: Changes) -> None:
    assert [result.symbol_kind for result in changes.of(THIRD[:7].upper())] == [None, "review"]
    assert titles(changes.of(FIRST)) == ["First"]


@pytest.mark.parametrize("commit", ["333333", "wait longer", "", "3333333g", "*", "3" * 41])
def test_what_names_no_commit_is_refused(changes: Changes, commit: str) -> None:
    with pytest.raises(UsageError, match="give 7 to 40 digits"):
        changes.of(commit)


def test_a_commit_that_is_not_indexed_is_refused(changes: Changes) -> None:
    with pytest.raises(UsageError, match="no indexed change is called 9999999"):
        changes.of("9999999")


def test_a_corpus_without_history_says_so(tmp_path: Path) -> None:
    release = Changes(retriever_of([chunk("proxy")], tmp_path / "snapshot"))
    with pytest.raises(GitContextError, match="holds no changes"):
        release.find("proxy")
