from __future__ import annotations

import io

from rich.console import Console

from gitcontext_pipeline.cli.streaming import showing_unverified


def test_sentences_are_marked_as_unverified_line_by_line_when_piped() -> None:
    out = io.StringIO()
    with showing_unverified(Console(file=out)) as heard:
        for sentences in ([], ["It"], ["It is."], ["It is.", "So"], ["It is.", "So is that."], ["Again."]):
            heard(sentences)
    assert [line.strip() for line in out.getvalue().splitlines()] == [
        "unverified: It is.",
        "unverified: So is that.",
        "unverified: Again.",
    ]


def test_on_a_terminal_unverified_sentences_are_shown_and_taken_away_again() -> None:
    out = io.StringIO()
    with showing_unverified(Console(file=out, force_terminal=True, width=80)) as heard:
        heard(["It is so."])
    text = out.getvalue()
    assert "unverified" in text
    assert "It is so." in text
    assert text.rstrip().endswith("\x1b[2K") or "\x1b[1A" in text
