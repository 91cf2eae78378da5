from __future__ import annotations

import html
import json
import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitcontext_pipeline.evaluation.gate import judge
from gitcontext_pipeline.evaluation.policy import GatePolicy
from gitcontext_pipeline.evaluation.verdict import CaseChange, Reason, Verdict
from gitcontext_pipeline.evaluation.verdict_formats import MARKER, as_json, as_junit, as_markdown, quoted, xml_text
from tests.evaluation.builders import baseline_of, hits, report_of

HOSTILE = (
    "a|b `c` **d** <img src=x onerror=y> @everyone #1 [x](http://evil.example) www.evil.example\n# title\x00\u202e"
)


def verdict_of(after: int, before: int) -> Verdict:
    return judge(report_of(hits(after, 20)), baseline_of(report_of(hits(before, 20))))


def test_json_holds_the_outcome_and_the_exit_code() -> None:
    content = json.loads(as_json(verdict_of(10, 15)))
    assert (content["outcome"], content["exit_code"]) == ("regression", 1)
    assert {"metric", "baseline", "current", "delta_pp", "gated", "outcome"} <= content["deltas"][0].keys()


def test_markdown_says_first_what_happened() -> None:
    text = as_markdown(verdict_of(10, 15))
    lines = text.splitlines()
    assert lines[0] == MARKER
    assert lines[1] == "### ❌ Retrieval quality: regression"
    assert "| Hit@5 | 20 | 0.750 | 0.500 | -25.00 | regression |" in lines
    assert "**Lost** at 5 rows (5):" in lines
    assert any("Baseline frozen" in line and "Ada" in line for line in lines)
    assert as_markdown(verdict_of(15, 15)).splitlines()[1].endswith("pass")


@pytest.mark.parametrize("outcome", ["pass", "improvement", "regression", "incomparable", "error"])
def test_every_outcome_has_every_form(outcome: str) -> None:
    verdict = Verdict(outcome=outcome, reasons=[Reason(what="why", fix="do")], tolerance_pp=5.0)  # type: ignore[arg-type]
    assert outcome in as_json(verdict)
    assert "why" in as_markdown(verdict)
    assert ElementTree.fromstring(as_junit(verdict)).tag == "testsuite"


def test_other_peoples_text_is_inert_in_markdown() -> None:
    text = quoted(HOSTILE)
    inside = text.removeprefix("<code>").removesuffix("</code>")
    assert not re.search(r"[<>|`*_\[\]()@:\n\x00\u202e]", inside)
    assert not re.search(r"www\.", inside)
    assert html.unescape(inside).startswith("a|b `c` **d** <img src=x onerror=y> @everyone #1 [x]")


def test_a_hostile_query_adds_no_line_and_no_cell() -> None:
    case = CaseChange(id="c|1", query=HOSTILE, before=1, after=None)
    verdict = verdict_of(10, 15).model_copy(update={"lost": [case], "reasons": [Reason(what=HOSTILE, fix=HOSTILE)]})
    plain = verdict.model_copy(
        update={"lost": [case.model_copy(update={"query": "q", "id": "c"})], "reasons": [Reason(what="w", fix="f")]}
    )
    one, other = as_markdown(verdict), as_markdown(plain)
    assert len(one.splitlines()) == len(other.splitlines())
    assert one.count("|") == other.count("|")
    assert "@everyone" not in one


@given(st.text(max_size=60))
def test_no_text_leaves_its_code_span(text: str) -> None:
    found = quoted(text)
    assert found.count("<") == found.count(">") == 2
    assert found.splitlines() == [found]
    assert found.encode()


def test_long_text_is_cut() -> None:
    assert len(quoted("x" * 5000)) < 250
    many = [CaseChange(id=f"c{i}", query="q", before=1, after=None) for i in range(50)]
    assert "and 30 more" in as_markdown(verdict_of(10, 15).model_copy(update={"lost": many}))


def test_junit_has_a_case_for_each_gated_number() -> None:
    suite = ElementTree.fromstring(as_junit(verdict_of(10, 15)))
    names = [case.get("name") for case in suite]
    assert names == ["comparison", "Hit@1", "Hit@3", "Hit@5", "MRR"]
    assert suite.get("tests") == "5"
    assert suite.get("failures") == "5"
    assert len(suite.findall("testcase/failure")) == 5


def test_what_cannot_be_compared_is_an_error_in_junit_and_not_a_failure() -> None:
    report = report_of([1])
    verdict = judge(report, baseline_of(report), GatePolicy(metrics=("hit@5",)), expected={"snapshot": "other"})
    suite = ElementTree.fromstring(as_junit(verdict))
    assert (suite.get("errors"), suite.get("failures")) == ("1", "0")
    error = suite.find("testcase/error")
    assert error is not None
    assert "another snapshot" in error.get("message", "")
    assert "gitcontext eval run" in (error.text or "")


@given(st.text())
def test_no_text_breaks_the_xml(text: str) -> None:
    verdict = Verdict(outcome="error", reasons=[Reason(what=text, fix=text)], tolerance_pp=5.0)
    ElementTree.fromstring(as_junit(verdict))
    xml_text(text).encode()
