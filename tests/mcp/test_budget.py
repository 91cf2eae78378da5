from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from gitcontext_pipeline.errors import UsageError
from gitcontext_pipeline.mcp.budget import Reply, first_lines, fitted, tokens


class Shown(BaseModel):
    excerpts: list[str]


def reply_of(texts: list[str], overhead: int) -> Callable[[int, int], Reply]:
    def make(items: int, room: int) -> Reply:
        excerpts = ["\n".join(first_lines(text.split("\n"), room)) for text in texts[:items]]
        return Reply("-" * overhead + "\n".join(excerpts), Shown(excerpts=excerpts))

    return make


@pytest.mark.parametrize(("text", "estimate"), [("", 0), ("abc", 1), ("abcd", 2), ("日本語", 3)])
def test_a_token_is_three_bytes(text: str, estimate: int) -> None:
    assert tokens(text) == estimate


@given(st.lists(st.text(alphabet='aé\n"\\', max_size=400), max_size=6), st.integers(0, 900), st.integers(300, 3000))
def test_a_reply_never_exceeds_its_budget(texts: list[str], overhead: int, budget: int) -> None:
    result = fitted(reply_of(texts, overhead), len(texts), budget)
    assert tokens(result.content[0].text) <= budget
    assert len(result.structured_content["excerpts"]) <= len(texts)


def test_all_is_shown_where_there_is_room() -> None:
    texts = ["one\ntwo", "three"]
    assert fitted(reply_of(texts, 0), 2, 500).structured_content == {"excerpts": texts}


def test_excerpts_are_cut_before_items_are_left_out() -> None:
    texts = ["\n".join("x" * 9 for _ in range(100))] * 3
    shown = fitted(reply_of(texts, 0), 3, 300).structured_content["excerpts"]
    assert len(shown) == 3
    assert all(0 < len(text) < len(texts[0]) for text in shown)


def test_a_budget_that_holds_nothing_is_refused() -> None:
    with pytest.raises(UsageError, match="max_tokens=100"):
        fitted(reply_of([], 400), 0, 100)


@pytest.mark.parametrize(
    ("room", "shown"),
    [
        (0, []),
        (1, []),
        (4, ["abc"]),
        (8, ["abc"]),
        (9, ["abc"]),
        (10, ["abc", "défg"]),
        (99, ["abc", "défg", ""]),
    ],
)
def test_lines_are_shown_whole_or_not_at_all(room: int, shown: list[str]) -> None:
    assert first_lines(["abc", "défg", ""], room) == shown
