"""The first rules of the contract: a claim is one plain sentence that cites lines which were shown.

What is decoded under the grammar keeps them by construction; another model, or a reply that was cut off, may not.
"""

from __future__ import annotations

import re

from gitcontext_pipeline.answer.claims import Claim
from gitcontext_pipeline.answer.grammar import FEWEST_UNITS, LONGEST_CITATION, MOST_UNITS
from gitcontext_pipeline.answer.shown import Rule, Shown

_SENTENCE_BREAK = re.compile(r"[.!?][\"'`)]*\s+\S")
_MARKUP = re.compile(r"[{}|<>\\^~\"]|\*\*|```|^[#>*-]")


def _length(claim: Claim, shown: Shown) -> str | None:
    size = len(claim.text)
    longest = 3 * MOST_UNITS + 1
    return None if FEWEST_UNITS < size <= longest else f"it has {size} characters"


def _one_sentence(claim: Claim, shown: Shown) -> str | None:
    if _SENTENCE_BREAK.search(claim.text):
        return "it is more than one sentence"
    return None if claim.text.endswith(".") else "it does not end like a sentence"


def _plain_prose(claim: Claim, shown: Shown) -> str | None:
    if not claim.text.isascii() or not claim.text.isprintable():
        return "it has characters that are not printable ASCII"
    found = _MARKUP.search(claim.text)
    if found:
        return f"it has markup ({found.group()})"
    return None if re.match(r"[A-Za-z_`]", claim.text) else "it does not begin with a word"


def _cites(claim: Claim, shown: Shown) -> str | None:
    return "it cites nothing" if claim.source is None or claim.start is None or claim.end is None else None


def _source_shown(claim: Claim, shown: Shown) -> str | None:
    return None if claim.source in shown.excerpts else f"there is no excerpt {claim.source}"


def _lines_shown(claim: Claim, shown: Shown) -> str | None:
    excerpt = shown.excerpt(claim)
    if excerpt is None or claim.start is None or claim.end is None:
        return None
    span = f"lines {claim.start} to {claim.end}"
    if claim.end - claim.start >= LONGEST_CITATION:
        return f"{span} are more than {LONGEST_CITATION}"
    known = excerpt.lines
    if claim.start > claim.end or any(line not in known for line in range(claim.start, claim.end + 1)):
        return f"{span} of excerpt {claim.source} were not shown"
    return None if shown.cited(claim).strip() else f"{span} are blank"


SHAPE: tuple[Rule, ...] = (
    Rule("length", f"It is {FEWEST_UNITS + 1} to {3 * MOST_UNITS + 1} characters long.", _length, shape=True),
    Rule("one-sentence", "It is one sentence.", _one_sentence, shape=True),
    Rule("plain-prose", "It is plain ASCII prose without markup.", _plain_prose, shape=True),
    Rule("cites", "It cites an excerpt and lines.", _cites, shape=True),
    Rule("source-shown", "The excerpt it cites was shown.", _source_shown, shape=True),
    Rule("lines-shown", f"The lines it cites were shown, at most {LONGEST_CITATION} of them.", _lines_shown),
)
