from __future__ import annotations

from gitcontext_pipeline.chunks.long_lines import KEPT_CHARACTERS, LONGEST_LINE
from gitcontext_pipeline.chunks.splitter import split

LONG = "x" * (LONGEST_LINE + 1)


def test_a_long_line_is_cut_in_the_text_of_its_span_and_reported() -> None:
    found = split("a.py", f"def f():\n    a = 1\n    b = '{LONG}'\n    return a\n")
    assert [(span.symbol, span.start_line, span.end_line) for span in found.spans] == [("f", 1, 4)]
    text = found.spans[0].text
    assert text is not None
    assert [len(line) > KEPT_CHARACTERS for line in text.split("\n")] == [False, False, True, False]
    assert LONG not in text
    assert [(part.start_line, part.end_line) for part in found.omissions] == [(3, 3)]


def test_a_file_of_nothing_else_has_no_spans() -> None:
    found = split("bundle.js", "function a(){return 1}" * 5000)
    assert found.spans == ()
    assert found.omissions[0].reason == "line of more than 2,000 characters"
