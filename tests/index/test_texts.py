from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitcontext_pipeline.index.texts import (
    FIELDS,
    column_texts,
    lexical_fields,
    passages,
    readable,
    summary_text,
)


def row(**fields: Any) -> dict[str, Any]:
    return {
        "kind": "code",
        "path": "src/requests/sessions.py",
        "symbol": "SessionRedirectMixin.should_strip_auth",
        "signature": "def should_strip_auth(self, old_url, new_url)",
        "doc": "Decide whether Authorization header should be removed when redirecting",
        "text": "def should_strip_auth(self, old_url, new_url):\n    return True",
        "history": ["Strip auth on host change", "Allow upgrades"],
        "paths": [],
        "search_text": None,
        **fields,
    }


CHANGE = row(
    kind="pull_request", path="", symbol=None, signature="Strip auth on host change", doc="",
    text="Strip auth on host change\n\nFixes #1\n\nM src/requests/sessions.py", history=[],
    paths=["src/requests/sessions.py", "tests/test_requests.py"],
)  # fmt: skip
SECTION = row(kind="docs", path="docs/auth.rst", symbol="Netrc", signature="Authentication / Netrc", doc="")


def test_what_is_searched_of_a_change_may_be_less_than_its_text() -> None:
    noisy = CHANGE | {"search_text": "Strip auth on host change\n\nFixes #1"}
    assert lexical_fields(noisy)["body"] == noisy["search_text"]
    assert not any("src/requests" in passage for passage in passages(noisy))


def test_code_is_looked_for_by_name_path_comment_body_and_history() -> None:
    assert lexical_fields(row()) == {
        "symbol": "SessionRedirectMixin.should_strip_auth ",
        "path": "src/requests/sessions.py",
        "doc": "Decide whether Authorization header should be removed when redirecting",
        "body": "def should_strip_auth(self, old_url, new_url):\n    return True",
        "history": "Strip auth on host change\nAllow upgrades",
    }


def test_a_section_is_looked_for_by_the_headings_above_it() -> None:
    assert lexical_fields(SECTION)["symbol"].split() == ["Netrc", "Authentication", "/", "Netrc"]


def test_a_change_is_looked_for_by_its_title_and_the_files_it_touched() -> None:
    fields = lexical_fields(CHANGE)
    assert fields["symbol"] == "Strip auth on host change"
    assert fields["path"] == "src/requests/sessions.py tests/test_requests.py"
    assert fields["body"] == CHANGE["text"]


@pytest.mark.parametrize("each", [row(), row(symbol=None, doc="", history=[]), SECTION, CHANGE])
def test_every_row_has_every_field_as_text(each: dict[str, Any]) -> None:
    fields = lexical_fields(each)
    assert tuple(fields) == FIELDS
    assert all(isinstance(text, str) for text in fields.values())


def test_columns_are_in_row_order() -> None:
    columns = column_texts([row(), SECTION, CHANGE])
    assert tuple(columns) == FIELDS
    assert columns["path"] == ["src/requests/sessions.py", "docs/auth.rst", lexical_fields(CHANGE)["path"]]
    assert column_texts([]) == {field: [] for field in FIELDS}


class TestPassages:
    def test_a_short_chunk_is_one_under_its_name(self) -> None:
        assert passages(row()) == [f"SessionRedirectMixin.should_strip_auth\n{row()['text']}"]
        assert passages(row(symbol=None)) == [f"src/requests/sessions.py\n{row()['text']}"]

    @given(st.sampled_from(["code", "docs"]), st.integers(min_value=1, max_value=300))
    def test_every_line_of_a_chunk_is_in_a_short_passage_under_its_name(self, kind: str, count: int) -> None:
        lines = [f"line {number}" for number in range(count)]
        found = [passage.split("\n") for passage in passages(row(kind=kind, symbol="f", text="\n".join(lines)))]
        assert {passage[0] for passage in found} == {"f"}
        assert max(len(passage) for passage in found) <= 20
        assert list(dict.fromkeys(line for passage in found for line in passage[1:])) == lines

    def test_each_paragraph_of_a_change_stands_under_its_title(self) -> None:
        assert passages(CHANGE) == [
            "Strip auth on host change",
            "Strip auth on host change\nFixes #1",
            "Strip auth on host change\nM src/requests/sessions.py",
        ]

    def test_a_long_change_has_a_few_short_ones(self) -> None:
        text = "\n\n".join(["Title", *("word " * 1000 for _ in range(50))])
        found = passages({**CHANGE, "text": text})
        assert len(found) < 10
        assert max(map(len, found)) < 1000

    @pytest.mark.parametrize("text", ["", "\n\n", "Title", "Title\n\n\n\n"])
    def test_there_is_at_least_one(self, text: str) -> None:
        assert passages({**CHANGE, "text": text}) == ["Strip auth on host change"]
        assert len(passages(row(text=text))) == 1


def test_the_summary_is_readable() -> None:
    assert summary_text(row()) == (
        "session redirect mixin should strip auth. src requests sessions py. "
        "def should_strip_auth(self, old_url, new_url). "
        "Decide whether Authorization header should be removed when redirecting. "
        "Strip auth on host change; Allow upgrades"
    )
    assert summary_text(CHANGE) == "Strip auth on host change. src requests sessions py tests test requests py"


def test_the_summary_leaves_out_what_is_not_there() -> None:
    assert summary_text(row(symbol=None, signature="", doc="", history=[])) == "src requests sessions py"


def test_the_summary_of_a_long_chunk_stays_short() -> None:
    summary = summary_text(row(doc="word " * 1000, history=[f"change {number}" for number in range(100)]))
    assert len(summary) < 700
    assert "change 3" in summary
    assert "change 4" not in summary


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("SessionRedirectMixin.should_strip_auth", "session redirect mixin should strip auth"),
        ("HTTPAdapter.get_connection_with_tls_context", "http adapter get connection with tls context"),
        ("src/gin/tree.go", "src gin tree go"),
        ("", ""),
    ],
)
def test_readable_names(name: str, shown: str) -> None:
    assert readable(name) == shown
