from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitcontext_pipeline.corpus.messages import read_message

SHA = "0123456789abcdef0123456789abcdef01234567"


@pytest.mark.parametrize(
    ("text", "title", "reference"),
    [
        ("Merge pull request #123 from ada/branch\n\nAdd a thing\n\nMore.", "Add a thing", "#123"),
        ("Merge pull request #123 from ada/branch\r\n\r\nAdd a thing\r\n", "Add a thing", "#123"),
        ("Merge pull request #7 from ada/branch", "Merge pull request #7 from ada/branch", "#7"),
        ("Merge pull request #7 from a/b\n\nCo-authored-by: A <a@b.c>", "Merge pull request #7 from a/b", "#7"),
        ("Merge PR #9 from ada/x\n\nTitle", "Title", "#9"),
        ("Add a thing (#45)\n\n* one\n* two", "Add a thing", "#45"),
        ("Backport a thing (#12) (#45)", "Backport a thing (#12)", "#45"),
        ("gh-1: Add a thing (GH-45)", "gh-1: Add a thing", "#45"),
        ("A long title that GitHub cu… (#45)\n\n…t in two\n\nBody", "A long title that GitHub cut in two", "#45"),
        ("Merge branch 'fix' (#77)\n\nFix it", "Fix it", "#77"),
        ("Merge branch 'fix' into 'main'\n\nFix it\n\nSee merge request group/sub/project!31", "Fix it", "!31"),
        ("Fix it\n\nBody\n\nSee merge request !31", "Fix it", "!31"),
        ("Auto merge of #555 - ada:branch, r=bob\n\nMake it fast\n\nr? @bob", "Make it fast", "#555"),
        ("Merge #61\n\n61: Make it fast r=bob a=ada\n\nBody", "Make it fast", "#61"),
        ("Merge #61 #62\n\n61: Make it fast r=bob a=ada", "Make it fast", "#61"),
        ("Merge bitcoin/bitcoin#28121: Make it fast\n\nabc", "Make it fast", "#28121"),
        ("Merged PR 88: Make it fast", "Make it fast", "#88"),
        ("Merged in feature/x (pull request #19)\n\nMake it fast", "Make it fast", "#19"),
        ("Merge commit from fork\n\n* Check the length", "Check the length", None),
        ("Fixes #711!", "Fixes #711!", None),
        ("Cleanup (#711) of things", "Cleanup (#711) of things", None),
        ("Merge branch 'main' of github.com:a/b", "Merge branch 'main' of github.com:a/b", None),
        ("Zero (#0)", "Zero (#0)", None),
        ("Too many digits (#12345678901234567890)", "Too many digits (#12345678901234567890)", None),
        ("(#45)", "(#45)", "#45"),
        ("", "", None),
        ("\n\n  \n", "", None),
    ],
)
def test_the_title_and_the_pull_request_are_found(text: str, title: str, reference: str | None) -> None:
    message = read_message(text)
    assert message.title == title
    assert message.reference == reference
    assert message.number == (int(reference[1:]) if reference else None)


@pytest.mark.parametrize(
    ("text", "reverts"),
    [
        (f'Revert "Add a thing"\n\nThis reverts commit {SHA}.', (SHA,)),
        (f'Revert "Add a thing (#45)"\n\nThis reverts commit {SHA}.', (SHA, "#45")),
        ('Revert "Add a thing (#45)" (#46)\n\nReverts ada/demo#45', ("#45",)),
        ('Revert "Revert "Add a thing (#45)" (#46)" (#47)', ("#46",)),
        (f'Reapply "Add a thing (#45)"\n\nThis reverts commit {SHA}.', (SHA,)),
        (
            "Merge branch 'r' into 'main'\n\nRevert it\n\nThis reverts merge request !12\n\nSee merge request g/p!13",
            ("!12",),
        ),
        ("Take it out\n\nThis reverts commits 0123456 and more", ("0123456",)),
        (f"A squash (#9)\n\n* one\n\n* Revert one\n\nThis reverts commit {SHA}.", ()),
        ("Add a revert button (#45)", ()),
    ],
)
def test_what_a_change_takes_back_is_found(text: str, reverts: tuple[str, ...]) -> None:
    assert read_message(text).reverts == reverts


def test_people_are_named_without_their_addresses() -> None:
    message = read_message(
        "Add a thing (#45)\n\nBody.\n\nCo-authored-by: Bob Martin <bob@example.com>\n"
        "Signed-off-by: Ada <ada@example.com>\n"
        "Co-Authored-By: Bob Martin <other@example.com>\n"
    )
    assert message.co_authors == ("Bob Martin",)
    assert message.body == "Body."


@given(st.text())
def test_any_text_is_a_message(text: str) -> None:
    message = read_message(text)
    assert "\n" not in message.title
    assert (message.number is None) == (message.reference is None)


@given(
    st.text(alphabet=st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1),
    st.integers(1, 999_999_999),
)
def test_a_squashed_title_comes_back_as_it_was(title: str, number: int) -> None:
    message = read_message(f"{title.strip() or 'x'} (#{number})")
    assert message.number is not None
    assert message.reference == f"#{message.number}"
