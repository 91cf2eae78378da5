"""From what the core finds to what the tools return, with excerpts cut to the room there is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from gitcontext_pipeline.answer.evidence import LONGEST_LINE, printable_lines, provenance, title
from gitcontext_pipeline.answer.lineage import Lineage
from gitcontext_pipeline.answer.opened import Corpus
from gitcontext_pipeline.mcp.addresses import change_uri, file_uri
from gitcontext_pipeline.mcp.budget import first_lines
from gitcontext_pipeline.mcp.outputs import Piece, Touch
from gitcontext_pipeline.mcp.wording import call
from gitcontext_pipeline.retrieval.result import Result

FILES = 5
"""Files of a change that are named."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A result on its way to the agent. `lines` are its text's; those before `begin` are said otherwise."""

    result: Result
    corpus: Corpus
    provenance: Sequence[str]
    lines: Sequence[str]
    begin: int

    def piece(self, number: int, room: int) -> Piece:
        """The result with as much of its text as `room` bytes hold, and how to read the rest."""
        result, is_file = self.result, self.result.commit is None
        shown = first_lines(self.lines[self.begin :], room)
        return Piece(
            number=number,
            kind=cast(Any, result.kind),
            name=title(result.name),
            url=result.url,
            resource=self._uri(),
            path=result.path if is_file else None,
            start_line=result.start_line if is_file else None,
            end_line=result.end_line if is_file else None,
            commit=result.commit,
            pr=result.pr,
            author=title(result.author) if result.author else None,
            date=result.date,
            files=[path for path in result.paths if title(path) == path][:FILES] or None,
            provenance=list(self.provenance),
            excerpt="\n".join(shown),
            rest=self._rest(self.begin + len(shown)),
        )

    def _uri(self) -> str:
        result, corpus = self.result, self.corpus
        if result.commit is not None:
            return change_uri(corpus.name, result.commit)
        return file_uri(corpus.name, corpus.revision, result.path, result.start_line, result.end_line)

    def _rest(self, seen: int) -> str | None:
        result, corpus = self.result, self.corpus.name
        cut = seen < len(self.lines)
        if not cut and not has_long_lines(result.text):
            return None
        if result.commit is not None:
            start = seen + 1 if result.symbol_kind is None and cut else None
            return call("read_excerpt", commit=result.commit, start_line=start, corpus=corpus)
        # The text of a notebook's cell is not the lines of its file.
        same = len(self.lines) == result.end_line - result.start_line + 1
        start = result.start_line + (seen if cut and same else 0)
        return call("read_excerpt", path=result.path, start_line=start, end_line=result.end_line, corpus=corpus)


def passages(results: Iterable[Result], corpus: Corpus, lineage: Mapping[str, Lineage]) -> list[Passage]:
    return [_passage(result, corpus, lineage) for result in results]


def _passage(result: Result, corpus: Corpus, lineage: Mapping[str, Lineage]) -> Passage:
    lines = printable_lines(result.text)
    # The text of a change begins with its title and an empty line.
    titled = result.commit is not None and result.symbol_kind is None and result.text.startswith(result.signature)
    return Passage(result, corpus, tuple(provenance(result, lineage.get(result.id))), lines, 2 if titled else 0)


def touch(told: Mapping[str, Any], corpus: Corpus, text: str | None = None, room: int = 0) -> Touch:
    """A change of `Why.as_json`, with as much of its `text` as `room` bytes hold."""
    shown = first_lines(printable_lines(text)[2:], room) if text else []
    return Touch(
        commit=told["commit"],
        pr=told["pr"],
        title=title(told["title"]),
        author=title(told["author"]) if told["author"] else None,
        date=told["date"],
        url=told["url"],
        issues=told["issues"] or None,
        reformatting=told["reformatting"] or None,
        message="\n".join(shown) or None,
        rest=call("read_excerpt", commit=told["commit"], corpus=corpus.name) if text else None,
    )


def has_long_lines(text: str, longest: int = LONGEST_LINE) -> bool:
    """Whether `printable_lines` cuts one."""
    return any(len(line) > longest for line in text.split("\n"))


def left_out(number: int) -> str | None:
    """What is said when `number` items of a reply do not fit."""
    return f"{number} more do not fit: allow more max_tokens, or ask for fewer" if number else None
