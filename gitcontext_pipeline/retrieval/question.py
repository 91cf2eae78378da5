"""What a question asks for, read from its words: identifiers, and whether it wants a change, a release or a test."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gitcontext_pipeline.errors import UsageError

LONGEST = 4000
"""Characters of a question that are read; a pasted log can be longer, and says nothing more for it."""

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:(?:\.|::|#)[A-Za-z_][A-Za-z0-9_]*)*")
_CODE_LIKE = re.compile(r"_|[a-z0-9][A-Z]|[A-Z]{2}[a-z]|\.|::|#")
_DONE = r"fixed|added|removed|dropped|changed|replaced|renamed|introduced|reverted|merged|deprecated|moved|switched"
_CHANGE = re.compile(
    r"\b(?:which|what) (?:change|commit|pull request|pr|merge|fix|patch)\b|(?<![\w&])#\d+\b"
    r"|\b(?:the|that|this|by|of) (?:commit|pull request)\b"
    r"|\b(?:commit|pull request) (?:that|which|where|did|made|fixed)\b"
    r"|\bwhat (?:was|were) the (?:reasons?|point|motivation)\b|\bwhat (?:made|led|prompted|went wrong)\b"
    r"|\bwhen (?:did|was|were|has|have)\b|\bsince when\b|\bno longer\b|\bused to\b|\bbrought back\b"
    r"|\bwhy (?:did|was|were|has|have)\b|\bwhy (?:is|are|does|do)\b.*\b(?:now|any ?more)\b"
    r"|\bwho (?:added|changed|removed|wrote|introduced)\b|\b(?:introduced|deprecated|reverted)\b"
    rf"|\b(?:was|were|got|get) (?:(?:that|this|it|they) )?(?:{_DONE})\b"
    r"|\bbehind (?:the|this|that) (?:change|move|switch|removal)\b|\bput (?:a stop|an end) to\b",
    re.IGNORECASE,
)
_RELEASE = re.compile(
    r"\b(?:which|what) (?:release|version)s?\b|\brelease notes?\b|\bchangelog\b|\bCVE-\d", re.IGNORECASE
)
_TESTS = re.compile(r"\b(?:tests?|tested|testing|unit test|spec|fixture|coverage)\b", re.IGNORECASE)
_EXAMPLES = re.compile(r"\b(?:examples?|sample|demo|tutorial)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the signals in it. Signals move scores; none of them excludes a result."""

    text: str
    identifiers: frozenset[str]
    """What is written as code would write it, lower-cased: `get_connection`, `session.send`."""
    asks_for_change: bool
    asks_for_release: bool
    asks_for_tests: bool
    asks_for_examples: bool


def read_question(text: str) -> Question:
    """Read the signals of a question.

    Raises:
        UsageError: there is nothing to search for in it.
    """
    cleaned = " ".join(encodable(text).replace("\0", " ").split())[:LONGEST]
    if not re.search(r"\w", cleaned):
        raise UsageError("the question has no words in it", fix='e.g. gitcontext ask "Where are redirects followed?"')
    return Question(
        text=cleaned,
        identifiers=frozenset(found.lower() for found in _IDENTIFIER.findall(cleaned) if _CODE_LIKE.search(found)),
        asks_for_change=bool(_CHANGE.search(cleaned)),
        asks_for_release=bool(_RELEASE.search(cleaned)),
        asks_for_tests=bool(_TESTS.search(cleaned)),
        asks_for_examples=bool(_EXAMPLES.search(cleaned)),
    )


def encodable(text: str) -> str:
    """`text` with a replacement character for each lone surrogate: a byte of the command line that is not UTF-8, or
    half a pair in JSON, neither of which a model or a terminal takes."""
    return re.sub("[\ud800-\udfff]", "\N{REPLACEMENT CHARACTER}", text)
