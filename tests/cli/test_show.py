"""`gitcontext show`, and the places that `show` and `why` understand."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import Command
from tests.cli.odd_corpus import LONG_CODE, ODD_PATH, OddCorpus


def shown(gitcontext: Command, *arguments: object) -> str:
    done = gitcontext("show", *arguments)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_lines_are_shown_with_their_link_their_symbol_and_what_is_around(
    gitcontext: Command, odd_corpus: OddCorpus
) -> None:
    assert shown(gitcontext, "limiter/bucket.py:14-15", "--context", 1).splitlines() == [
        "method `TokenBucket.refill` (limiter/bucket.py#L14-L15)",
        f"    https://github.com/acme/odd/blob/{odd_corpus.revision}/limiter/bucket.py#L14-L15",
        "",
        "    13 |     def refill(self, elapsed: float) -> None:",
        '    14 |         """Add what was earned since the last call, never more than one burst."""',
        "    15 |         self.tokens = self.tokens + elapsed * self.rate",
        "    16 |",
    ]


@pytest.mark.parametrize("place", ["retry.py:4-6", "./retry.py:4-6", "retry.py#L4-L6", "{url}"])
def test_a_place_may_be_written_in_many_ways(gitcontext: Command, odd_corpus: OddCorpus, place: str) -> None:
    url = f"https://github.com/acme/odd/blob/{odd_corpus.revision}/retry.py#L4-L6"
    told = json.loads(shown(gitcontext, place.format(url=url), "--json", "--context", 2))
    assert (told["path"], told["start_line"], told["end_line"]) == ("retry.py", 2, 8)
    assert (told["place"], told["url"]) == ({"start_line": 4, "end_line": 6}, url)
    assert (told["symbol"], told["symbol_kind"], told["language"]) == ("backoff_delay", "function", "python")
    assert told["text"].split("\n")[2] == "def backoff_delay(attempt: int) -> float:"
    assert told["revision"] == odd_corpus.revision


def test_every_link_that_is_printed_can_be_shown(gitcontext: Command, odd_corpus: OddCorpus) -> None:
    results = json.loads(gitcontext("search", "take over the terminal", "-n", 50, "-s", "code", "--json").stdout)
    assert ODD_PATH in {result["path"] for result in results}
    for result in results:
        told = json.loads(shown(gitcontext, result["url"], "--context", 0, "--json"))
        assert (told["path"], told["text"]) == (result["path"], result["text"])
        assert gitcontext("why", result["url"]).exit_code == 0


@pytest.mark.usefixtures("odd_corpus")
def test_lines_of_several_symbols_are_in_none(gitcontext: Command) -> None:
    told = json.loads(shown(gitcontext, "limiter/bucket.py:14-18", "--json"))
    assert told["symbol"] is None


@pytest.mark.usefixtures("odd_corpus")
def test_a_long_symbol_is_one_however_many_chunks_it_has(gitcontext: Command) -> None:
    last = LONG_CODE.count("\n")
    told = json.loads(shown(gitcontext, f"long.py:2-{last}", "--json"))
    assert told["symbol"] == "refill_everything"


@pytest.mark.parametrize(
    ("place", "reason", "fix"),
    [
        ("retry.py", "names no line", "src/module.py:12"),
        ("nowhere.py:1", "there is no file 'nowhere.py'", "from the top of the repository"),
        ("retry.py:999", "has 10 lines", ""),
        ("https://github.com/acme/odd/pull/5", "no link to lines of a commit", "src/module.py:12"),
        ("https://github.com/acme/odd/blob/main/retry.py#L4", "no link to lines of a commit", ""),
        (f"https://github.com/acme/odd/blob/{'0' * 40}/retry.py#L4", "no published corpus is at", "gitcontext corpora"),
        ("https://github.com/acme/other/blob/{revision}/retry.py#L4", "no published corpus is at", ""),
        ("git:{revision}:retry.py#L4", "no published corpus is at", ""),
    ],
)
def test_a_place_that_is_none_is_an_error_of_use(
    gitcontext: Command, odd_corpus: OddCorpus, place: str, reason: str, fix: str
) -> None:
    for command in ("show", "why"):
        done = gitcontext(command, place.format(revision=odd_corpus.revision))
        assert done.exit_code == 2
        assert reason in done.output
        assert fix in done.output


def test_a_link_must_be_of_the_corpus_that_is_named(gitcontext: Command, odd_corpus: OddCorpus) -> None:
    url = f"https://github.com/acme/odd/blob/{'0' * 40}/retry.py#L4"
    done = gitcontext("show", url, "-c", "odd")
    assert done.exit_code == 2
    assert "the corpus 'odd' is not at the commit 000000000000 of that link" in done.output
    assert gitcontext("show", url, "-c", "other").exit_code == 2
