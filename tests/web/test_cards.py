"""A piece of evidence as a card."""

from __future__ import annotations

from typing import Any

from gitcontext_pipeline.chunks import table
from gitcontext_pipeline.chunks.table import Chunk
from gitcontext_pipeline.retrieval.result import Result
from gitcontext_pipeline.web.cards import parts_of
from gitcontext_pipeline.web.conversations import LONGEST, conversations
from gitcontext_pipeline.web.templates import href, tail

PIN, MERGE = "a" * 40, "b" * 40


def chunk(kind: str | None, text: str, commit: str = MERGE) -> Chunk:
    made: dict[str, Any] = {
        "corpus": "demo", "kind": "pull_request", "path": "", "language": "text", "role": "main", "symbol": None,
        "symbol_kind": kind, "signature": "Wait longer", "doc": "", "start_line": 1, "end_line": 1, "text": text,
        "history": (), "paths": (), "revision": PIN, "commit": commit, "pr": 7, "author": "Ada", "date": None,
        "url": f"https://github.com/ada/demo/pull/7#{kind}",
    }  # fmt: skip
    return Chunk(**made)


def test_a_pull_request_comes_with_its_reviews_and_its_discussion() -> None:
    chunks = table.to_arrow(
        [
            chunk(None, "Wait longer"),
            chunk("review", "Review of a.py:3 in #7 Wait longer\n\n+x\n\nbob on 2026-01-02:\nWhy\x1b[31m three?"),
            chunk("discussion", "Discussion of #7 Wait longer\n\nada on 2026-01-03:\n" + "so " * LONGEST),
            chunk("discussion", "Discussion of #8", commit="c" * 40),
        ]
    )
    review, discussion = conversations(chunks, {MERGE})[MERGE]
    assert review.heading == "Review of a.py:3 in #7 Wait longer"
    assert review.text == "+x\n\nbob on 2026-01-02:\nWhy\N{REPLACEMENT CHARACTER}[31m three?"
    assert review.url.endswith("#review")
    assert len(discussion.text) <= LONGEST
    assert conversations(chunks, set()) == {}


def test_what_made_the_score_is_told_and_what_did_nothing_is_not() -> None:
    fields = dict.fromkeys(Result.__dataclass_fields__, "")
    parts = {"summary": 1.0, "change": -2.0, "lexical": 0.5, "length": 0.001, "unheard of": 0.1}
    result = Result(**{**fields, "score": 1.0, "parts": parts, "copies": (), "paths": ()})  # type: ignore[arg-type]
    told = parts_of(result)
    assert [part.name for part in told] == ["lexical", "summary", "change", "unheard of"]
    assert [part.share for part in told] == [0.25, 0.5, -1.0, 0.05]
    assert "BM25" in told[0].says


def test_only_addresses_on_the_web_become_links() -> None:
    assert href("https://github.com/a/b") == "https://github.com/a/b"
    assert [href(url) for url in ("javascript:alert(1)", f"git:{PIN}:a.py#L1", "http://a", "//a", "")] == [None] * 5


def test_addresses_of_one_corpus_are_told_by_their_ends() -> None:
    assert tail(f"https://github.com/a/b/blob/{PIN}/docs/a%20b.md?plain=1#L1-L2") == "docs/a b.md#L1-L2"
    assert tail(f"git:{PIN}:a.py#L1") == "a.py#L1"
