from __future__ import annotations

from typing import Any

import pytest

from gitcontext_pipeline.evaluation.audit import alike, audit, copied_share
from gitcontext_pipeline.evaluation.corpus_view import CorpusView, merged
from gitcontext_pipeline.evaluation.report import Finding
from tests.evaluation.builders import case_set

ROWS: list[dict[str, Any]] = [
    {
        "path": "a.py",
        "symbol": "f",
        "start_line": 1,
        "end_line": 9,
        "text": "Strip the auth header on redirects",
        "kind": "code",
    },
    {"path": "a.py", "symbol": "twice", "start_line": 20, "end_line": 29, "text": "", "kind": "code"},
    {"path": "a.py", "symbol": "twice", "start_line": 60, "end_line": 69, "text": "", "kind": "code"},
    {"path": "a.py", "symbol": "long", "start_line": 100, "end_line": 149, "text": "", "kind": "code"},
    {"path": "a.py", "symbol": "long", "start_line": 150, "end_line": 199, "text": "", "kind": "code"},
    {"path": "x/a.py", "symbol": None, "start_line": 1, "end_line": 5, "text": "", "kind": "code"},
    {"path": "plain.txt", "symbol": None, "start_line": float("nan"), "end_line": None, "text": "", "kind": "docs"},
    {"path": "", "commit": "abcdef1" + "0" * 33, "text": "subject", "kind": "commit"},
    {"path": "", "commit": "abcdef1" + "1" * 33, "pr": 12.0, "text": "subject", "kind": "pull_request"},
]


def findings(*cases: dict[str, Any], corpus: bool = True) -> list[Finding]:
    found = case_set(*cases)
    return audit(found, found.cases, CorpusView.from_rows(ROWS) if corpus else None).findings


def case(query: str = "why is it so", **fields: Any) -> dict[str, Any]:
    return {"id": "c", "query": query, **fields}


@pytest.mark.parametrize(
    ("gold", "problem", "detail"),
    [
        ([{"path": "absent.py"}], "impossible", "absent.py"),
        ([{"path": "a.py", "symbol": "g"}], "impossible", "a.py#g"),
        ([{"path": "a.py", "start_line": 300}], "impossible", "a.py#L300-L300"),
        ([{"pr": 99}], "impossible", "pr:99"),
        ([{"commit": "1234567"}], "impossible", "commit:1234567"),
        ([{"path": "a.py", "symbol": "f"}, {"pr": 99}], "missing entry", "pr:99"),
        ([{"path": "a.py", "symbol": "twice"}], "ambiguous", "2 times: L20-L29, L60-L69"),
        ([{"commit": "abcdef1"}], "ambiguous", "begins 2 commits"),
    ],
)
def test_gold_is_looked_up_in_the_corpus(gold: list[dict[str, Any]], problem: str, detail: str) -> None:
    (found,) = findings(case(gold=gold))
    assert (found.case, found.problem) == ("c", problem)
    assert detail in found.detail
    assert found.severity == ("error" if problem == "impossible" else "warning")


@pytest.mark.parametrize(
    "gold",
    [
        [{"path": "a.py", "symbol": "f"}],
        [{"path": "a.py", "symbol": "long"}],
        [{"path": "a.py", "start_line": 5}],
        [{"path": "plain.txt", "symbol": "heading"}],
        [{"commit": "abcdef11"}],
        [{"pr": 12}],
    ],
)
def test_gold_that_is_there_once_is_no_finding(gold: list[dict[str, Any]]) -> None:
    assert findings(case(gold=gold)) == []


def test_the_older_form_tells_when_it_fits_several_paths() -> None:
    (found,) = findings({"query": "q", "expect_path_contains": "a.py"})
    assert (found.problem, found.detail) == ("ambiguous", "'a.py' is part of 2 paths: a.py, x/a.py")


def test_gold_outside_the_cases_scope_is_told() -> None:
    (found,) = findings(case(gold=[{"path": "a.py", "symbol": "f"}], scope="history"))
    assert (found.problem, found.detail) == ("out of scope", "its scope is history, its gold is code")


def test_a_query_copied_from_the_gold_text_is_told() -> None:
    (found,) = findings(case("where do we strip the auth header on redirects", gold=[{"path": "a.py", "symbol": "f"}]))
    assert found.problem == "leak"
    assert found.detail == "6 words in a row, 67% of the query, are copied from the gold text"


def test_copied_words_are_whole_words_in_their_order() -> None:
    assert copied_share("one two three", "zero one two three four") == (3, 1.0)
    assert copied_share("one two three", "someone two threefold") == (1, 1 / 3)
    assert copied_share("", "text") == (0, 0.0)


def test_near_duplicates_are_told_without_a_corpus() -> None:
    queries = [
        "why is the auth header stripped",
        "why is the auth header stripped, then?",
        "something else entirely here",
    ]
    cases = [{"id": f"c{i}", "query": query, "gold": [{"path": "a.py"}]} for i, query in enumerate(queries)]
    (found,) = findings(*cases, corpus=False)
    assert (found.problem, found.case) == ("duplicate", "c1")
    assert "c0" in found.detail


def test_short_queries_are_not_called_alike() -> None:
    assert alike("auth header", "header auth") == 0.0


def test_fields_that_were_ignored_are_told() -> None:
    (found,) = findings({"query": "q", "expect_path_contains": "x/a.py", "someday": 1})
    assert found.problem == "ignored field"


def test_parts_of_a_definition_are_one_definition() -> None:
    assert merged([(10, 20), (1, 5), (6, 9), (40, 50)]) == ((1, 20), (40, 50))


def test_a_misspelt_method_is_not_in_its_class() -> None:
    rows = [
        {
            "path": "a.py",
            "kind": "code",
            "symbol": "A",
            "start_line": 1,
            "end_line": 9,
            "text": "class A:\n  def b(self)",
        }
    ]
    for symbol, problems in (("A.b", []), ("A.c", ["impossible"])):
        cases = case_set({"query": "where", "gold": [{"path": "a.py", "symbol": symbol}]})
        found = audit(cases, cases.cases, CorpusView.from_rows(rows)).findings
        assert [finding.problem for finding in found] == problems
