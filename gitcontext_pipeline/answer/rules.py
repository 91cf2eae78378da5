"""The rules of the contract. Each is a name, a sentence, and a check that says why a claim fails it.

They are lexical and err on the side of dropping: a true sentence in other words than the code's may be dropped, a
sentence that names something which its lines do not contain cannot pass.
"""

from __future__ import annotations

import re
from collections import Counter

from gitcontext_pipeline.answer import wording
from gitcontext_pipeline.answer.claims import Claim
from gitcontext_pipeline.answer.excerpts import Excerpt
from gitcontext_pipeline.answer.grammar import MOST_UNITS
from gitcontext_pipeline.answer.shape import SHAPE
from gitcontext_pipeline.answer.shown import Rule, Shown
from gitcontext_pipeline.index.tokens import STOP_WORDS, parts, words

SUPPORT_FLOOR = 0.4
"""Share of a claim's words that its lines must contain. Measured on the hand-written true claims of tests/answer: the
lowest has 0.43; of the same claims moved to other lines, 98 in 100 stay below 0.4."""

FEWEST_WORDS = 5
FEWEST_CONTENT_WORDS = 3
COPIED = 0.8
"""Share of a claim's runs of four words that may not be found in the excerpt."""

FINISHED = "finished"
_UNIT = re.compile(r"[ ]?\.?.")
_HEDGE = re.compile(
    r"\b(?:probably|perhaps|maybe|might|possibly|presumably|likely|seems?|seemingly|appears? to|apparently|unclear"
    r"|somehow|et cetera|etc|and so on|various|i think|i believe)\b",
    re.IGNORECASE,
)
_IS_A = re.compile(r"^(?:this|that|it|here) (?:is|was) (?:an?|the) ([A-Za-z]+)", re.IGNORECASE)
_DENIAL = re.compile(r"\b(?:not|never|no|none|nothing|neither|cannot|without)\b|n't\b", re.IGNORECASE)
_DENYING_CODE = re.compile(
    _DENIAL.pattern + r"|!|\b(?:false|nil|null|undefined|unless|only|except|raise[sd]?|throws?|refuse\w*|prevent\w*"
    r"|avoid\w*|disable\w*|ignor\w*|skip\w*|drop\w*|remov\w*|delet\w*|del|strip\w*|un\w+|break|continue|return|if)\b",
    re.IGNORECASE,
)
_TO_THE_READER = re.compile(
    r"://|\bwww\.|\b(?:ignore|disregard|forget)\b.{0,30}\b(?:previous|prior|above|instruct\w*)\b"
    r"|\b(?:system prompt|as an ai|language model|sorry|i am|i'm|i cannot|i can't|i will)\b"
    r"|^(?:please|you (?:must|should|need|have)|run|click|visit|install|download)\b",
    re.IGNORECASE,
)


def _finished(claim: Claim, shown: Shown) -> str | None:
    units = len(_UNIT.findall(claim.text[:-1]))
    return "it was cut off at the longest length" if units >= MOST_UNITS else None


def _known_names(claim: Claim, shown: Shown) -> str | None:
    allowed = shown.allowed(claim)
    flat = " ".join(allowed.split())
    pieces = _pieces(allowed)
    for name in wording.names(claim.text):
        acronym = name.isupper() and name.isalpha() and len(name) <= 5
        if not (_occurs(" ".join(name.split()), flat) or (acronym and name.lower() in pieces)):
            return f"{name!r} is not in the cited lines"
    for noun in wording.proper_nouns(claim.text):
        if noun.lower() not in pieces:
            return f"{noun!r} is not in the cited lines"
    return None


def _known_numbers(claim: Claim, shown: Shown) -> str | None:
    allowed = shown.allowed(claim)
    known = set(wording.NUMBER.findall(allowed)) | set(re.findall(r"\d+", allowed)) | _pieces(allowed)
    for number in wording.numbers(claim.text):
        if not known & {number, wording.NUMBER_WORDS.get(number, number)}:
            return f"the number {number} is not in the cited lines"
    return None


def _own_words(claim: Claim, shown: Shown) -> str | None:
    excerpt = shown.excerpt(claim)
    if excerpt is None:
        return None
    said = wording.plain(claim.text)
    source = wording.plain("\n".join(excerpt.lines[line] for line in sorted(excerpt.lines)))
    if f" {said} " in f" {source} ":
        return "it is copied from the excerpt"
    row = said.split()
    runs = [" ".join(row[at : at + 4]) for at in range(len(row) - 3)]
    copied = sum(f" {run} " in f" {source} " for run in runs)
    return "nearly all of it is copied from the excerpt" if runs and copied >= COPIED * len(runs) else None


