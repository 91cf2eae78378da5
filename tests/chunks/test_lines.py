from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitcontext_pipeline.chunks.lines import WINDOW_LINES, file_lines, pieces, split_lines


def test_only_a_newline_ends_a_line() -> None:
    assert file_lines("a\rb\x0cc\x85d\u2028e\nf\r\n") == ["a\rb\x0cc\x85d\u2028e", "f\r"]


def test_a_final_newline_starts_no_line() -> None:
    assert file_lines("") == []
    assert file_lines("a") == file_lines("a\n") == ["a"]


def test_a_short_text_is_one_window_without_its_blank_ends() -> None:
    assert [(span.start_line, span.end_line) for span in split_lines(["", "a", "", "b", ""])] == [(2, 4)]


def test_a_cut_is_made_at_a_blank_line_between_little_indented_lines() -> None:
    lines = [f"    line {number}" for number in range(40)] + [""] + [f"    line {number}" for number in range(40)]
    assert list(pieces(lines, 1, len(lines))) == [(1, 40), (42, 81)]


@given(st.lists(st.sampled_from(["", "  ", "a", "    b"]), max_size=300), st.integers(1, 80))
def test_pieces_hold_every_line_that_is_not_blank_and_no_line_twice(lines: list[str], limit: int) -> None:
    cut = list(pieces(lines, 1, len(lines), limit))
    held = [number for first, last in cut for number in range(first, last + 1)]
    assert held == sorted(set(held))
    assert {number for number, line in enumerate(lines, 1) if line.strip()} <= set(held)
    assert all(0 < last - first + 1 <= limit for first, last in cut)


def test_pieces_are_of_about_equal_length() -> None:
    lengths = [last - first + 1 for first, last in pieces(["x"] * (WINDOW_LINES + 1), 1, WINDOW_LINES + 1)]
    assert min(lengths) >= WINDOW_LINES // 3
