from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gitcontext_pipeline.errors import UsageError
from gitcontext_pipeline.evaluation.candidates import names_symbol, words_of, write_candidates
from gitcontext_pipeline.evaluation.cases import read_cases
from gitcontext_pipeline.evaluation.corpus_view import CorpusView
from gitcontext_pipeline.evaluation.generate import LEAKS, generate
from gitcontext_pipeline.evaluation.mining import doc_comment, first_sentence, mine
from gitcontext_pipeline.evaluation.mining_history import Change
from tests.evaluation.builders import case_set


def code(path: str, symbol: str, text: str, start: int = 1, **fields: Any) -> dict[str, Any]:
    end = start + text.count("\n")
    return {
        "path": path,
        "symbol": symbol,
        "text": text,
        "start_line": start,
        "end_line": end,
        "kind": "code",
        **fields,
    }


STRIP = (
    'def should_strip(self):\n    """Decide whether the credentials are removed when a redirect leaves the host."""\n'
)
ROWS = [
    code("src/a.py", "Session.should_strip", STRIP),
    code("src/a.py", "Session.rebuild_proxies", "def rebuild_proxies(self):\n    pass\n", start=10),
    code("src/a.py", "Session.close", 'def close(self):\n    """Close it."""\n', start=20),
    code("src/b.py", "Session.__init__", "def __init__(self): pass", start=1),
    code("src/b.go", "ServeFile", "// ServeFile writes the named file to the answer in one go.\nfunc ServeFile() {}"),
    code("src/c.ts", "parseBody", "/**\n * Reads the body of a request once and keeps it for later.\n */\nfunction"),
    code(
        "tests/test_a.py",
        "test_strip_header",
        'def test():\n    """Redirects to another host lose their credentials."""',
    ),
    {
        "path": "docs/a.md",
        "symbol": "Timeouts and retries",
        "text": "…",
        "start_line": 1,
        "end_line": 4,
        "kind": "docs",
    },
    {"path": "docs/a.md", "symbol": "Notes", "text": "…", "start_line": 5, "end_line": 9, "kind": "docs"},
    {"path": "", "commit": "a" * 40, "text": "Fix it", "kind": "commit"},
]
CORPUS = CorpusView.from_rows(ROWS)


def test_doc_comments_names_and_headings_are_mined() -> None:
    found = {(one.source, one.query): one for one in mine(CORPUS)}
    assert set(found) == {
        ("doc comment", "Decide whether the credentials are removed when a redirect leaves the host"),
        ("doc comment", "ServeFile writes the named file to the answer in one go"),
        ("doc comment", "Reads the body of a request once and keeps it for later"),
        ("symbol", "where is session should strip done"),
        ("symbol", "where is session rebuild proxies done"),
        ("symbol", "where is serve file done"),
        ("symbol", "where is parse body done"),
        ("heading", "Timeouts and retries"),
    }
    strip = found["symbol", "where is session should strip done"]
    assert (strip.gold[0].name, strip.scope, strip.style, strip.confidence) == (
        "src/a.py#Session.should_strip",
        "code",
        "identifier",
        "low",
    )
    assert found["heading", "Timeouts and retries"].scope == "docs"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("One thing. Another thing.", "One thing"),
        ("Spread over\n    two lines.\n\nMore.", "Spread over two lines"),
        ("Uses :class:`~requests.Session` and ``x`` **now**.", "Uses requests.Session and x now"),
        ("e.g. this stays whole", "e.g. this stays whole"),
        ("", ""),
    ],
)
def test_the_first_sentence_of_a_comment(text: str, sentence: str) -> None:
    assert first_sentence(text) == sentence


def test_the_chunkers_doc_comment_comes_first() -> None:
    (passage,) = CorpusView.from_rows([code("a.py", "f", STRIP, doc="Another text")]).passages
    assert doc_comment(passage) == "Another text"


def test_a_query_copied_from_its_gold_is_marked_and_less_sure() -> None:
    found = generate(CORPUS)
    (strip,) = [one for one in found.candidates if one.query.startswith("Decide whether")]
    assert LEAKS in strip.flags
    assert strip.confidence == "medium"


def test_ambiguous_candidates_are_rejected() -> None:
    same = '"""Return the answer to whoever has asked for it."""'
    rows = [
        code("a.py", "first_thing", same),
        code("b.py", "other_thing", same),
        code("c.ts", "over_loaded", "/** Takes a number and gives a text back to you. */", start=1),
        code("c.ts", "over_loaded", "/** Takes a text and gives a number back to you. */", start=100),
    ]
    found = generate(CorpusView.from_rows(rows))
    assert {one.query for one in found.candidates} == {"where is first thing done", "where is other thing done"}
    reasons = {one.query: one.reason for one in found.rejected}
    assert reasons["Return the answer to whoever has asked for it"] == "ambiguous: 2 places fit it"
    assert reasons["where is over loaded done"] == "ambiguous: its symbol is defined more than once"


