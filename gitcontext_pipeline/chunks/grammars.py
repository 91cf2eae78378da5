"""Grammars and their queries, loaded once each, and only when a file of that language is met."""

from __future__ import annotations

import importlib
from functools import cache
from typing import TYPE_CHECKING

from gitcontext_pipeline.chunks.languages import Language

if TYPE_CHECKING:
    import tree_sitter


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
