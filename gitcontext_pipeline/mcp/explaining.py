"""The reply of explain_line: the changes behind some lines, and the lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gitcontext_pipeline.answer.evidence import printable_lines
from gitcontext_pipeline.answer.opened import Corpus
from gitcontext_pipeline.answer.source import Source
from gitcontext_pipeline.errors import UsageError
from gitcontext_pipeline.mcp.addresses import file_uri, link
from gitcontext_pipeline.mcp.budget import Reply, first_lines
from gitcontext_pipeline.mcp.outputs import LineExplained, Touch
from gitcontext_pipeline.mcp.pieces import has_long_lines, left_out, touch
from gitcontext_pipeline.mcp.wording import call, explained_text


@dataclass(frozen=True, slots=True)
class Explaining:
    """What is known of some lines. `between` are the changes other than the first and the last of more than form."""

    corpus: Corpus
    source: Source
    introduced: Mapping[str, Any] | None
    changed: Mapping[str, Any] | None
    between: Sequence[Mapping[str, Any]]
    lines: Sequence[str]
    texts: Mapping[str, str]
    """The text of the first and the last change, by commit, as far as they are indexed."""

    @classmethod
    def of(cls, corpus: Corpus, path: str, start: int, end: int | None) -> Explaining:
        """Follow the lines back; raises as `Corpus.why` does."""
        told = corpus.why(path, start, end).as_json()
        introduced, changed = told["introduced"], told["changed"]
        ends = [each for each in (introduced, changed) if each]
        source = corpus.read(path, start, end)
        return cls(
            corpus,
            source,
            introduced,
            None if changed == introduced else changed,
            [each for each in told["touches"] if each not in ends],
            printable_lines(source.text),
            {each["commit"]: text for each in ends if (text := _text(corpus, each["commit"]))},
        )

    def reply(self, items: int, room: int) -> Reply:
        """With the first `items` of the changes between, each excerpt of at most `room` bytes."""
        source, corpus = self.source, self.corpus
        shown = first_lines(self.lines, room)
        found = LineExplained(
            corpus=corpus.name,
            revision=source.revision,
            path=source.path,
            start_line=source.start_line,
            end_line=source.end_line,
            url=source.url,
            resource=file_uri(corpus.name, source.revision, source.path, source.start_line, source.end_line),
            introduced=self._touch(self.introduced, room),
            changed=self._touch(self.changed, room),
            touched=[touch(each, corpus) for each in self.between[:items]],
            excerpt="\n".join(shown),
            rest=self._rest(len(shown)),
            left_out=left_out(len(self.between) - items),
        )
        return Reply(explained_text(found), found, [link(found.resource, source.path)])

    def _touch(self, told: Mapping[str, Any] | None, room: int) -> Touch | None:
        return None if told is None else touch(told, self.corpus, self.texts.get(told["commit"]), room)

    def _rest(self, seen: int) -> str | None:
        if seen == len(self.lines) and not has_long_lines(self.source.text):
            return None
        start, end = min(self.source.start_line + seen, self.source.end_line), self.source.end_line
        return call("read_excerpt", path=self.source.path, start_line=start, end_line=end, corpus=self.corpus.name)


def _text(corpus: Corpus, commit: str) -> str | None:
    try:
        return corpus.change(commit)[0].text
    except UsageError:  # a change older than those that were indexed
        return None
