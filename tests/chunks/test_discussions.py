"""What was said about a pull request, as chunks that can be found, cited and linked."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gitcontext_pipeline.chunks.changes import change_chunks
from gitcontext_pipeline.chunks.collect import Identity
from gitcontext_pipeline.chunks.discussions import HUNK_LINES, PIECE
from gitcontext_pipeline.chunks.table import Chunk
from gitcontext_pipeline.corpus.changes import Change
from gitcontext_pipeline.corpus.discussion import Comment, LinkedIssue, ReviewThread
from gitcontext_pipeline.corpus.pull_requests import PullRequest

SHA = "b" * 40
PULL = PullRequest(
    number=7, title="Wait longer", body="Servers are slow.", merge_sha=SHA, author="Ada",
    created="2026-01-01T00:00:00Z", merged="2026-01-02T00:00:00Z", files=("retry.py",), symbols=(),
    commits=(), reverts=(),
)  # fmt: skip
CHANGE = Change(
    sha=SHA, kind="pull_request", number=7, reference="#7", title="Wait longer", body="", author="Ada", merger=None,
    co_authors=(), date="2026-01-02T00:00:00Z", authored="2026-01-01T00:00:00Z", parents=(), paths=(), hunks=(),
    commits=(), reverts=(), wide=False, bot=False,
)  # fmt: skip


def comment(body: str, *, author: str = "bob", chatter: bool = False, number: int = 0) -> Comment:
    return Comment(
        author, f"2026-01-01T00:00:{number:02}Z", body, f"https://github.com/ada/demo/pull/7#c{number}", chatter
    )


def chunks(pull: PullRequest) -> list[Chunk]:
    return list(change_chunks([CHANGE], Identity("demo", "ada/demo", "a" * 40), {SHA: pull}))


def thread(*comments: Comment, hunk: str = "@@ -1 +1 @@\n-one\n+two", start: int = 4, line: int = 6) -> ReviewThread:
    return ReviewThread("retry.py", start, line, "c" * 40, hunk, False, comments)


def test_a_thread_is_kept_whole_with_the_code_it_is_about() -> None:
    _, made = chunks(replace(PULL, threads=(thread(comment("Why?"), comment("So.", author="ada")),)))
    assert made.text == (
        "Review of retry.py:4-6 in #7 Wait longer\n\n@@ -1 +1 @@\n-one\n+two\n\n"
        "bob on 2026-01-01:\nWhy?\n\nada on 2026-01-01:\nSo."
    )
    assert (made.kind, made.symbol_kind, made.pr, made.commit) == ("pull_request", "review", 7, SHA)
    assert (made.author, made.date, made.url) == (
        "bob",
        "2026-01-01T00:00:00Z",
        "https://github.com/ada/demo/pull/7#c0",
    )
    assert made.paths == ("retry.py",)


@pytest.mark.parametrize(("start", "line", "place"), [(6, 6, "retry.py:6"), (0, 0, "retry.py")])
def test_the_place_of_a_thread_is_as_exact_as_it_is_known(start: int, line: int, place: str) -> None:
    _, made = chunks(replace(PULL, threads=(thread(comment("Why?"), start=start, line=line),)))
    assert made.text.startswith(f"Review of {place} in #7")


def test_of_a_long_diff_the_lines_before_the_comment_are_shown() -> None:
    hunk = "\n".join(["@@ -1 +1,500 @@", *(f"+line {n}" for n in range(500))])
    _, made = chunks(replace(PULL, threads=(thread(comment("Why?"), hunk=hunk),)))
    assert "+line 499" in made.text
    assert made.text.count("+line") == HUNK_LINES


def test_chatter_is_kept_and_not_searched() -> None:
    said = (comment("LGTM", chatter=True), comment("> quoted\nA limit is missing.", number=1))
    _, made = chunks(replace(PULL, comments=said))
    assert "LGTM" in made.text
    assert made.search_text == "Discussion of #7 Wait longer\n\nA limit is missing."
    assert (made.role, made.url) == ("main", "https://github.com/ada/demo/pull/7#c0")


def test_a_discussion_of_chatter_alone_is_marked() -> None:
    _, made = chunks(replace(PULL, comments=(comment("Coverage fell.", chatter=True),)))
    assert made.role == "bot"
    assert made.search_text == "Discussion of #7 Wait longer"


def test_a_long_discussion_is_continued_without_cutting_a_comment() -> None:
    many = [comment(f"{n} " + "word " * 300, number=n) for n in range(9)]
    said = (*many, comment("x" * 3 * PIECE, number=9))
    _, *made = chunks(replace(PULL, comments=said))
    assert len(made) > 3
    assert all(chunk.symbol_kind == "discussion" for chunk in made)
    for each in said:
        (holder,) = [chunk for chunk in made if each.body in chunk.text]
        assert holder.text.startswith("Discussion of #7 Wait longer")
    assert len({chunk.url for chunk in made}) == len(made)


def test_what_github_adds_stands_with_the_message() -> None:
    pull = replace(PULL, issues=(LinkedIssue(4, "Too many calls", ""), LinkedIssue(5, "", "")), labels=("bug", "retry"))
    (made,) = chunks(pull)
    assert made.text == "Wait longer\n\nServers are slow.\n\nCloses #4 Too many calls\n\nLabels: bug, retry"


def test_a_message_that_the_description_does_not_repeat_is_kept() -> None:
    identity = Identity("demo", "ada/demo", "a" * 40)
    squashed = replace(CHANGE, title="Wait longer each time", body="* Double it")
    (made,) = change_chunks([squashed], identity, {SHA: PULL})
    assert made.text == "Wait longer\n\nServers are slow.\n\n* Double it\n\n* Wait longer each time"


def test_routine_is_marked() -> None:
    (made,) = chunks(replace(PULL, noise="dependency bump"))
    assert made.role == "bot"
