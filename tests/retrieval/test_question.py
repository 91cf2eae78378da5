from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitcontext_pipeline.errors import UsageError
from gitcontext_pipeline.retrieval.question import read_question


@pytest.mark.parametrize(
    "text",
    [
        "Which change made the wait double?",
        "When was the retry loop added?",
        "why did the timeout go away",
        "what does #1234 do",
        "which commit touched the parser last",
        "In the pull request that dropped the cache, which files went?",
        "What was the reason to add a second pool?",
        "What made us give up the shared context?",
        "What went wrong with the old check?",
    ],
)
def test_questions_for_a_change(text: str) -> None:
    assert read_question(text).asks_for_change


@pytest.mark.parametrize(
    "text",
    [
        *("Where are redirects followed?", "how to set a proxy", "what happens on a 401", "should_strip_auth"),
        "What are the rules for a pull request here?",
    ],
)
def test_questions_for_what_there_is(text: str) -> None:
    asked = read_question(text)
    assert not any((asked.asks_for_change, asked.asks_for_release, asked.asks_for_tests, asked.asks_for_examples))


def test_releases_tests_and_examples_are_asked_for_by_name() -> None:
    assert read_question("In which release was it fixed?").asks_for_release
    assert read_question("which tests cover the redirects").asks_for_tests
    assert read_question("Is there an example of streaming?").asks_for_examples


def test_identifiers_are_what_is_written_as_code() -> None:
    found = read_question("Does Session.send call get_adapter, or HTTPAdapter the proxy?").identifiers
    assert {"session.send", "get_adapter", "httpadapter"} <= found
    assert not {"does", "call", "the", "proxy", "or"} & found


@pytest.mark.parametrize("text", ["", "   \n\t", "?!… --", "\0\0"])
def test_nothing_to_search_for(text: str) -> None:
    with pytest.raises(UsageError):
        read_question(text)


@pytest.mark.parametrize(
    "text", ["Wo werden Weiterleitungen verfolgt?", "リダイレクトはどこで処理されますか", "proxy", "ß"]
)
def test_other_languages_and_single_words_are_questions(text: str) -> None:
    assert read_question(text).text


def test_a_pasted_log_is_cut_and_its_line_ends_do_not_matter() -> None:
    log = "\n".join(f"2026-01-01 00:00:{n % 60:02} worker {n} retries" for n in range(5000))
    asked = read_question(f"Why does it hang?\n{log}")
    assert asked.text.startswith("Why does it hang?")
    assert "\n" not in asked.text
    assert len(asked.text) < len(log) / 10


def test_what_cannot_be_encoded_is_replaced() -> None:
    assert read_question("caf\udce9 \ud800").text == "caf\N{REPLACEMENT CHARACTER} \N{REPLACEMENT CHARACTER}"


@given(st.text(max_size=300))
def test_any_text_is_a_question_or_says_why_not(text: str) -> None:
    try:
        asked = read_question(text)
    except UsageError:
        return
    assert "\0" not in asked.text
    assert read_question(text) == asked
    assert read_question(f"  {text}\n").text == asked.text
    assert all(found == found.lower() for found in asked.identifiers)
