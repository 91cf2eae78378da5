"""Evidence as it is shown: one card a result, with its excerpt, where it comes from, and why it ranked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from markupsafe import Markup

from gitcontext_pipeline.answer.evidence import Answer, excerpt, printable
from gitcontext_pipeline.answer.lineage import Lineage
from gitcontext_pipeline.answer.opened import Corpus
from gitcontext_pipeline.retrieval.features import FEATURES
from gitcontext_pipeline.retrieval.result import Result
from gitcontext_pipeline.web.conversations import Said, conversations
from gitcontext_pipeline.web.highlighting import highlighted, highlighted_change

AROUND = 12
"""Lines of context on the page that a card leads to."""


@dataclass(frozen=True, slots=True)
class Part:
    """What one feature added to the score; `share` is its size as a part of the largest one's, from -1 to 1."""

    name: str
    says: str
    value: float
    share: float


@dataclass(frozen=True, slots=True)
class Card:
    """`left_out` counts the lines of the passage that the excerpt does not show; a change has no file to go to."""

    number: int
    result: Result
    lineage: Lineage
    lines: Sequence[Markup]
    left_out: int
    parts: Sequence[Part]
    said: Sequence[Said]
    source: str | None
    why: str | None

    @property
    def kind(self) -> str:
        """What it is, in a word or two."""
        result = self.result
        if result.kind == "pull_request":
            return {"review": "review", "discussion": "discussion"}.get(result.symbol_kind or "", "pull request")
        return " · ".join(dict.fromkeys((result.symbol_kind or result.kind, result.language)))

    @property
    def is_change(self) -> bool:
        return self.result.commit is not None


def cards_of(corpus: Corpus, answer: Answer) -> list[Card]:
    """The cards of an answer, best first."""
    merged = {result.commit for result in answer.evidence if result.commit and result.pr and result.symbol_kind is None}
    said = conversations(corpus.retriever.chunks, merged)
    return [
        _card(number, result, answer, said.get(result.commit or "", ()) if result.symbol_kind is None else ())
        for number, result in enumerate(answer.evidence, 1)
    ]


def _card(number: int, result: Result, answer: Answer, said: Sequence[Said]) -> Card:
    most, lines = answer.excerpt_lines, result.text.count("\n") + 1
    text, left_out = excerpt(result, most), 0
    if lines > most:  # the excerpt's last line says so; here it becomes a link
        text, left_out = text.rpartition("\n")[0], lines - most + 1
    is_change = result.commit is not None
    if is_change:  # its title is the card's
        text = text.removeprefix(printable(result.name)).strip("\n") or text
    return Card(
        number=number,
        result=result,
        lineage=answer.lineage.get(result.id, Lineage()),
        lines=highlighted_change(text) if is_change else highlighted(text, result.language),
        left_out=left_out,
        parts=parts_of(result),
        said=said,
        source=None if is_change else source_link(answer.corpus, result.path, result.start_line, result.end_line),
        why=None if is_change else why_link(answer.corpus, result.path, result.start_line, result.end_line),
    )


def parts_of(result: Result) -> list[Part]:
    """What the score is made of, in the order in which the features explain each other, without what did nothing."""
    places = {name: place for place, name in enumerate(FEATURES)}
    found = [(name, value) for name, value in result.parts.items() if round(value, 2)]
    largest = max((abs(value) for _, value in found), default=1.0)
    found.sort(key=lambda part: places.get(part[0], len(places)))
    return [Part(name, FEATURES.get(name, ""), value, value / largest) for name, value in found]


def source_link(corpus: str, path: str, start: int, end: int, context: int = AROUND) -> str:
    """The page that shows lines of a file with what stands around them."""
    told = {"corpus": corpus, "path": path, "lines": f"{start}-{end}", "context": context}
    return "/source?" + urlencode(told, errors="replace")


def why_link(corpus: str, path: str, start: int, end: int) -> str:
    """The page that tells how lines of a file came about."""
    return "/why?" + urlencode({"corpus": corpus, "place": f"{path}:{start}-{end}"}, errors="replace")
