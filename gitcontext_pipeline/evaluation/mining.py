"""Candidate cases from the corpus itself: doc comments, symbol names, headings.

Each comes with the weakness of its kind. A doc comment stands in the text that it asks for; a symbol's name is the
answer's own name; a heading says the topic and not the question. The flags say so; a paraphrase or a reviewer mends it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from gitcontext_pipeline.evaluation.candidates import Candidate, Confidence, one_line, words_of
from gitcontext_pipeline.evaluation.corpus_view import CorpusView, Passage
from gitcontext_pipeline.evaluation.gold import Gold

DOC_WORDS = 5
"""A doc comment's first sentence says something from about this many words on."""
SURE_WORDS = 8
NAME_WORDS = 2
HEADING_WORDS = 2
HEAD = 4000
"""Characters of a passage in which its doc comment is looked for."""

ASIDE = re.compile(r"(^|/)(tests?|testing|__tests__|spec|examples?|vendor|third_party|node_modules)(/|$)|_test\.\w+$")
"""Files that a question about behaviour is seldom answered by."""

BOILERPLATE = re.compile(
    r"^(deprecated|todo|fixme|xxx|copyright|licen[sc]e|spdx|see |@|:param|:return|args:|returns:|noqa|type:|eslint)",
    re.IGNORECASE,
)
QUOTED_DOC = re.compile(r'(?:"""|\'\'\')(.+?)(?:"""|\'\'\')', re.DOTALL)
BLOCK_DOC = re.compile(r"/\*\*(.+?)\*/", re.DOTALL)
LINE_DOC = re.compile(r"(?:^[ \t]*(?:///?|#)[!/]?[ \t].*\n?)+", re.MULTILINE)
MARKER = re.compile(r"^[ \t]*(?:///?!?|#+|\*+)[ \t]?", re.MULTILINE)


def mine(corpus: CorpusView) -> Iterator[Candidate]:
    """Every candidate that the passages of code and documentation give, unscreened, in the order of the corpus."""
    defined = Counter(passage.row.symbol.rsplit(".", 1)[-1] for passage in corpus.passages if passage.row.symbol)
    for passage in corpus.passages:
        if passage.row.is_history or not passage.row.symbol or ASIDE.search(passage.row.path):
            continue
        if passage.row.kind == "docs":
            yield from _from_heading(passage)
        else:
            yield from _from_doc(passage)
            yield from _from_symbol(passage, defined)


def doc_comment(passage: Passage) -> str:
    """The doc comment of a passage: as the chunker found it, else the first one in the text, without its markers."""
    if passage.doc.strip():
        return passage.doc
    head = passage.text[:HEAD]
    for pattern in (QUOTED_DOC, BLOCK_DOC):
        if (found := pattern.search(head)) is not None:
            return MARKER.sub("", found[1])
    found = LINE_DOC.match(head)
    return MARKER.sub("", found[0]) if found is not None else ""


def first_sentence(text: str) -> str:
    """The first sentence of the first paragraph, on one line, without its full stop and without markup."""
    paragraph = next((part for part in re.split(r"\n[ \t]*\n", text.strip()) if part.strip()), "")
    line = one_line(re.sub(r":\w+:`~?([^`]*)`|`+([^`]*)`+|\*\*?([^*]+)\*\*?", r"\1\2\3", paragraph))
    return re.split(r"(?<=[.!?])\s+(?=[A-Z])", line, maxsplit=1)[0].rstrip(" .:;")


def _from_doc(passage: Passage) -> Iterator[Candidate]:
    sentence = first_sentence(doc_comment(passage))
    count = len(sentence.split())
    if count < DOC_WORDS or BOILERPLATE.match(sentence):
        return
    confidence: Confidence = "high" if count >= SURE_WORDS else "medium"
    yield Candidate(
        query=sentence,
        gold=(_place(passage),),
        source="doc comment",
        confidence=confidence,
        scope="code",
        style="paraphrase",
        text=passage.text,
    )


def _from_symbol(passage: Passage, defined: Counter[str]) -> Iterator[Candidate]:
    symbol = passage.row.symbol or ""
    last = symbol.rsplit(".", 1)[-1]
    if last.startswith("__") or len(words_of(last)) < NAME_WORDS:
        return
    yield Candidate(
        query=f"where is {' '.join(words_of(symbol))} done",
        gold=(_place(passage),),
        source="symbol",
        confidence="low",
        scope="code",
        style="identifier",
        text=passage.text,
        flags=(f"{defined[last]} symbols are called {last}",) if defined[last] > 1 else (),
    )


def _from_heading(passage: Passage) -> Iterator[Candidate]:
    heading = one_line(passage.row.symbol or "")
    if len(words_of(heading)) < HEADING_WORDS or BOILERPLATE.match(heading):
        return
    confidence: Confidence = "medium" if len(heading.split()) > HEADING_WORDS else "low"
    yield Candidate(
        query=heading,
        gold=(_place(passage),),
        source="heading",
        confidence=confidence,
        scope="docs",
        style="identifier",
        text=passage.text,
    )


def _place(passage: Passage) -> Gold:
    return Gold(path=passage.row.path, symbol=passage.row.symbol)
