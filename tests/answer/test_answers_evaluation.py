from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from gitcontext_pipeline.errors import GitContextError, UsageError
from gitcontext_pipeline.evaluation.answers import evaluate_answers
from gitcontext_pipeline.evaluation.answers_report import AnswersReport, read_answers, write_answers
from gitcontext_pipeline.evaluation.cases import CaseSet, Unanswerable
from gitcontext_pipeline.retrieval.result import Result
from tests.answer.evidence import EVIDENCE, FIX, LINES, REBUILD, STRIP, TRUE_CLAIMS, reply
from tests.evaluation.builders import case_set
from tests.fakes.language_model import ScriptedModel

CASES = case_set(
    {
        "id": "auth",
        "query": "Where does Requests strip redirect authorization?",
        "gold": [{"path": "src/requests/sessions.py", "symbol": "SessionRedirectMixin.rebuild_auth"}],
    },
    {
        "id": "lines",
        "query": "What becomes of a chunk that has no delimiter at its end?",
        "gold": [{"path": "src/requests/models.py", "start_line": 893, "end_line": 900}],
    },
    {"id": "change", "query": "Why is the header dropped on a redirect?", "gold": [{"pr": 4718}]},
    {"id": "hooks", "query": "Where are hooks called?", "gold": [{"path": "src/requests/hooks.py"}]},
    {"id": "none", "query": "How do I turn on HTTP/2?", "why_absent": "There is nothing on it."},
)
DEFINITIONS = {("src/requests/sessions.py", "SessionRedirectMixin.rebuild_auth"): [(309, 324)]}


class FixedSearch:
    """Finds the same evidence whatever is asked, and records what was."""

    def __init__(self, *evidence: Result) -> None:
        self.evidence = evidence
        self.asked: list[str] = []

    def search(self, question: str, top: int = 10, scope: str | None = None) -> list[Result]:
        self.asked.append(question)
        return list(self.evidence[:top])


def evaluated(replies: Sequence[str], cases: CaseSet = CASES, **options: object) -> AnswersReport:
    return evaluate_answers(
        FixedSearch(*EVIDENCE),
        ScriptedModel(replies),
        cases,
        definitions=DEFINITIONS,
        **options,  # type: ignore[arg-type]
    )


REPLIES = (
    reply([TRUE_CLAIMS[3]]),  # auth: passes, cites the gold
    reply([{"source": 1, "from": 154, "to": 154, "text": "The code does various things here."}]),  # lines: fails twice
    reply([{"source": 1, "from": 154, "to": 154, "text": "The code does various things here."}]),
    '{"answered":false}',  # change: declined
    reply([{"source": 9, "from": 1, "to": 1, "text": "Nothing of the kind is shown here at all."}]),  # hooks: fails,
    reply([TRUE_CLAIMS[0]]),  # then passes, and its evidence has no gold
    '{"answered":false}',  # none: rightly declined
)


def test_every_question_ends_in_one_of_the_counts() -> None:
    counts = evaluated(REPLIES).counts
    assert (counts.cases, counts.passed, counts.repaired, counts.withheld, counts.failed) == (4, 1, 1, 2, 0)
    assert counts.pass_rate == 0.5
    assert (counts.unanswerable, counts.unanswerable_withheld) == (1, 1)


def test_what_was_caught_is_counted_by_rule() -> None:
    counts = evaluated(REPLIES).counts
    assert counts.withheld_by["says-something"] == 1
    assert counts.withheld_by["declined"] == 1
    assert counts.dropped_by["source-shown"] == 1


def test_a_citation_of_what_was_not_shown_is_a_failure_of_shape() -> None:
    assert evaluated(REPLIES).counts.shape_failures == 1


def test_gold_is_followed_from_the_evidence_to_the_prompt_to_the_citation() -> None:
    report = evaluated(REPLIES)
    told = {case.id: (case.gold_found, case.gold_lines, case.gold_shown > 0, case.gold_cited) for case in report.cases}
    assert told["auth"] == (2, 16, True, True)
    assert told["lines"] == (3, 8, True, False)
    assert told["change"] == (4, 5, True, False)
    assert told["hooks"] == (None, 0, False, False)
    assert (report.counts.gold_in_evidence, report.counts.gold_in_prompt, report.counts.gold_cited) == (3, 3, 1)
    assert 0 < report.counts.gold_lines_share <= 1


def test_the_cited_lines_and_not_only_their_file_must_be_gold() -> None:
    cases = case_set(
        {"id": "x", "query": "Which ports?", "gold": [{"path": STRIP.path, "start_line": 1, "end_line": 9}]}
    )
    (answer,) = evaluated([reply([TRUE_CLAIMS[1]])], cases).cases
    assert answer.shown
    assert not answer.gold_cited


def test_a_limit_bounds_the_answerable_and_the_unanswerable_questions() -> None:
    search = FixedSearch(REBUILD, LINES, FIX)
    more = [Unanswerable(f"u{at}", f"unanswerable {at}?", "nothing") for at in range(3)]
    report = evaluate_answers(search, ScriptedModel(['{"answered":false}']), CASES, unanswerable=more, limit=2)
    assert [case.id for case in report.cases] == ["auth", "lines", "none", "u0"]
    assert report.limit == 2
    assert len(search.asked) == 4


def test_questions_that_the_origin_cannot_answer_are_not_asked() -> None:
    report = evaluated(['{"answered":false}'], absent={"history": "a release has none"})
    assert "change" not in {case.id for case in report.cases}


def test_a_model_that_fails_fails_the_case_and_the_run_goes_on() -> None:
    def fail() -> None:
        raise GitContextError("llama.cpp stopped with the code 1")

    report = evaluate_answers(FixedSearch(*EVIDENCE), ScriptedModel([""], during=fail), CASES)
    assert report.counts.failed == 4
    assert {case.failure for case in report.cases} == {"llama.cpp stopped with the code 1"}


@pytest.mark.parametrize("options", [{"top": 0}, {"limit": 0}])
def test_impossible_parameters_are_refused(options: dict[str, int]) -> None:
    with pytest.raises(UsageError):
        evaluated(REPLIES, **options)


def test_time_and_tokens_are_told() -> None:
    timing = evaluated(REPLIES).timing
    assert timing.p95_seconds >= timing.p50_seconds > 0
    assert timing.written_tokens_per_second > 0
    assert timing.read_tokens_per_second > 0


def test_progress_counts_every_question() -> None:
    seen: list[tuple[int, int]] = []
    evaluated(REPLIES, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(at, 5) for at in range(1, 6)]


def test_a_report_survives_its_file_and_names_itself_by_what_was_answered(tmp_path: Path) -> None:
    report = evaluated(REPLIES)
    write_answers(tmp_path / "answers.json", report)
    again = read_answers(tmp_path / "answers.json")
    assert again == report
    assert again.id == evaluated(REPLIES).id
    assert again.id != evaluated(['{"answered":false}']).id


def test_a_damaged_report_is_named(tmp_path: Path) -> None:
    (tmp_path / "answers.json").write_text('{"cases": 3}')
    with pytest.raises(GitContextError, match=r"answers\.json"):
        read_answers(tmp_path / "answers.json")
