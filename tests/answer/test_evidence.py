"""What is printed of evidence that is out of all proportion."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from gitcontext_pipeline.answer.evidence import LONGEST_LINE, LONGEST_TITLE, WEAK_LINES, Answer, code_span
from gitcontext_pipeline.answer.lineage import ChangeRef, Lineage
from gitcontext_pipeline.cli.ask import results_as_text
from gitcontext_pipeline.retrieval.confidence import Confidence
from tests.answer.evidence import FIX, REVISION, STRIP

HUGE = "Strip the header " + "again and " * 10_000
ANSWER = Answer(
    question="why?",
    corpus="requests",
    revision=REVISION,
    evidence=(replace(FIX, signature=HUGE, text=HUGE), STRIP),
    lineage={STRIP.id: Lineage(introduced=ChangeRef(REVISION, 4718, HUGE, "2018-06-29", FIX.url))},
)


def test_long_titles_and_lines_are_cut_when_printed_and_whole_in_json() -> None:
    printed = ANSWER.as_markdown()
    assert max(map(len, printed.splitlines())) < LONGEST_LINE + LONGEST_TITLE
    assert next(line for line in printed.splitlines() if line.startswith("    | Strip")).endswith("…")
    assert "introduced in #4718, Strip the header again" in printed
    assert len(printed) < 5_000
    assert ANSWER.as_json()["evidence"][0]["text"] == HUGE


@pytest.mark.parametrize(
    ("name", "span"),
    [
        ("send", "`send`"),
        ("use `send`", "`` use `send` ``"),
        ("a `` [b](https://evil.example) c", "```a `` [b](https://evil.example) c```"),
    ],
)
def test_no_name_leaves_its_code_span(name: str, span: str) -> None:
    assert code_span(name) == span


def test_of_weak_evidence_little_is_shown() -> None:
    long = replace(STRIP, text="\n".join(f"line {number}" for number in range(30)))
    strong = replace(ANSWER, evidence=(long,), confidence=Confidence(0.9, 0.4))
    weak = replace(strong, confidence=Confidence(0.1, 0.4))
    assert strong.as_markdown().count("    | line") == 30
    assert weak.as_markdown().count("    | line") == WEAK_LINES - 1
    assert "… 23 more lines" in weak.as_markdown()


def test_no_title_author_or_path_becomes_a_link_an_image_or_a_tag_of_the_markdown() -> None:
    hostile = "![](https://evil.example/x.png) <img src=x> \\[a](javascript:b)"
    answer = replace(
        ANSWER,
        evidence=(replace(FIX, author=hostile), replace(STRIP, path=f"{hostile}.py")),
        lineage={STRIP.id: Lineage(introduced=ChangeRef(REVISION, 4718, hostile, "2018-06-29", FIX.url))},
    )
    lines = [line for line in answer.as_markdown().splitlines() if "evil.example" in line and "    | " not in line]
    assert len(lines) == 3
    assert not any(re.search(r"(?<!\\)(?:\\\\)*[\[<]", line.removeprefix("[2]")) for line in lines)


def test_a_list_of_results_has_no_endless_title() -> None:
    printed = results_as_text(ANSWER.evidence)
    assert "…  (pull request #4718)" in printed
    assert max(map(len, printed.splitlines())) < LONGEST_TITLE + 60
