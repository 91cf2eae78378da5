from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gitcontext_pipeline.answer import wording
from gitcontext_pipeline.answer.claims import Claim, Reply, read_reply
from gitcontext_pipeline.answer.contract import Judgement, judge, rule_names
from gitcontext_pipeline.answer.rules import RULES, support
from gitcontext_pipeline.answer.shown import Shown
from tests.answer.evidence import SHOWN, TRUE_CLAIMS, result, whole

HELD = TRUE_CLAIMS[3]
"""A claim that holds; the examples below spoil it in one place."""


def judged(*claims: Claim, shown: Shown = SHOWN) -> Judgement:
    return judge(Reply(claims), shown)


def failed(claim: Claim, shown: Shown = SHOWN) -> set[str]:
    return {failure.rule for failure in judged(claim, shown=shown).judged[0].failures}


def says(text: str, **changes: int | None) -> Claim:
    return replace(replace(HELD, text=text), **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize("claim", TRUE_CLAIMS, ids=lambda claim: claim.text[:30])
def test_a_true_claim_holds(claim: Claim) -> None:
    assert judged(claim).kept == (claim,)


@pytest.mark.parametrize(
    ("rule", "claim"),
    [
        ("length", says("Too short.")),
        ("length", says(f"rebuild_auth deletes {'the header ' * 60}.")),
        ("one-sentence", says("rebuild_auth deletes the Authorization header. It does so on every redirect.")),
        ("one-sentence", says("rebuild_auth deletes the Authorization entry of the request headers")),
        ("plain-prose", says("rebuild_auth deletes the Authorization entry of the <b>request</b> headers.")),
        ("plain-prose", says("rebuild_auth löscht den Eintrag Authorization der Kopfzeilen beim Umleiten.")),
        ("plain-prose", says("- rebuild_auth deletes the Authorization entry of the request headers.")),
        ("plain-prose", says("rebuild_auth deletes the \x1b[31mAuthorization entry of the request headers.")),
        ("cites", replace(HELD, source=None)),
        ("cites", replace(HELD, end=None)),
        ("source-shown", replace(HELD, source=9)),
        ("lines-shown", replace(HELD, start=1, end=2)),
        ("lines-shown", replace(HELD, start=319, end=316)),
        ("lines-shown", replace(HELD, start=315, end=315)),
        ("finished", says("rebuild_auth deletes the entry " + "of the headers " * 14 + "of the request header.")),
        ("about-the-code", says("rebuild_auth deletes the header, see https://github.com for the request headers.")),
        ("about-the-code", says("Please delete the Authorization entry of the request headers in rebuild_auth.")),
        ("about-the-code", says("I cannot say how rebuild_auth deletes the Authorization request headers.")),
        ("english", says("rebuild_auth entfernt Authorization beim Umleiten der headers auf fremde hosts.")),
        ("no-repetition", says("rebuild_auth deletes the headers and deletes the headers and deletes the headers.")),
        ("says-something", says("The code does things with various stuff in it.")),
        ("says-something", says("The rebuild_auth function probably deletes the Authorization request headers.")),
        ("says-something", says("Requests does strip the redirect authorization.")),
        ("says-something", says("This is a test of the request headers that delete the Authorization entry.")),
        ("own-words", says("If we get redirected to a new host, we should strip out any authentication headers.")),
        ("known-names", says("rebuild_auth calls delete_header to drop the Authorization request headers.")),
        ("known-names", says("rebuild_auth deletes the `X-Token` entry of the request headers.")),
        ("known-names", says("rebuild_auth in requests/api.py deletes the Authorization request headers.")),
        ("known-names", says("rebuild_auth deletes the Cookie entry of the redirected request headers.")),
        ("known-numbers", says("rebuild_auth deletes the Authorization entry of the 3 request headers.")),
        ("known-numbers", says("rebuild_auth deletes the Authorization entry of all seven request headers.")),
        ("known-denial", says("The headers are never taken from the prepared_request.", start=313, end=313)),
        ("same-symbol", says("rebuild_auth deletes the pending chunk of the lines.", source=3, start=895, end=899)),
        ("supported", says("rebuild_auth builds a lookup tree so that balanced search stays quick for Requests.")),
    ],
    ids=lambda value: value if isinstance(value, str) else value.text[:25],
)
def test_each_rule_catches_what_it_is_there_for(rule: str, claim: Claim) -> None:
    shown = SHOWN
    if rule == "same-symbol":
        shown = replace(SHOWN, question="What does rebuild_auth do with pending chunks of lines?")
    assert rule in failed(claim, shown)


def test_every_rule_is_caught_by_an_example_and_has_a_sentence() -> None:
    marks = test_each_rule_catches_what_it_is_there_for.pytestmark  # type: ignore[attr-defined]
    tried = {example[0] for mark in marks for example in mark.args[1]}
    assert tried == {rule.name for rule in RULES}
    assert all(rule.sentence.endswith(".") for rule in RULES)
    assert len(set(rule_names())) == len(RULES) + 2


def test_a_symbol_of_the_question_is_not_taken_for_its_namesake() -> None:
    adapter = result("def send(self, request):\n    return self.pool.urlopen(request)", symbol="HTTPAdapter.send")
    shown = Shown("What does Session.send do with the pool?", {1: whole(1, adapter)})
    claim = Claim("Session.send hands the request over to the urlopen method of the pool.", 1, 1, 2)
    assert "same-symbol" in failed(claim, shown)
    shown = replace(shown, question="What does HTTPAdapter.send do with the pool?")
    claim = replace(claim, text="HTTPAdapter.send hands the request over to the urlopen method of the pool.")
    assert failed(claim, shown) == set()


def test_the_same_claim_is_made_once() -> None:
    again = replace(
        HELD, text="Before a redirect is followed, rebuild_auth deletes the Authorization request headers entry."
    )
    judgement = judged(HELD, again)
    assert judgement.kept == (HELD,)
    assert judgement.judged[1].failures[0].rule == "duplicate"


def test_a_claim_that_fails_is_dropped_and_the_others_stay() -> None:
    wrong = says("rebuild_auth calls delete_header to drop the Authorization request headers.")
    judgement = judged(HELD, wrong)
    assert judgement.kept == (HELD,)
    assert "delete_header" in judgement.told[0]


def test_a_reply_that_is_mostly_wrong_is_withheld_as_a_whole() -> None:
    wrong = [says(f"rebuild_auth calls delete_{name} to drop the Authorization headers.") for name in ("a", "b")]
    judgement = judged(HELD, *wrong)
    assert judgement.kept == ()
    assert [failure.reason for failure in judgement.withheld] == ["1 of 3 claims hold"]


@pytest.mark.parametrize(("text", "rule"), [("", "reply"), ('{"answered":false}', "declined")])
def test_no_reply_is_no_answer(text: str, rule: str) -> None:
    judgement = judge(read_reply(text), SHOWN)
    assert [failure.rule for failure in judgement.withheld] == [rule]


CLAIMS = st.sampled_from(TRUE_CLAIMS)
IDENTIFIERS = st.from_regex(r"[a-z]{3,8}_[a-z]{3,8}|[a-z]{3,6}[A-Z][a-z]{2,6}|[A-Z][a-z]{2,5}Error", fullmatch=True)


def allowed(claim: Claim) -> str:
    return SHOWN.allowed(claim)


@given(CLAIMS, IDENTIFIERS, st.data())
def test_an_inserted_identifier_is_caught(claim: Claim, name: str, data: st.DataObject) -> None:
    assume(name not in allowed(claim))
    row = claim.text.split(" ")
    row.insert(data.draw(st.integers(1, len(row) - 1)), name)
    assert "known-names" in failed(replace(claim, text=" ".join(row)))


@given(CLAIMS, IDENTIFIERS, st.data())
def test_a_replaced_identifier_is_caught(claim: Claim, name: str, data: st.DataObject) -> None:
    names = wording.names(claim.text)
    assume(names and name not in allowed(claim))
    old = data.draw(st.sampled_from(names))
    assert "known-names" in failed(replace(claim, text=claim.text.replace(old, name)))


@given(st.sampled_from([claim for claim in TRUE_CLAIMS if re.search(r"\d", claim.text)]), st.integers(0, 100_000))
def test_a_changed_number_is_caught(claim: Claim, number: int) -> None:
    assume(not re.search(rf"(?<!\d){number}(?!\d)", allowed(claim)))
    old = re.search(r"\d+", claim.text)
    assert old is not None
    assert "known-numbers" in failed(replace(claim, text=claim.text.replace(old.group(), str(number))))


@given(CLAIMS, st.sampled_from([1, 2, 3, 4]))
def test_a_citation_moved_to_other_code_is_caught(claim: Claim, source: int) -> None:
    """Every excerpt but the cited one and the two that are about the very same thing."""
    assume(source != claim.source and {source, claim.source} not in ({1, 2}, {2, 4}, {1, 4}))
    lines = sorted(SHOWN.excerpts[source].lines)
    for start in lines:
        for end in lines:
            moved = replace(claim, source=source, start=start, end=end)
            assert failed(moved), moved


@given(CLAIMS, st.integers(-500, 500).filter(bool), st.integers(0, 40))
def test_a_citation_of_lines_that_were_not_shown_is_caught(claim: Claim, by: int, longer: int) -> None:
    assert claim.source is not None
    assert claim.start is not None
    assert claim.end is not None
    moved = replace(claim, start=claim.start + by, end=claim.end + by + longer)
    shown = SHOWN.excerpts[claim.source].lines
    assume(moved.start not in shown or moved.end not in shown)
    assert "lines-shown" in failed(moved)


@given(st.text(max_size=400), st.integers(0, 5), st.integers(-5, 1000), st.integers(-5, 1000))
def test_no_claim_makes_the_contract_stumble(text: str, source: int, start: int, end: int) -> None:
    claim = Claim(text, source, start, end)
    judgement = judged(claim)
    assert judgement.kept in ((), (claim,))
    assert bool(judgement.kept) != bool(judgement.withheld)


@given(st.text(max_size=200))
def test_what_holds_is_one_plain_sentence_about_shown_lines(text: str) -> None:
    for claim in judged(says(text)).kept:
        assert claim.text.isascii()
        assert claim.text.endswith(".")
        assert "\n" not in claim.text


def test_moved_claims_lose_their_lexical_support() -> None:
    """The measurement behind the floor of `supported`."""
    own = [support(claim, SHOWN) for claim in TRUE_CLAIMS]
    moved = [
        support(replace(claim, source=source, start=start, end=start + 2), SHOWN)
        for claim in TRUE_CLAIMS
        for source, excerpt in SHOWN.excerpts.items()
        for start in sorted(excerpt.lines)[:-2]
        if source != claim.source or not (claim.start or 0) - 3 < start <= (claim.end or 0)
    ]
    assert min(own) > 0.4
    assert sum(share < 0.4 for share in moved) > 0.98 * len(moved)
