"""Words of code and prose as the lexical index sees them."""

from __future__ import annotations

import re
import threading
from functools import lru_cache

TOKENS_VERSION = 3
"""Part of every index's fingerprint; raised whenever `terms` gives something else for some text."""

_WORD = re.compile(r"[^\W_]+(?:_+[^\W_]+)*", re.UNICODE)
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_a-zA-Z]+")
_CJK = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_SCRIPTS = re.compile(f"[{_CJK}]+|[^{_CJK}]+")
_IS_CJK = re.compile(f"[{_CJK}]")
_LONGEST = 64


def words(text: str) -> list[str]:
    """The identifiers and words of `text` as written, underscores inside kept."""
    return _WORD.findall(text)


@lru_cache(maxsize=200_000)
def parts(word: str) -> tuple[str, ...]:
    """`getHTTPProxy_url` -> `get, http, proxy, url`: the pieces that camelCase, snake_case and digits separate."""
    return tuple(piece.lower() for piece in _PART.findall(word))


@lru_cache(maxsize=200_000)
def _word_terms(word: str) -> tuple[str, ...]:
    if _is_data(word):
        return ()
    whole = word.lower().strip("_")
    if _IS_CJK.search(word):
        runs = _SCRIPTS.findall(word)
        inside = [term for run in runs for term in (_pairs(run) if _IS_CJK.match(run) else terms(run))]
        return (whole, *(term for term in inside if term != whole))
    pieces = parts(word)
    stems = tuple(stem(piece) for piece in pieces)
    return stems if len(pieces) <= 1 else (whole, *stems)


def _is_data(word: str) -> bool:
    """A digest or a data blob: nobody asks for a part of it. Pieces of long names have 6 letters, those of base64 2."""
    return len(word) > 4 * _LONGEST or (len(word) > _LONGEST and len(word) < 4 * len(parts(word)))


def _pairs(run: str) -> list[str]:
    """No spaces between words there: overlapping pairs of characters stand in for them."""
    return [run, *(run[i : i + 2] for i in range(len(run) - 1))] if len(run) > 2 else [run]


def terms(text: str) -> list[str]:
    """Index terms in text order: identifiers whole and in stemmed parts, so that either way of asking finds them."""
    return [term for word in words(text) for term in _word_terms(word)]


@lru_cache(maxsize=200_000)
def stem(word: str) -> str:
    """English stem (Snowball), so that `redirects`, `redirected` and `redirect` meet; other scripts pass unchanged."""
    return str(_stemmers.english.stemWord(word)) if word.isascii() and len(word) > 2 else word


class _Stemmers(threading.local):
    """A stemmer keeps the word it works on, so each thread needs its own."""

    def __init__(self) -> None:
        import snowballstemmer

        self.english = snowballstemmer.stemmer("english")


_stemmers = _Stemmers()


STOP_WORDS = frozenset(
    "a an and are as at be been but by can could did do does for from had has have how i if in into is it its me my "
    "of on or our should so than that the their them then there these they this those to was we were what when where "
    "which while who why will with would you your".split()
)


def query_terms(question: str) -> list[str]:
    """Terms of a question: each once, in order, without the words that every English question has."""
    kept = dict.fromkeys(
        term for word in words(question) if word.lower() not in STOP_WORDS for term in _word_terms(word)
    )
    return list(kept) or list(dict.fromkeys(terms(question)))
