from __future__ import annotations

import time
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from gitcontext_pipeline.errors import GitContextError, UsageError
from gitcontext_pipeline.evaluation.cases import read_cases
from gitcontext_pipeline.evaluation.matching import Granularity
from gitcontext_pipeline.evaluation.report import TIME_FIELDS, Report, read_report, stable_content, write_report
from gitcontext_pipeline.evaluation.run import GIVE_UP_AFTER, evaluate
from tests.evaluation.builders import case_set, numbered, write_lines


class Recorder:
    """Answers by query, and remembers what it was asked."""

    def __init__(self, rows: Mapping[str, list[dict[str, Any]]] | None = None) -> None:
        self.rows = rows or {}
        self.asked: list[tuple[str, int, str | None]] = []

    def __call__(self, query: str, top: int, scope: str | None, /) -> list[dict[str, Any]]:
        self.asked.append((query, top, scope))
        return self.rows.get(query, [])


def finding_every(query: str, top: int, scope: str | None, /) -> list[dict[str, Any]]:
    return [{"path": f"f{query.split()[-1]}.py"}]


def failing_on(*numbers: int) -> Any:
    def retrieve(query: str, top: int, scope: str | None, /) -> list[dict[str, Any]]:
        if int(query.split()[-1]) in numbers:
            raise OSError("gone")
        return finding_every(query, top, scope)

    return retrieve


def test_the_report_tells_every_case() -> None:
    cases = case_set(
        {
            "id": "a",
            "query": "qa",
            "gold": [{"path": "a.py", "start_line": 1, "end_line": 10}, {"pr": 3}],
            "scope": "code",
        },
        {"id": "b", "query": "qb", "gold": [{"path": "b.py"}]},
    )
    retriever = Recorder(
        {
            "qa": [
                {"path": "a.py", "start_line": 50, "end_line": 60},
                {"path": "a.py", "start_line": 5, "end_line": 14},
                {"path": "a.py", "start_line": 5, "end_line": 14},
                {"pr": 3},
            ]
        }
    )
    report = evaluate(retriever, cases, fingerprints={"corpus_revision": "r", "dataset": "forged"})
    first, second = report.cases
    assert (first.ranks, first.rank, first.path_rank) == ([2, 4], 2, 1)
    assert first.iou == pytest.approx(6 / 14, abs=1e-6)
    assert first.share == 0.6
    assert [row.answers for row in first.rows] == [None, 0, None, 1]
    assert first.notes == ["1 rows repeat an earlier one"]
    assert (second.ranks, second.rank, second.failure) == ([], None, None)
    assert report.metrics["hit@5"].value == 0.5
    assert report.fingerprints["dataset"] == cases.sha256
    assert report.fingerprints["package_version"]
    assert report.errors == []


def test_a_repeated_row_keeps_its_place_and_counts_once() -> None:
    cases = case_set({"query": "q", "gold": [{"path": "a.py"}, {"path": "b.py"}]})
    rows = [{"path": "x.py"}, {"path": "x.py"}, {"path": "a.py"}, {"path": "a.py"}]
    (found,) = evaluate(Recorder({"q": rows}), cases).cases
    assert found.ranks == [3]


def test_the_scope_is_a_label_unless_asked_for() -> None:
    cases = case_set(
        {"query": "a", "gold": [{"path": "a"}], "scope": "code"},
        {"query": "b", "expect_path_contains": "a", "expect_scope": ["code", "docs"]},
    )
    for use_scope, scopes in ((False, [None, None]), (True, ["code", None])):
        retriever = Recorder()
        report = evaluate(retriever, cases, use_scope=use_scope, top=7)
        assert retriever.asked == [("a", 7, scopes[0]), ("b", 7, scopes[1])]
        assert report.settings.use_scope is use_scope
        assert {part.value for part in report.slices} == {"code", "code+docs"}


