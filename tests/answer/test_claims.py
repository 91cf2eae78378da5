from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitcontext_pipeline.answer.claims import LONGEST_REPLY, Claim, read_reply, sentences_so_far
from tests.answer.evidence import TRUE_CLAIMS, reply


def test_a_reply_is_read_as_its_claims() -> None:
    read = read_reply(reply(TRUE_CLAIMS[:3]))
    assert read.claims == TRUE_CLAIMS[:3]
    assert read.problem is None


def test_a_model_may_say_that_the_excerpts_do_not_answer() -> None:
    read = read_reply('{"answered":false}')
    assert read.declined
    assert read.claims == ()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "said nothing"),
        ("  \n ", "said nothing"),
        ("The header is removed.", "not JSON"),
        ("[]", "not an object"),
        ('"claims"', "not an object"),
        ("{}", "claims nothing"),
        ('{"claims":[]}', "claims nothing"),
        ('{"claims":"all"}', "claims nothing"),
        ('{"claims":["all"]}', "not an object"),
        (reply([*TRUE_CLAIMS[:4], TRUE_CLAIMS[0]]), "5 claims"),
        ('{"claims":[{"source":1,"from":1,"to":2,"text":"An endless', "cut off before"),
        ("[" * 100_000, "100000 characters"),
        ("[" * (LONGEST_REPLY - 1), "not JSON"),
    ],
)
def test_a_reply_without_claims_says_why(text: str, said: str) -> None:
    read = read_reply(text)
    assert read.claims == ()
    assert said in str(read.problem)


def test_of_a_reply_that_was_cut_off_the_finished_claims_are_read() -> None:
    whole = reply(TRUE_CLAIMS[:2])
    assert read_reply(whole[:-20]).claims == TRUE_CLAIMS[:1]


@pytest.mark.parametrize("value", [True, "1", 1.5, None, [1]])
def test_a_citation_that_is_no_number_is_none(value: object) -> None:
    claim = {"source": value, "from": value, "to": value, "text": value}
    expected = value if isinstance(value, str) else ""
    assert read_reply(json.dumps({"claims": [claim]})).claims == (Claim(expected, None, None, None),)


@given(st.text(max_size=300) | st.recursive(st.none() | st.integers() | st.text(), st.lists).map(json.dumps))
def test_whatever_a_model_says_is_claims_or_a_problem(text: str) -> None:
    read = read_reply(text)
    assert bool(read.claims) != (read.problem is not None)


def test_sentences_can_be_read_while_they_are_being_written() -> None:
    whole = reply(TRUE_CLAIMS[:2])
    seen = [sentences_so_far(whole[:end]) for end in range(len(whole) + 1)]
    assert seen[0] == []
    assert seen[-1] == [claim.text for claim in TRUE_CLAIMS[:2]]
    assert all(len(a) <= len(b) for a, b in pairwise(seen))
