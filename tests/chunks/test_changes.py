from __future__ import annotations

from typing import Any

import pytest

from gitcontext_pipeline.chunks.changes import MOST_PATHS, change_chunks, change_text
from gitcontext_pipeline.chunks.collect import Identity
from gitcontext_pipeline.chunks.table import Chunk, to_arrow
from gitcontext_pipeline.corpus.changes import Change, Commit, Hunk, PathChange

SHA = "b" * 40
IDENTITY = Identity("demo", "ada/demo", "a" * 40)


def change(**fields: Any) -> Change:
    """A merged pull request of two commits, or what `fields` make of it."""
    made: dict[str, Any] = {
        "sha": SHA, "kind": "pull_request", "number": 7, "reference": "#7", "title": "Strip auth on redirect",
        "body": "Credentials leaked to other hosts.\n\nFixes #6", "author": "Ada Lovelace", "merger": "Bob Martin",
        "co_authors": (), "date": "2026-01-02T03:04:05+00:00", "authored": "2026-01-01T00:00:00+00:00",
        "parents": ("c" * 40, "d" * 40), "paths": (PathChange("src/sessions.py", "M", added=3, deleted=1),),
        "hunks": (Hunk("src/sessions.py", "class Session:", ("    if new:", "        del auth"), ("    pass",)),),
        "commits": (Commit("d" * 40, "Add a test", "Ada", ()), Commit("e" * 40, "Drop the header", "Ada", ())),
        "reverts": (), "wide": False, "bot": False,
    }  # fmt: skip
    return Change(**made | fields)


def only(one: Change, identity: Identity = IDENTITY) -> Chunk:
    (chunk,) = change_chunks([one], identity)
    return chunk


class TestText:
    def test_a_change_reads_as_one_passage(self) -> None:
        assert change_text(change()) == (
            "Strip auth on redirect\n\n"
            "Credentials leaked to other hosts.\n\nFixes #6\n\n"
            "* Add a test\n* Drop the header\n\n"
            "M src/sessions.py\n\n"
            "@@ src/sessions.py class Session:\n-    pass\n+    if new:\n+        del auth"
        )

    def test_what_is_not_there_leaves_no_gap(self) -> None:
        assert change_text(change(body=" \n", commits=(), paths=(), hunks=())) == "Strip auth on redirect"
        assert change_text(change(title="", body="", commits=(), paths=(), hunks=())) == ""

    def test_a_commit_that_repeats_the_title_or_another_one_says_nothing_new(self) -> None:
        subjects = ["Strip auth on redirect", "Fix tests", "", "Fix tests"]
        commits = tuple(Commit(str(number) * 40, subject, "Ada", ()) for number, subject in enumerate(subjects))
        assert change_text(change(commits=commits, body="", paths=(), hunks=())) == (
            "Strip auth on redirect\n\n* Fix tests"
        )

    def test_of_many_files_some_are_named(self) -> None:
        paths = tuple(PathChange(f"f{number}.py", "A") for number in range(MOST_PATHS + 3))
        text = change_text(change(paths=paths, hunks=()))
        assert f"A f{MOST_PATHS - 1}.py\nand 3 more files" in text
        assert f"f{MOST_PATHS}.py" not in text
        assert "more files" not in change_text(change(paths=paths[:MOST_PATHS], hunks=()))

    def test_a_hunk_outside_of_any_symbol(self) -> None:
        text = change_text(change(hunks=(Hunk("setup.cfg", "", ("[x]",), ()),)))
        assert text.endswith("\n\n@@ setup.cfg\n+[x]")


class TestChunks:
    def test_a_pull_request(self) -> None:
        chunk = only(change())
        assert (chunk.kind, chunk.pr, chunk.commit, chunk.revision) == ("pull_request", 7, SHA, "a" * 40)
        assert (chunk.author, chunk.date) == ("Ada Lovelace", "2026-01-02T03:04:05+00:00")
        assert (chunk.path, chunk.paths, chunk.signature) == ("", ("src/sessions.py",), "Strip auth on redirect")
        assert chunk.url == f"https://github.com/ada/demo/commit/{SHA}"
        assert chunk.text == change_text(change())

    def test_a_commit_of_its_own(self) -> None:
        chunk = only(change(kind="commit", number=None))
        assert (chunk.kind, chunk.pr, chunk.commit) == ("commit", None, SHA)

    def test_lines_count_the_passage(self) -> None:
        chunk = only(change())
        assert (chunk.start_line, chunk.end_line) == (1, len(chunk.text.split("\n")))

    @pytest.mark.parametrize(("bot", "role"), [(True, "bot"), (False, "main")])
    def test_what_a_bot_did_is_marked(self, bot: bool, role: str) -> None:
        assert only(change(bot=bot)).role == role

    def test_an_unknown_author_or_date_is_missing_rather_than_empty(self) -> None:
        chunk = only(change(author="", date=""))
        assert (chunk.author, chunk.date) == (None, None)

    def test_without_github_the_link_names_the_commit(self) -> None:
        assert only(change(), Identity("demo", None, "a" * 40)).url == f"git:{SHA}"

    def test_a_change_of_very_many_files_keeps_the_first(self) -> None:
        paths = tuple(PathChange(f"f{number}.py", "M") for number in range(MOST_PATHS * 2))
        assert only(change(paths=paths)).paths == tuple(f"f{number}.py" for number in range(MOST_PATHS))

    def test_they_are_rows_of_the_chunk_table_in_order(self) -> None:
        changes = [change(), change(sha="f" * 40), change(sha="e" * 40, kind="commit", number=None, author="")]
        rows = to_arrow(list(change_chunks(changes, IDENTITY))).to_pylist()
        assert [row["commit"] for row in rows] == [SHA, "f" * 40, "e" * 40]
        assert len({row["id"] for row in rows}) == 3

    def test_no_history(self) -> None:
        assert list(change_chunks([], IDENTITY)) == []
