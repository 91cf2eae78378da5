"""Code as HTML: escaped, and a line for every line."""

from __future__ import annotations

import re
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitcontext_pipeline.answer.evidence import printable
from gitcontext_pipeline.chunks.languages import LANGUAGES
from gitcontext_pipeline.web.highlighting import highlighted, highlighted_change, highlighted_file

NAMES = sorted(
    {*(language.name for language in LANGUAGES), "text", "markdown", "rst", "toml", "yaml", "html", "no such language"}
)


def text_of(lines: object) -> str:
    return unescape(re.sub(r"<span class=\"[\w -]+\">|</span>", "", "\n".join(map(str, lines))))  # type: ignore[call-overload]


@pytest.mark.parametrize("language", NAMES)
@given(st.text("ab <>&\"'`\\/*#{}()\n\t:=-é", max_size=60))
def test_every_text_comes_back_line_by_line(language: str, text: str) -> None:
    lines = highlighted(text, language)
    assert text_of(lines) == text
    assert all(line.count("<span") == line.count("</span>") for line in lines)


@given(st.text(max_size=80))
def test_whatever_is_printable_comes_back(text: str) -> None:
    shown = "\n".join(printable(line) for line in text.split("\n"))
    assert text_of(highlighted_change(shown)) == shown
    assert text_of(highlighted_file(shown, "a.py")) == shown


def test_a_change_is_prose_and_then_a_diff() -> None:
    lines = highlighted_change("- a point\n\n@@ a.py def f\n-old < 1\n+new")
    assert [str(line) for line in lines[:2]] == ["- a point", ""]
    assert '<span class="gd">-old &lt; 1</span>' in lines[3]
    assert '<span class="gi">+new</span>' in lines[4]


def test_code_of_php_needs_no_opening_tag() -> None:
    assert '<span class="k">function</span>' in highlighted("function f() {}", "php")[0]
