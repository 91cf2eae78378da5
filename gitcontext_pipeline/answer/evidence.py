"""An answer made of evidence alone: the strongest symbols by name, then numbered links with their excerpts."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from gitcontext_pipeline.answer.explanation import Explanation
from gitcontext_pipeline.answer.lineage import ChangeRef, Lineage
from gitcontext_pipeline.retrieval.confidence import Confidence
from gitcontext_pipeline.retrieval.result import Result

EXCERPT_LINES = 40
WEAK_LINES = 8
LONGEST_LINE = 500
LONGEST_TITLE = 200
"""Characters of one that are printed: a pull request's title, and a minified file's only line, may be megabytes."""
STRONGEST = 3


@dataclass(frozen=True, slots=True)
class Answer:
    """The evidence for one question, best first."""

    question: str
    corpus: str
    revision: str
    evidence: tuple[Result, ...]
    note: str = ""
    explanation: Explanation | None = None
    lineage: Mapping[str, Lineage] = field(default_factory=dict)
    """Where each piece of evidence comes from, by its id, as far as the history tells."""
    confidence: Confidence | None = None
    """None where it was not measured."""

    def as_json(self) -> dict[str, Any]:
        return {
            "question": self.question,
            "corpus": self.corpus,
            "revision": self.revision,
            "summary": self.summary,
            "strong": self.strong,
            "confidence": None if self.confidence is None else round(self.confidence.value, 4),
            "note": self.note,
            "explanation": self.explanation.as_json() if self.explanation else None,
            "evidence": [
                {"number": number, **result.as_row(), "lineage": self._lineage(result).as_json()}
                for number, result in enumerate(self.evidence, 1)
            ],
        }

    def _lineage(self, result: Result) -> Lineage:
        return self.lineage.get(result.id, Lineage())

    @property
    def strong(self) -> bool:
        """Whether the evidence is likely to be about the question; weak evidence is only what came nearest."""
        return self.confidence is None or self.confidence.strong

    @property
    def summary(self) -> str:
        """One sentence that names the strongest pieces; it claims no more than that they were found."""
        named = list(dict.fromkeys(code_span(result.name) for result in self.evidence))[:STRONGEST]
        if not named:
            return "No evidence found."
        if not self.strong:
            return f"No strong evidence. The nearest that was found: {', '.join(named)}."
        return f"Strongest evidence: {', '.join(named)}."

    @property
    def excerpt_lines(self) -> int:
        """How many lines of a piece of evidence are shown; what only came nearest needs few to be judged."""
        return EXCERPT_LINES if self.strong else WEAK_LINES

    def as_markdown(self) -> str:
        """The answer as Markdown, the same wherever it is printed."""
        lines = [f"# {printable(' '.join(self.question.split()))}", "", f"Corpus {self.corpus} at {self.revision}", ""]
        lines += [self.summary, ""]
        if self.note:
            lines += [f"_{self.note}_", ""]
        if self.explanation is not None:
            lines += [self.explanation.as_markdown()]
        for number, result in enumerate(self.evidence, 1):
            nearest = "" if self.strong else "nearest, not strong: "
            lines += [f"[{number}] {nearest}{code_span(result.name)} ({inert(printable(result.place))})"]
            lines += [f"    {result.url}"]
            lines += [f"    {inert(line)}" for line in provenance(result, self.lineage.get(result.id))]
            lines += ["", textwrap.indent(excerpt(result, self.excerpt_lines), "    | ", lambda _: True), ""]
        return "\n".join(lines) + "\n"


def excerpt(result: Result, limit: int) -> str:
    """The passage's text with at most `limit` lines; the last line says how many were left out."""
    lines = printable_lines(result.text)
    if len(lines) <= limit:
        return "\n".join(lines)
    return "\n".join([*lines[: limit - 1], f"… {len(lines) - limit + 1} more lines"])


def printable_lines(text: str, longest: int = LONGEST_LINE) -> list[str]:
    """The lines of `text`, printable, each of at most `longest` characters."""
    return [_cut(printable(line[: longest + 1]), longest) for line in text.split("\n")]


def printable(line: str) -> str:
    """Without control characters, which could drive the terminal (tabs stay)."""
    line = line.rstrip("\r")
    if line.replace("\t", "").isprintable():  # nearly every line; a server prints thousands a second
        return line
    return "".join(c if c == "\t" or c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in line)


def title(text: str) -> str:
    """The name or title of something, printable, on one line of at most LONGEST_TITLE characters."""
    return _cut(printable(" ".join(text.split())), LONGEST_TITLE)


def _cut(line: str, limit: int) -> str:
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def provenance(result: Result, lineage: Lineage | None) -> Iterator[str]:
    """Who, when, and as of which commit; where lines came from, or what has become of those of a change."""
    if result.commit is None:
        if lineage and lineage.introduced:
            yield _told("introduced in", lineage.introduced)
        if lineage and lineage.changed and lineage.changed != lineage.introduced:
            yield _told("last changed in", lineage.changed)
        return
    by = f" by {printable(result.author)}" if result.author else ""
    on = f" on {result.date[:10]}" if result.date else ""
    if result.symbol_kind in {"review", "discussion"}:
        yield f"a {result.symbol_kind}{by}{on}, about the code as pull request #{result.pr} merged it: {result.commit}"
    elif result.pr is not None:
        yield f"a pull request{by}, merged{on}; it describes the code as it was merged: {result.commit}"
    else:
        yield f"a commit{by}{on}; it describes the code as of {result.commit}"
    if lineage and lineage.stands:
        yield f"its lines still stand at {lineage.stands[0]}"
    elif lineage:
        yield f"none of its lines stands any more in the files indexed at {result.revision}"


def _told(what: str, change: ChangeRef) -> str:
    on = f", {change.date[:10]}" if change.date else ""
    return f"{what} {change.name}, {title(change.title)}{on}: {change.url}"


def inert(line: str) -> str:
    """A line of Markdown in which no link, image or tag begins: titles and names come from whoever wrote a commit."""
    return re.sub(r"[\\\[\]<]", r"\\\g<0>", line)


def code_span(text: str) -> str:
    """The title of something as Markdown code, whatever backticks are in it."""
    flat = title(text)
    fence = "`" * (1 + max(map(len, re.findall("`+", flat)), default=0))
    pad = " " if flat.startswith("`") or flat.endswith("`") else ""
    return f"{fence}{pad}{flat}{pad}{fence}"
