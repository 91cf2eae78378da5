from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitcontext_pipeline.corpus.changelog import CHANGELOG, entries_by_number, entries_of

MARKDOWN = """\
# Release History

2.34.0 (2026-05-11)
-------------------

**Bugfixes**
- ``Response.history`` no longer contains a reference to itself, preventing
  accidental looping when traversing the history list. (#7328)
- Requests no longer matches no_proxy greedily. (#7427, GH-12)
* Too much at once: #1, #2, #3, #4, #5, #6.

A paragraph about [the tail](https://github.com/ada/demo/pull/45) of the list.
See https://example.com/page#99 and item&#98; for more.
"""
SPHINX = """\
Version 3.1.0
-------------

-   Drop support for Python 3.9. :pr:`5730`
-   Teardown callbacks are all called. :issue:`5928`
"""


def test_an_entry_is_found_by_the_numbers_it_names() -> None:
    found = entries_by_number([MARKDOWN, SPHINX])
    assert found[7328] == (
        "``Response.history`` no longer contains a reference to itself, preventing accidental looping when traversing "
        "the history list. (#7328)",
    )
    assert found[7427] == found[12] == ("Requests no longer matches no_proxy greedily. (#7427, GH-12)",)
    assert found[45][0].startswith("A paragraph about [the tail]")
    assert found[5730] == ("Drop support for Python 3.9. :pr:`5730`",)
    assert found[5928] == ("Teardown callbacks are all called. :issue:`5928`",)
    assert set(found) == {7328, 7427, 12, 45, 5730, 5928}


def test_a_change_goes_by_its_own_number_and_those_of_its_issues() -> None:
    found = entries_by_number([MARKDOWN, SPHINX])
    assert entries_of([1, 5928, 7427], found) == (
        "Teardown callbacks are all called. :issue:`5928`",
        "Requests no longer matches no_proxy greedily. (#7427, GH-12)",
    )
    assert entries_of([1], found) == ()


@pytest.mark.parametrize(
    ("path", "is_changelog"),
    [
        ("HISTORY.md", True),
        ("CHANGES.rst", True),
        ("ChangeLog", True),
        ("docs/changelog.md", True),
        ("RELEASE_NOTES.txt", True),
        ("NEWS", True),
        ("src/history.py", False),
        ("tests/CHANGES.rst", False),
        ("changes.py", False),
    ],
)
def test_changelogs_are_known_by_their_names(path: str, is_changelog: bool) -> None:
    assert bool(CHANGELOG.match(path)) == is_changelog


@given(st.text())
def test_any_text_is_a_changelog(text: str) -> None:
    for number, entries in entries_by_number([text]).items():
        assert all(str(number) in entry for entry in entries)