def _says_something(claim: Claim, shown: Shown) -> str | None:
    said = wording.content_words(claim.text)
    if len(words(claim.text)) < FEWEST_WORDS or len(said) < FEWEST_CONTENT_WORDS:
        return "it says next to nothing"
    cited = set(wording.content_words(shown.cited(claim)))
    if not (set(said) - set(wording.content_words(shown.question))) & cited:
        return "it adds nothing to the question that the cited lines say"
    called = _IS_A.match(claim.text)
    if called and not cited.issuperset(wording.content_words(called.group(1))):
        return f"it calls the code a {called.group(1)}, which the cited lines do not"
    hedge = _HEDGE.search(claim.text)
    if hedge and hedge.group().lower() not in shown.cited(claim).lower():
        return f"it hedges ({hedge.group()})"
    return None


def _no_repetition(claim: Claim, shown: Shown) -> str | None:
    row = wording.plain(claim.text).split()
    runs = Counter(tuple(row[at : at + 3]) for at in range(len(row) - 2))
    looping = len(row) >= 10 and len(set(row)) < 0.5 * len(row)
    return "it repeats itself" if looping or max(runs.values(), default=0) > 2 else None


def _english(claim: Claim, shown: Shown) -> str | None:
    row = [word.lower() for word in words(claim.text)]
    common = sum(word in STOP_WORDS for word in row)
    return None if common >= 1 and common >= 0.1 * len(row) else "it is not an English sentence"


def _about_the_code(claim: Claim, shown: Shown) -> str | None:
    found = _TO_THE_READER.search(claim.text)
    return f"it speaks to the reader, not of the code ({found.group()})" if found else None


def _denies_what_is_denied(claim: Claim, shown: Shown) -> str | None:
    denial = _DENIAL.search(claim.text)
    if denial is None or _DENYING_CODE.search(shown.cited(claim)):
        return None
    return f"it denies something ({denial.group()}), and nothing in the cited lines does"


def _same_symbol(claim: Claim, shown: Shown) -> str | None:
    """A name of the question stands for what the question means by it, and not for its namesake elsewhere."""
    excerpt = shown.excerpt(claim)
    if excerpt is None:
        return None
    symbol = excerpt.result.symbol or ""
    cited = shown.cited(claim)
    for asked in shown.asked_names:
        owner, _, last = asked.rpartition(".")
        mentioned = _occurs(asked, claim.text) or _occurs(last, claim.text)
        if not mentioned:
            continue
        if owner and symbol.endswith(f".{last}") and not f".{symbol}".endswith(f".{asked}"):
            return f"the question asks about {asked}, the cited lines are those of {symbol}"
        if _occurs(last, cited) or _occurs(last, symbol):
            continue
        if any(_defines(other, last) for other in shown.excerpts.values() if other is not excerpt):
            return f"it speaks of {asked}, and cites lines without it"
    return None


def _supported(claim: Claim, shown: Shown) -> str | None:
    share = support(claim, shown)
    return None if share >= SUPPORT_FLOOR else f"only {share:.0%} of its words have support in the cited lines"


def support(claim: Claim, shown: Shown) -> float:
    """The share of the claim's content words that its cited lines, or their excerpt's name, contain; in [0, 1].

    Counted over all its words, and over those that the question does not have; the lesser of the two.
    """
    said = wording.content_words(claim.text)
    excerpt = shown.excerpt(claim)
    asked = set(wording.content_words(shown.question))
    new = [word for word in said if word not in asked]
    if not new or excerpt is None:
        return 0.0
    source = set(wording.content_words(f"{shown.cited(claim)}\n{excerpt.result.name}"))
    return min(sum(word in source for word in counted) / len(counted) for counted in (said, new))


def _pieces(text: str) -> set[str]:
    return {piece for word in words(text) for piece in (word.lower(), *parts(word))}


def _occurs(name: str, text: str) -> bool:
    """Whether `name` stands in `text` as a whole: `auth` does not occur in `rebuild_auth`."""
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def _defines(excerpt: Excerpt, name: str) -> bool:
    return (excerpt.result.symbol or "").rpartition(".")[2] == name


CONTENT: tuple[Rule, ...] = (
    Rule(FINISHED, "It was not cut off before its end.", _finished),
    Rule("about-the-code", "It speaks of the code, and neither to the reader nor of the prompt.", _about_the_code),
    Rule("english", "It is an English sentence.", _english),
    Rule("no-repetition", "It does not run in circles.", _no_repetition),
    Rule("says-something", "It says something definite beyond the question.", _says_something),
    Rule("own-words", "It is not copied whole from the evidence.", _own_words),
    Rule("known-names", "Each name, path and quoted string is in the cited lines or the question.", _known_names),
    Rule("known-numbers", "Each number is in the cited lines or the question.", _known_numbers),
    Rule("known-denial", "What it denies is denied, excluded or decided in the cited lines.", _denies_what_is_denied),
    Rule("same-symbol", "A symbol of the question is not taken for another one.", _same_symbol),
    Rule(
        "supported",
        f"Of its words, and of those new to the question, {SUPPORT_FLOOR:.0%} are in the cited lines.",
        _supported,
    ),
)
RULES = (*SHAPE, *CONTENT)