def test_near_repeats_are_rejected() -> None:
    rows = [
        code("a.py", "f", '"""Send the prepared request to its server and wait."""'),
        code("b.py", "g", '"""Send the prepared request to its server and wait now."""'),
    ]
    found = generate(CorpusView.from_rows(rows))
    assert len(found.candidates) == 1
    assert [one.reason for one in found.rejected] == ["nearly repeats another candidate"]


def test_candidates_are_spread_over_files_and_sources() -> None:
    rows = [
        code(
            f"f{number % 3}.py",
            f"do_thing_{name}",
            f'"""Word{number} alpha{name} beta{name} gamma{name} delta."""',
            10 * number,
        )
        for number, name in enumerate("abcdefghijkl")
    ]
    found = generate(CorpusView.from_rows(rows), count=6)
    assert sorted(one.source for one in found.candidates) == ["doc comment"] * 3 + ["symbol"] * 3
    assert {one.file for one in found.candidates} == {"f0.py", "f1.py", "f2.py"}
    assert all([one.file for one in found.candidates].count(f"f{i}.py") == 2 for i in range(3))


def test_the_same_seed_gives_the_same_candidates_whatever_the_order_of_the_corpus() -> None:
    forth, back = (CorpusView.from_rows(rows) for rows in (ROWS, ROWS[::-1]))
    ids = [[one.id for one in generate(corpus, count=5, seed=3).candidates] for corpus in (forth, back, forth)]
    assert ids[0] == ids[1] == ids[2]
    assert ids[0] != [one.id for one in generate(forth, count=5, seed=4).candidates]


def test_what_an_existing_set_asks_is_left_out() -> None:
    existing = case_set(
        {"query": "anything", "gold": [{"path": "src/a.py", "symbol": "Session.should_strip"}]},
        {"query": "reads the body of a request once and keeps it", "gold": [{"path": "elsewhere.ts"}]},
    )
    found = generate(CORPUS, existing=existing)
    assert not any("should_strip" in one.gold[0].name for one in found.candidates)
    reasons = {one.query: one.reason for one in found.rejected}
    assert reasons["where is session should strip done"] == "the existing set already asks for its gold"
    assert reasons["Reads the body of a request once and keeps it for later"] == "the existing set asks nearly this"


def test_unsure_candidates_can_be_left_out() -> None:
    assert {one.confidence for one in generate(CORPUS, min_confidence="medium").candidates} == {"medium"}
    assert generate(CORPUS, min_confidence="high").candidates == ()


def test_what_is_written_can_be_read_as_a_golden_set(tmp_path: Path) -> None:
    found = generate(CORPUS)
    path = tmp_path / "candidates.jsonl"
    write_candidates(path, found.candidates)
    cases = read_cases(path)
    assert [case.id for case in cases.cases] == [one.id for one in found.candidates]
    first = json.loads(path.read_text().splitlines()[0])
    assert {"_source", "_confidence", "_flags", "_review"} <= first.keys()


def test_a_file_that_is_there_is_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "golden.jsonl"
    path.write_text("reviewed")
    with pytest.raises(UsageError, match="may have been reviewed"):
        write_candidates(path, generate(CORPUS).candidates)
    assert path.read_text() == "reviewed"


def test_history_asks_and_the_symbols_it_wrote_answer() -> None:
    commit = "c" * 40
    blame = {"src/a.py": dict.fromkeys((1, 2, 3), commit)}
    change = Change("fix: Credentials leaked to other hosts after a redirect (#12)", commit, ("src/a.py",))
    (found,) = [one for one in generate(CORPUS, changes=[change], blame=blame).candidates if one.source == "history"]
    assert found.query == "Credentials leaked to other hosts after a redirect"
    assert [entry.name for entry in found.gold] == ["src/a.py#Session.should_strip"]
    assert (found.confidence, found.style) == ("high", "symptom")


def test_a_count_of_none_is_refused() -> None:
    with pytest.raises(UsageError):
        generate(CORPUS, count=0)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Session.rebuild_authHeaders", ["session", "rebuild", "auth", "headers"]),
        ("HTTPAdapter", ["http", "adapter"]),
        ("parseURL2", ["parse", "url", "2"]),
        ("größe_setzen", ["gr", "öß", "e", "setzen"]),
        ("__init__", ["init"]),
    ],
)
def test_the_words_of_a_name(name: str, words: list[str]) -> None:
    assert words_of(name) == words


def test_a_question_that_uses_the_name_is_noticed() -> None:
    assert names_symbol("how does rebuild_auth work?", "Session.rebuild_auth")
    assert names_symbol("where do we rebuild auth", "Session.rebuild_auth")
    assert not names_symbol("where are credentials dropped", "Session.rebuild_auth")
