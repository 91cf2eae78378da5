"""Words of a claim, as the contract compares them: names, numbers, strings, and what remains when those are gone."""

from __future__ import annotations

import re

from gitcontext_pipeline.index.tokens import STOP_WORDS, parts, stem, words

QUOTED = re.compile(r"`([^`]+)`|\"([^\"]+)\"|(?<![A-Za-z0-9_])'([^']+)'(?![A-Za-z0-9_])")
PATH = re.compile(r"(?<![\w/.-])(?:[\w.-]+/)+[\w.-]*\w|(?<![\w/.])[\w-]+\.(?:[a-z]{1,4}|toml|yaml|json|html)\b(?!\()")
NAME = re.compile(
    r"[A-Za-z_]\w*(?:(?:\.|::)[A-Za-z_]\w*)+"  # dotted
    r"|\b\w*[A-Za-z]\w*_\w*\b|\b_\w+\b"  # snake_case, private
    r"|\b[a-z]+[A-Z]\w*\b|\b[A-Z]+[a-z0-9]+[A-Z]\w*\b|\b[A-Z]{2,}[a-z]+\w*\b"  # camelCase, PascalCase
    r"|\b[A-Z][A-Z0-9]+\b|\b[A-Za-z]+\d+\w*\b"  # CONSTANT, name2
    r"|\b[A-Za-z]\w*(?=\()"  # call(
    r"|\b[A-Za-z]+(?:-[A-Z][a-z]*)+\b"  # Header-Name
)
CAPITALISED = re.compile(r"\b[A-Z][a-z]+\b")
NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)*(?!\w)")
NUMBER_WORDS = {
    word: str(value)
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen".split()
    )
}
_COUNTED = frozenset(NUMBER_WORDS) - {"one", "zero"}
"""`one` is a pronoun more often than a number, and code has a hundred ways to write `zero`."""

GENERIC = frozenset(
    "answer block call called calls class code codebase contain contains do does done excerpt file function functions "
    "give gives given handle handles implement implementation implemented implements line lines logic make makes "
    "manner method methods mechanism module operation part perform performs process processes program provide provides "
    "question related section snippet something source specific stuff system thing things use used uses using various "
    "way ways work works".split()
)
"""Words that can be said of any code, and so say nothing of this code."""


def names(text: str) -> list[str]:
    """What is written as code would write it: identifiers, paths, quoted strings; each once, in order."""
    found = [next(group for group in match if group) for match in QUOTED.findall(text)]
    rest = QUOTED.sub(" ", text)
    found += PATH.findall(rest)
    rest = PATH.sub(" ", rest)
    found += NAME.findall(rest)
    return list(dict.fromkeys(name.strip().rstrip("(),;:") for name in found if name.strip(" (),;:.")))


def proper_nouns(text: str) -> list[str]:
    """Capitalised words that do not begin the sentence."""
    rest = NAME.sub(" ", PATH.sub(" ", QUOTED.sub(" ", text[1:])))
    return [word for word in CAPITALISED.findall(rest) if word.lower() not in STOP_WORDS]


def numbers(text: str) -> list[str]:
    """Numbers in digits, and counting words from two to fifteen."""
    rest = text
    for name in names(text):
        rest = rest.replace(name, " ")
    return NUMBER.findall(rest) + [word for word in (each.lower() for each in words(rest)) if word in _COUNTED]


def content_words(text: str) -> list[str]:
    """Stems of the words that say something, each once; names in their parts."""
    spoken = [part for word in words(text) for part in parts(word)]
    kept = [word for word in spoken if word not in STOP_WORDS and word not in GENERIC and len(word) > 1]
    return list(dict.fromkeys(stem(word) for word in kept))


def plain(text: str) -> str:
    """`text` as a row of lower-case words with single spaces: what is left when layout and punctuation are ignored."""
    return " ".join(word.lower() for word in words(text))