def test_failed_cases_are_recorded_and_count_as_misses() -> None:
    report = evaluate(failing_on(3), numbered(10))
    assert report.cases[3].failure == "raised OSError: gone"
    assert report.metrics["hit@1"].value == 0.9
    assert report.errors == []


def test_too_many_failed_cases_make_the_run_an_error() -> None:
    report = evaluate(failing_on(3, 4), numbered(10))
    (error,) = report.errors
    assert error == "2 of 10 cases failed, more than 10%; the first, c3: raised OSError: gone"
    assert evaluate(failing_on(3, 4), numbered(10), max_failed=Fraction(1, 5)).errors == []


def test_a_retriever_that_only_fails_is_not_asked_to_the_end() -> None:
    retriever = failing_on(*range(40))
    report = evaluate(retriever, numbered(40))
    assert report.cases[GIVE_UP_AFTER].failure == "not asked: 5 queries in a row had failed"
    assert len(report.cases) == 40


def test_hanging_queries_do_not_hang_the_run() -> None:
    def retrieve(query: str, top: int, scope: str | None, /) -> list[dict[str, Any]]:
        if query == "question 0":
            time.sleep(30)
        return finding_every(query, top, scope)

    report = evaluate(retriever := retrieve, numbered(12), seconds_per_query=0.3)
    assert retriever is retrieve
    assert report.cases[0].failure == "did not answer within 0.3 s"
    assert report.metrics["hit@1"].value == pytest.approx(11 / 12, abs=1e-6)
    assert report.timing.seconds < 10


def test_a_set_without_a_measurable_case_is_an_error() -> None:
    report = evaluate(finding_every, case_set({"query": "q", "why_absent": "x"}))
    assert report.errors == ["no case could be measured"]


CORPUS = [
    {"path": "f0.py", "symbol": "f", "start_line": 1, "end_line": 9, "text": "def f", "kind": "code"},
    {"path": "docs/a.md", "symbol": "A", "start_line": 1, "end_line": 9, "text": "a", "kind": "docs"},
]


def test_impossible_cases_are_an_error_unless_allowed() -> None:
    cases = numbered(2)
    report = evaluate(finding_every, cases, corpus=CORPUS)
    assert report.errors == [
        "1 cases cannot be answered from this corpus; the first, c1: the corpus holds none of its gold: f1.py"
    ]
    allowed = evaluate(finding_every, cases, corpus=CORPUS, allow_impossible=True)
    assert allowed.errors == []
    assert [finding.problem for finding in allowed.audit.findings] == ["impossible"]


def test_cases_whose_material_the_origin_lacks_are_set_aside_by_name() -> None:
    cases = case_set(
        {"id": "h", "query": "when did it change", "gold": [{"pr": 3}, {"commit": "abcdef1"}]},
        {"id": "d", "query": "how is it set up", "gold": [{"path": "docs/b.md"}]},
        {"id": "m", "query": "why is it so", "gold": [{"path": "docs/b.md"}, {"path": "f0.py"}]},
    )
    absent = {"history": "a release archive has no history", "docs/": "this archive has no docs"}
    report = evaluate(Recorder(), cases, corpus=CORPUS, absent=absent)
    assert [(aside.id, aside.reason) for aside in report.set_aside] == [
        ("h", "a release archive has no history"),
        ("d", "this archive has no docs"),
    ]
    assert [(case.id, case.gold) for case in report.cases] == [("m", ["f0.py"])]
    assert report.errors == []


def test_the_corpus_tells_where_symbols_are() -> None:
    cases = case_set({"query": "q", "gold": [{"path": "f0.py", "symbol": "f"}]})
    retriever = Recorder({"q": [{"path": "f0.py", "start_line": 5, "end_line": 20}]})
    assert evaluate(retriever, cases).cases[0].rank is None
    assert evaluate(retriever, cases, corpus=CORPUS).cases[0].rank == 1
    assert evaluate(retriever, cases, granularity="file").cases[0].rank == 1


