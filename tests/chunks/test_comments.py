from __future__ import annotations

import pytest

from gitcontext_pipeline.chunks.comments import clean_comment, clean_docstring


@pytest.mark.parametrize(
    "written",
    [
        "/** Sends it.\n *\n * At once. */",
        "/**\n * Sends it.\n *\n * At once.\n */",
        "// Sends it.\n//\n// At once.",
        "    /// Sends it.\n    ///\n    /// At once.",
        "# Sends it.\n#\n# At once.",
        "-- Sends it.\n--\n-- At once.",
        "# ------\n# Sends it.\n\n# At once.\n# ------",
    ],
)
def test_markers_and_rules_are_dropped(written: str) -> None:
    assert clean_comment(written.split("\n")) == "Sends it.\n\nAt once."


def test_indentation_and_inline_markup_within_a_comment_stay() -> None:
    assert clean_comment(["/**", " * Do:", " *   **now**", " */"]) == "Do:\n  **now**"


@pytest.mark.parametrize("literal", ['"""Sends it."""', "'Sends it.'", 'r"""\n    Sends it.\n    """'])
def test_docstrings_lose_their_quotes(literal: str) -> None:
    assert clean_docstring(literal) == "Sends it."
