from __future__ import annotations

import json
from typing import Any

from gitcontext_pipeline.chunks.splitter import split
from tests.chunks.spans_of import uncovered

PICTURE = "iVBORw0KGgo" * 400


def notebook() -> dict[str, Any]:
    return {
        "cells": [
            {
                "cell_type": "markdown",
                "attachments": {"a.png": {"image/png": PICTURE}},
                "metadata": {"source": ["not this"]},
                "source": ["# Parcels\n", "\n", f"![x](data:image/png;base64,{PICTURE}) Weigh them."],
            },
            {
                "cell_type": "code",
                "execution_count": 1,
                "metadata": {},
                "outputs": [{"data": {"image/png": PICTURE, "text/plain": ["secret"]}, "source": ["nor this"]}],
                "source": ["def weigh():\n", "    return 1\n"],
            },
            {"cell_type": "code", "metadata": {}, "outputs": [], "source": "print(1)\nprint(2)"},
            {"cell_type": "code", "metadata": {}, "outputs": [], "source": []},
        ],
        "metadata": {},
        "nbformat": 4,
    }


def test_cells_become_spans_under_the_last_heading_with_the_lines_of_their_source() -> None:
    text = json.dumps(notebook(), indent=1)
    found = split("a.ipynb", text)
    assert [(span.symbol, span.symbol_kind) for span in found.spans] == [
        ("Parcels", "section"),
        ("Parcels", "cell"),
        ("Parcels", "cell"),
    ]
    assert found.spans[1].text == "def weigh():\n    return 1"
    lines = text.split("\n")
    assert "def weigh" in lines[found.spans[1].start_line - 1]
    assert "return 1" in lines[found.spans[1].end_line - 1]
    assert found.spans[2].text == "print(1)\nprint(2)"


def test_outputs_attachments_and_embedded_data_never_enter_a_text() -> None:
    for indentation in (1, None):
        text = json.dumps(notebook(), indent=indentation)
        found = split("a.ipynb", text)
        joined = "".join(span.text or "" for span in found.spans)
        assert all(word not in joined for word in (PICTURE[:100], "secret", "not this", "nor this"))
        assert "Weigh them." in joined
        assert uncovered(text, found) == []


def test_a_notebook_cut_off_gives_the_cells_it_has() -> None:
    text = json.dumps(notebook(), indent=1)
    text = text[: text.index("return 1")]
    found = split("a.ipynb", text)
    assert found.spans[-1].text == "def weigh():\n"[:-1]
    assert uncovered(text, found) == []


def test_rubbish_is_left_out_as_a_whole() -> None:
    found = split("a.ipynb", "not a notebook\n" * 3)
    assert found.spans == ()
    assert [(part.start_line, part.end_line) for part in found.omissions] == [(1, 3)]
