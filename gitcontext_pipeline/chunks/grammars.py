"""Grammars and their queries, loaded once each, and only when a file of that language is met; and parsing in bounds."""

from __future__ import annotations

import importlib
from functools import cache
from typing import TYPE_CHECKING

from gitcontext_pipeline.chunks.languages import Language

if TYPE_CHECKING:
    import tree_sitter


STEPS = 2_000
STEPS_PER_BYTE = 0.2
"""How many steps, as tree-sitter reports them, a parse may take. The files of requests, gin and hono take 0.015 a byte
at most; recovery from some errors (unclosed comments in C) grows with the square of the file's length."""
_READ_BYTES = 65_536


@cache
def grammar_of(language: Language) -> tree_sitter.Language:
    from tree_sitter import Language as Grammar

    return Grammar(getattr(importlib.import_module(language.wheel), language.grammar)())


@cache
def query_of(language: Language) -> tree_sitter.Query:
    """The compiled query, without the patterns that the installed version of the grammar does not know."""
    from tree_sitter import Query, QueryError

    grammar = grammar_of(language)
    known = []
    for pattern in language.query.strip().splitlines():
        try:
            Query(grammar, pattern)
        except QueryError:
            continue
        known.append(pattern)
    return Query(grammar, "\n".join(known))


def parse(language: Language, source: bytes) -> tree_sitter.Tree:
    """The syntax tree. Raises ValueError when the parser is lost in the file, after the same steps every time."""
    from tree_sitter import Parser

    allowed = STEPS + int(STEPS_PER_BYTE * len(source))
    steps = 0

    def is_lost(offset: int, has_error: bool) -> bool:
        nonlocal steps
        steps += 1
        return steps > allowed

    def read(offset: int, point: object) -> bytes:
        return source[offset : offset + _READ_BYTES]

    parser = Parser(grammar_of(language))
    tree = parser.parse(read, encoding="utf8", progress_callback=is_lost)
    # Only a tree of a bytestring knows the text of its nodes; made from the first tree, it takes half the time.
    return parser.parse(source, tree)
