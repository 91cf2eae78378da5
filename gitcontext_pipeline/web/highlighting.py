"""Code as HTML, coloured by classes, one piece of it a line."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import pygments
from markupsafe import Markup, escape
from pygments.formatters import HtmlFormatter
from pygments.lexer import Lexer
from pygments.lexers import find_lexer_class_for_filename, get_lexer_by_name
from pygments.lexers.special import TextLexer
from pygments.util import ClassNotFound

REMEMBERED = 1024
"""Excerpts; the same few come up in many answers."""
_FORMATTER = HtmlFormatter(nowrap=True)


def highlighted(text: str, language: str) -> Sequence[Markup]:
    """The lines of printable `text`; a language that nothing is known of is left uncoloured."""
    return _lines(text, language)


def highlighted_file(text: str, path: str) -> Sequence[Markup]:
    """As `highlighted`, in the language that the file's name stands for."""
    found = find_lexer_class_for_filename(path)
    return _lines(text, found.aliases[0] if found and found.aliases else "text")


def highlighted_change(text: str) -> Sequence[Markup]:
    """The lines of a change: what was written about it as it is, and then its hunks as a diff."""
    prose, mark, hunks = f"\n{text}".partition("\n@@ ")
    lines = [escape(line) for line in prose.split("\n")[1:]]
    return [*lines, *_lines(mark[1:] + hunks, "diff")] if mark else lines


@lru_cache(maxsize=REMEMBERED)
def _lines(text: str, language: str) -> Sequence[Markup]:
    html = pygments.highlight(text + "\n", _lexer(text, language), _FORMATTER).removesuffix("\n")
    lines = html.split("\n")
    if len(lines) != text.count("\n") + 1:  # a lexer that normalises line ends must not shift line numbers
        return [escape(line) for line in text.split("\n")]
    return [Markup(line) for line in lines]  # noqa: S704  # escaped by the formatter


def _lexer(text: str, language: str) -> Lexer:
    options = {"stripnl": False, "ensurenl": False, "startinline": "<?" not in text}
    try:
        return get_lexer_by_name(language, **options)
    except ClassNotFound:
        return TextLexer(**options)
