from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitcontext_pipeline.errors import UsageError
from gitcontext_pipeline.evaluation.cases import parse_cases, read_cases
from gitcontext_pipeline.evaluation.gold import Gold
from tests.evaluation.builders import case_set

GOOD = b'{"query": "why", "gold": [{"path": "a.py"}]}'


def test_every_field_of_a_case_is_read() -> None:
    found = case_set(
        {
            "id": "x1",
            "query": " why ",
            "gold": [{"path": "./src//a.py", "symbol": "A.b"}, {"pr": 12}, {"commit": "ABCDEF1"}],
            "scope": "code",
            "kind": "code",
            "style": "symptom",
            "intent": "auth",
            "_note": float("1e300"),
        }
    )
    (case,) = found.cases
    assert case.query == "why"
    assert case.gold == (Gold(path="src/a.py", symbol="A.b"), Gold(pr=12), Gold(commit="abcdef1"))
    assert [entry.name for entry in case.gold] == ["src/a.py#A.b", "pr:12", "commit:abcdef1"]
    assert (case.scope, case.kind, case.style, case.intent, case.line) == ("code", "code", "symptom", "auth", 1)


def test_lines_may_be_one_line() -> None:
    (case,) = case_set({"query": "q", "gold": [{"path": "a.py", "start_line": 4}]}).cases
    assert case.gold[0].lines == (4, 4)


def test_hitgates_form_is_read_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "golden.fastapi.jsonl"
    path.write_text(
        '{"query": "API key by header", "expect_path_contains": "api_key.py", '
        '"expect_scope": "code", "intent": "security"}\n'
        '{"query": "how are files sent", "expect_path_contains": ["a.py", "docs/b.md"], '
        '"expect_scope": ["code", "docs"], "intent": "parameters", "paraphrase": true, "someday": 3}\n'
    )
    found = read_cases(path)
    first, second = found.cases
    assert first.gold == (Gold(contains="api_key.py"),)
    assert (first.scope, first.intent, first.scope_argument) == ("code", "security", "code")
    assert second.gold == (Gold(contains="a.py"), Gold(contains="docs/b.md"))
    assert (second.scope, second.scope_argument, second.style) == ("code+docs", None, "paraphrase")
    assert found.ignored_fields == ("someday",)


def test_a_question_without_answer_is_kept_apart() -> None:
    found = case_set({"query": "HTTP/2?", "why_absent": "not there"}, {"query": "q", "gold": [{"path": "a"}]})
    assert [case.query for case in found.cases] == ["q"]
    assert [case.why_absent for case in found.unanswerable] == ["not there"]


