"""Lines of files as they were committed, and the places that name them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gitcontext_pipeline.answer.source import Place, read_lines, read_source
from gitcontext_pipeline.chunks.skip import MOST_BYTES
from gitcontext_pipeline.corpus.checkout import TreeFile
from gitcontext_pipeline.errors import UsageError
from gitcontext_pipeline.state import State
from tests.served import LONG_LINE, NAME, ODD_FILE, served

__all__ = ["served"]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a.py:12", Place("a.py", 12, 12)),
        ("a.py:12-20", Place("a.py", 12, 20)),
        ("a.py#L12-L20", Place("a.py", 12, 20)),
        ("./a:b.py:3", Place("a:b.py", 3, 3)),
        ("a\nb.py:3", Place("a\nb.py", 3, 3)),
    ],
)
def test_places_are_read_as_links_and_compilers_write_them(text: str, place: Place) -> None:
    assert Place.parse(text) == place


@pytest.mark.parametrize("text", ["a.py", "a.py:", "a.py:x", "a.py:0", "a.py:9-2", ":1", "a.py:99999999999999999999"])
def test_what_names_no_line_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        Place.parse(text)


@pytest.mark.parametrize(
    ("start", "end", "context", "first", "last"),
    [(1, 1, 3, 1, 4), (10, 10, 3, 7, 10), (4, 6, 0, 4, 6), (1, 10, 99, 1, 10), (5, 5, 10**12, 1, 10)],
)
def test_context_ends_where_the_file_does(
    served: State, start: int, end: int, context: int, first: int, last: int
) -> None:
    found = read_source(served.corpus(NAME), Place("retry.py", start, end), context)
    assert (found.start_line, found.end_line, found.lines) == (first, last, 10)
    assert found.text.count("\n") == last - first
    assert found.url.endswith(f"/retry.py#L{first}-L{last}")


@pytest.mark.parametrize(
    ("path", "lines", "text"),
    [
        ("odd/open_end.txt", 2, "one\ntwo"),
        ("odd/crlf.txt", 3, "one\r\ntwo\r\nthree\r"),
        ("odd/latin.txt", 1, "caf\N{REPLACEMENT CHARACTER}"),
        ("odd/long.py", 1, LONG_LINE.rstrip("\n")),
        ("docs/café notes.md", 3, "# Café\n\nNotes on naïve clients."),
    ],
)
def test_lines_are_counted_as_git_counts_them(served: State, path: str, lines: int, text: str) -> None:
    found = read_source(served.corpus(NAME), Place(path, 1, lines))
    assert (found.lines, found.text) == (lines, text)


def test_a_link_to_an_odd_name_is_quoted(served: State) -> None:
    url = read_source(served.corpus(NAME), Place(ODD_FILE, 1, 1)).url
    assert url.endswith("/odd/new%0Aline%20%1B%5B2J%3F%23%25.py#L1")


@pytest.mark.parametrize(
    ("place", "told"),
    [
        (Place("logo.bin", 1, 1), "logo.bin is no text"),
        (Place("odd/empty.txt", 1, 1), "has 0 lines"),
        (Place("retry.py", 10, 11), "has 10 lines"),
        (Place("nowhere.py", 1, 1), "there is no file"),
        (Place("link.py", 1, 1), "there is no file"),
        (Place("docs", 1, 1), "there is no file"),
        (Place("../state/corpora", 1, 1), "there is no file"),
    ],
)
def test_what_has_no_such_lines_is_refused(served: State, place: Place, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        read_source(served.corpus(NAME), place)


def test_context_is_not_negative(served: State) -> None:
    with pytest.raises(UsageError, match="context is -1"):
        read_source(served.corpus(NAME), Place("retry.py", 1, 1), -1)


def test_a_file_whose_path_ends_the_same_is_suggested(served: State) -> None:
    with pytest.raises(UsageError) as refused:
        read_source(served.corpus(NAME), Place("bucket.py", 1, 1))
    assert refused.value.fix == "is it limiter/bucket.py?"


class Unread:
    """A checkout of one file that is larger than any that is indexed."""

    revision = "0" * 40
    repository = None

    def files(self) -> Iterator[TreeFile]:
        yield TreeFile("big.py", MOST_BYTES + 1, "0" * 40)

    def read(self, file: TreeFile) -> bytes:
        raise AssertionError("it was read")

    def not_regular(self) -> dict[str, str]:
        return {}


def test_what_is_too_large_is_not_even_read() -> None:
    with pytest.raises(UsageError, match="too large"):
        read_lines(Unread(), Place("big.py", 1, 1))