def test_absolute_paths_are_read_relative_to_the_root() -> None:
    cases = case_set({"query": "q", "gold": [{"path": "src/a.py"}]})
    retriever = Recorder({"q": [{"path": "/home/me/repo/src/a.py"}]})
    assert evaluate(retriever, cases).cases[0].rank is None
    assert evaluate(retriever, cases, root="/home/me/repo").cases[0].rank == 1


def test_two_runs_differ_in_time_fields_alone(tmp_path: Path) -> None:
    reports: list[Report] = []
    for _ in range(2):
        reports.append(evaluate(failing_on(3), numbered(12, scope="code"), fingerprints={"snapshot": "s"}))
        time.sleep(0.01)
    assert TIME_FIELDS == ("timing",)
    assert stable_content(reports[0]) == stable_content(reports[1])
    texts = [report.model_copy(update={"timing": reports[0].timing}).to_json() for report in reports]
    assert texts[0] == texts[1]


def test_a_report_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    report = evaluate(failing_on(3), numbered(12))
    write_report(tmp_path / "r.json", report)
    assert read_report(tmp_path / "r.json") == report


@pytest.mark.parametrize("text", ["", "{", "[]", '{"schema_version": 1}', "\xff"])
def test_a_damaged_report_is_refused_by_name(tmp_path: Path, text: str) -> None:
    (tmp_path / "r.json").write_text(text, encoding="latin-1")
    with pytest.raises(GitContextError, match=r"r\.json: ") as caught:
        read_report(tmp_path / "r.json")
    assert caught.value.exit_code == 3


def test_few_rows_are_noted() -> None:
    assert evaluate(finding_every, numbered(2)).notes == [
        "no query got more than 1 rows although 10 were asked for; see the retriever's own limit"
    ]


def test_rows_that_name_files_alone_are_noted_where_passages_are_asked_for() -> None:
    cases = case_set(
        {"query": "q1", "gold": [{"path": "f1.py", "symbol": "f"}]},
        {"query": "q2", "gold": [{"path": "f2.py", "start_line": 1, "end_line": 2}]},
        {"query": "q3", "gold": [{"path": "f3.py"}, {"path": "f3.py", "symbol": "f"}]},
    )
    rows = {query: [{"path": "f1.py"}, {"path": "f2.py"}] for query in ("q1", "q2", "q3")}

    def noted(granularity: Granularity = "passage") -> bool:
        notes = evaluate(Recorder(rows), cases, top=2, granularity=granularity).notes
        return any("the 2 questions that ask for them can only miss" in note for note in notes)

    assert noted()
    assert not noted("file")
    rows["q3"].append({"path": "f3.py", "symbol": "f"})
    assert noted()  # cut: two rows were asked for
    rows["q3"].insert(0, {"path": "f3.py", "symbol": "f"})
    assert not noted()


def test_progress_is_told_after_every_case() -> None:
    told: list[tuple[int, int]] = []
    evaluate(finding_every, numbered(3), progress=lambda done, of: told.append((done, of)))
    assert told == [(1, 3), (2, 3), (3, 3)]


@pytest.mark.parametrize("wrong", [{"top": 0}, {"seconds_per_query": 0}, {"seconds_per_query": float("nan")}])
def test_impossible_parameters_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        evaluate(finding_every, numbered(1), **wrong)


def test_hitgates_file_is_evaluated_unchanged(tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / "golden.jsonl",
        {"query": "API key", "expect_path_contains": "api_key.py", "expect_scope": "code", "intent": "security"},
        {
            "query": "uploads",
            "expect_path_contains": ["datastructures.py"],
            "expect_scope": "code",
            "intent": "parameters",
        },
    )
    rows = {"API key": [{"path": "fastapi/security/my_api_key.py"}, {"path": "fastapi/security/api_key.py"}]}
    report = evaluate(Recorder(rows), read_cases(path))
    assert [case.rank for case in report.cases] == [2, None]
    assert [(part.label, part.value) for part in report.slices] == [
        ("intent", "parameters"),
        ("intent", "security"),
        ("scope", "code"),
    ]