@pytest.mark.parametrize(
    ("data", "line", "said"),
    [
        (b"", None, "no case"),
        (b"\n \n", None, "no case"),
        (b"\xef\xbb\xbf" + GOOD, 1, "byte-order mark"),
        (GOOD.decode().encode("utf-16"), 1, "byte-order mark"),
        (GOOD + b"\n{", 2, "not JSON"),
        (GOOD + b"\n[]", 2, "a list, not an object"),
        (GOOD + b'\n{"query": "\xff"}', 2, "not UTF-8"),
        (GOOD + b"\r" + GOOD, 1, "carriage return"),
        (b'{"query": "a\xe2\x80\xa8b", "gold": [{"path": "a"}]}', 1, "U+2028"),
        (b'{"query": "a\xc2\x85b", "gold": [{"path": "a"}]}', 1, "U+0085"),
        (GOOD + b"\x0b", 1, "vertical tab"),
        (b'{"query": "a", "gold": [{"pr": NaN}]}', 1, "NaN"),
        (b'{"query": "a", "gold": [{"pr": 1e999}]}', 1, "whole number"),
        (b'{"query": "a", "gold": [{"pr": true}]}', 1, "whole number"),
        (b'{"query": "a", "gold": [{"pr": 0}]}', 1, "whole number"),
        (b'{"query": "a", "query": "b", "gold": [{"path": "a"}]}', 1, "twice"),
        (b'{"query": "\\ud800", "gold": [{"path": "a"}]}', 1, "surrogate"),
        (b'{"query": 3, "gold": [{"path": "a"}]}', 1, "query is a int, not text"),
        (b'{"query": " ", "gold": [{"path": "a"}]}', 1, "no query"),
        (b'{"query": "a"}', 1, "no gold"),
        (b'{"query": "a", "gold": []}', 1, "no gold"),
        (b'{"query": "a", "gold": {}}', 1, "not a list"),
        (b'{"query": "a", "gold": ["a.py"]}', 1, "not an object"),
        (b'{"query": "a", "gold": [{}]}', 1, "none of path, pr, commit"),
        (b'{"query": "a", "gold": [{"symbol": "x"}]}', 1, "none of path, pr, commit"),
        (b'{"query": "a", "gold": [{"path": "a", "pr": 1}]}', 1, "path and pr"),
        (b'{"query": "a", "gold": [{"pr": 1, "symbol": "x"}]}', 1, "does not go with"),
        (b'{"query": "a", "gold": [{"path": "/a"}]}', 1, "inside the repository"),
        (b'{"query": "a", "gold": [{"path": "../a"}]}', 1, "inside the repository"),
        (b'{"query": "a", "gold": [{"path": "a", "start_line": 9, "end_line": 3}]}', 1, "before start_line"),
        (b'{"query": "a", "gold": [{"path": "a", "end_line": 3}]}', 1, "without start_line"),
        (b'{"query": "a", "gold": [{"path": "a", "start_line": "3"}]}', 1, "whole number"),
        (b'{"query": "a", "gold": [{"commit": "abc"}]}', 1, "hex digits"),
        (b'{"query": "a", "gold": [{"path": "a", "lines": 3}]}', 1, "no field 'lines'"),
        (b'{"query": "a", "gold": [{"path": "a"}, {"path": "./a"}]}', 1, "same gold entry twice"),
        (b'{"query": "a", "gold": [{"path": "a"}], "stlye": "x"}', 1, "unknown field 'stlye'"),
        (b'{"query": "a", "gold": [{"path": "a"}], "why_absent": "b"}', 1, "gold and why_absent"),
        (b'{"query": "a", "why_absent": ""}', 1, "why_absent is empty"),
        (b'{"query": "a", "gold": [{"path": "a"}], "expect_path_contains": "b"}', 1, "both gold"),
        (b'{"query": "a", "expect_path_contains": ""}', 1, "expect_path_contains"),
        (b'{"query": "a", "expect_path_contains": []}', 1, "empty"),
        (b'{"query": "a", "expect_path_contains": [3]}', 1, "expect_path_contains"),
        (b'{"query": "a", "expect_path_contains": "b", "expect_scope": 3}', 1, "expect_scope"),
        (GOOD + b"\n\n" + GOOD, 3, "query of line 1 again"),
        (GOOD + b'\n{"query": "WHY ", "gold": [{"path": "b"}]}', 2, "query of line 1 again"),
        (
            b'{"id": "x", "query": "a", "gold": [{"pr": 1}]}\n{"id": "x", "query": "b", "gold": [{"pr": 1}]}',
            2,
            "the id",
        ),
        (b"[" * 100_000, 1, "nested"),
        (b'{"query": "a", "gold": [{"pr": ' + b"9" * 5000 + b"}]}", 1, "digits"),
    ],
)
def test_what_would_measure_something_else_is_refused_with_its_line(data: bytes, line: int | None, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_cases(data, "golden.jsonl")
    assert said in caught.value.what
    assert caught.value.where == ("golden.jsonl" if line is None else f"golden.jsonl:{line}")
    assert caught.value.fix


def test_a_mistyped_field_is_answered_with_the_right_one() -> None:
    with pytest.raises(UsageError, match="Did you mean 'style'"):
        case_set({"query": "a", "gold": [{"path": "a"}], "stlye": "x"})


def test_windows_line_ends_are_line_ends() -> None:
    assert len(parse_cases(GOOD + b'\r\n{"query": "b", "gold": [{"path": "a"}]}\r\n').cases) == 2


@pytest.mark.parametrize("name", ["missing.jsonl", "."])
def test_a_file_that_cannot_be_read_is_a_usage_error(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError):
        read_cases(tmp_path / name)


def test_the_hash_is_of_what_is_measured() -> None:
    one = {"id": "a", "query": "x", "gold": [{"path": "a"}, {"pr": 3}]}
    two = {"id": "b", "query": "y", "gold": [{"path": "b"}]}
    same = case_set(two, {"gold": [{"pr": 3}, {"path": "./a"}], "query": "x", "id": "a", "_seen": "by Ada"})
    assert case_set(one, two).sha256 == same.sha256
    for changed in ({**one, "query": "z"}, {**one, "gold": [{"path": "a"}]}, {**one, "scope": "code"}):
        assert case_set(changed, two).sha256 != same.sha256
    assert case_set(one).sha256 != same.sha256


def test_ids_that_nobody_gave_do_not_depend_on_the_order() -> None:
    one, two = {"query": "x", "gold": [{"path": "a"}]}, {"query": "y", "gold": [{"path": "a"}]}
    assert {case.id for case in case_set(one, two).cases} == {case.id for case in case_set(two, one).cases}


@given(st.binary(max_size=200))
def test_no_bytes_crash_the_reader(data: bytes) -> None:
    with suppress(UsageError):
        parse_cases(data)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
FIELDS = st.sampled_from(
    ["id", "query", "gold", "scope", "style", "why_absent", "expect_path_contains", "expect_scope", "paraphrase", "_x"]
)
GOLD = st.lists(
    st.dictionaries(st.sampled_from(["path", "symbol", "start_line", "end_line", "pr", "commit"]), JSON, max_size=4)
)


@given(st.lists(st.dictionaries(FIELDS, JSON | GOLD, max_size=5), max_size=4))
def test_no_objects_crash_the_reader(objects: list[object]) -> None:
    with suppress(UsageError):
        found = parse_cases("\n".join(json.dumps(value) for value in objects).encode())
        assert all(case.query and case.gold for case in found.cases)
        assert len({case.id for case in found.cases}) == len(found.cases)
