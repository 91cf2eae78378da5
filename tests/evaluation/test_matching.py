from __future__ import annotations

import pytest

from gitcontext_pipeline.evaluation.gold import Gold, normalise_path
from gitcontext_pipeline.evaluation.matching import Overlap, answers, contains_segments
from gitcontext_pipeline.evaluation.rows import Row

SEND = Gold(path="src/sessions.py", symbol="Session.send")
DEFINED = {("src/sessions.py", "Session.send"): [(100, 150)], ("src/sessions.py", "Session.get"): [(60, 70)]}


def row(**fields: object) -> Row:
    return Row(**{"path": "src/sessions.py", **fields})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        ({"symbol": "Session.send"}, True),
        ({"symbol": "Session.send.inner"}, True),
        ({"symbol": "Session.sender"}, False),
        ({"symbol": "Session"}, True),
        ({"symbol": "Session", "start_line": 90, "end_line": 200}, True),
        ({"symbol": "Session", "start_line": 1, "end_line": 50}, False),
        ({"symbol": "Sess"}, False),
        ({"start_line": 140, "end_line": 180}, True),
        ({"start_line": 150}, True),
        ({"start_line": 151, "end_line": 180}, False),
        ({"symbol": "Session.get"}, False),
        ({}, False),
        ({"path": "sessions.py", "symbol": "Session.send"}, False),
        ({"path": "src/sessions.py", "symbol": "Session.send", "commit": "a" * 40, "kind": "code"}, True),
    ],
)
def test_a_symbol_is_answered_by_itself_its_inside_its_owner_or_its_lines(
    fields: dict[str, object], found: bool
) -> None:
    assert (answers(row(**fields), SEND, DEFINED) is not None) is found


def test_an_owner_of_unknown_lines_counts() -> None:
    assert answers(row(symbol="Session", start_line=1, end_line=50), SEND) is not None
    assert answers(row(symbol="Session"), SEND, DEFINED) is not None


def test_a_part_of_the_symbol_counts_even_where_the_corpus_defines_it_elsewhere() -> None:
    assert answers(row(symbol="Session.send", start_line=151, end_line=160), SEND, DEFINED) is not None


def test_a_line_range_tells_overlap_and_share() -> None:
    gold = Gold(path="a.py", start_line=10, end_line=19)
    assert answers(Row("a.py", 15, 34), gold) == Overlap(iou=5 / 25, share=5 / 20)
    assert answers(Row("a.py", 10, 19), gold) == Overlap(iou=1.0, share=1.0)
    assert answers(Row("a.py", 20, 29), gold) is None
    assert answers(Row("a.py"), gold) is None


def test_a_line_range_inside_a_symbol_is_not_answered_by_the_rest_of_the_symbol() -> None:
    gold = Gold(path="a.py", symbol="f", start_line=10, end_line=12)
    assert answers(Row("a.py", 1, 5, symbol="f"), gold) is None
    assert answers(Row("a.py", 8, 11, symbol="f"), gold) is not None


def test_a_whole_file_is_answered_by_any_row_of_it() -> None:
    assert answers(Row("docs/a.md", 1, 2), Gold(path="docs/a.md")) == Overlap()


def test_a_row_that_tells_only_its_symbol_has_the_lines_of_its_definition() -> None:
    found = answers(row(symbol="Session.get"), Gold(path="src/sessions.py", start_line=61, end_line=80), DEFINED)
    assert found == Overlap(iou=10 / 21, share=10 / 11)


def test_ranking_files_is_judged_by_files() -> None:
    assert answers(row(), SEND, DEFINED) is None
    assert answers(row(), SEND, DEFINED, "file") == Overlap()


@pytest.mark.parametrize(
    ("fields", "gold", "found"),
    [
        ({"commit": "a" * 40}, Gold(commit="a" * 7), True),
        ({"commit": "a" * 7}, Gold(commit="a" * 40), True),
        ({"commit": "b" * 40}, Gold(commit="a" * 7), False),
        ({"pr": 12, "commit": "c" * 40}, Gold(pr=12), True),
        ({"pr": 12, "commit": "c" * 40}, Gold(commit="c" * 12), True),
        ({"pr": 13}, Gold(pr=12), False),
        ({"path": "a.py", "commit": "a" * 40, "kind": "code"}, Gold(commit="a" * 7), False),
        ({"path": "a.py", "pr": 12, "kind": "docs"}, Gold(pr=12), False),
        ({"path": "x", "commit": "a" * 40, "kind": "commit"}, Gold(path="x"), False),
    ],
)
def test_history_is_answered_by_history(fields: dict[str, object], gold: Gold, found: bool) -> None:
    assert (answers(Row(**fields), gold) is not None) is found  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("path", "part", "found"),
    [
        ("src/utils.py", "utils.py", True),
        ("src/my_utils.py", "utils.py", False),
        ("src/utils.pyi", "utils.py", False),
        ("src/utils.py", "src/utils.py", True),
        ("src/utils.py", "src", True),
        ("src/utils.py", "src/utils", True),
        ("src/utils.py", "util", False),
        ("resrc/utils.py", "src/utils.py", False),
        ("a/src/b/utils.py", "src/utils.py", False),
        ("utils/a.py", "utils", True),
    ],
)
def test_the_older_form_matches_whole_segments(path: str, part: str, found: bool) -> None:
    assert contains_segments(path, part) is found


@pytest.mark.parametrize(
    ("path", "cleaned"),
    [
        ("./a//b.py", "a/b.py"),
        ("a\\b.py", "a/b.py"),
        ("a/../b.py", "b.py"),
        ("/repo/a.py", "a.py"),
        ("/repository/a.py", "/repository/a.py"),
        (".", ""),
        ("", ""),
        ("//repo/a.py", "a.py"),
    ],
)
def test_paths_are_compared_in_one_form(path: str, cleaned: str) -> None:
    assert normalise_path(path, "/repo/") == cleaned
