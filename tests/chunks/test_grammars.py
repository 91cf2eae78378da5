from __future__ import annotations

import subprocess
import sys

import pytest

from gitcontext_pipeline.chunks.grammars import grammar_of, parse
from gitcontext_pipeline.chunks.languages import BY_NAME, LANGUAGES, Language


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.name)
def test_the_installed_grammar_knows_every_pattern(language: Language) -> None:
    from tree_sitter import Query

    for pattern in language.query.strip().splitlines():
        Query(grammar_of(language), pattern)


def test_a_parser_that_is_lost_gives_up() -> None:
    with pytest.raises(ValueError, match=r".*"):
        parse(BY_NAME["c"], b"*/\n" * 5_000)


def test_no_grammar_is_loaded_before_a_file_needs_it() -> None:
    program = "import sys, gitcontext_pipeline.chunks.splitter; print([m for m in sys.modules if 'tree_sitter' in m])"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "[]\n"
