"""The reply of read_excerpt: lines of a file, or of the text of a change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gitcontext_pipeline.answer.evidence import printable_lines
from gitcontext_pipeline.answer.opened import Corpus
from gitcontext_pipeline.answer.source import Place
from gitcontext_pipeline.errors import UsageError
from gitcontext_pipeline.mcp.addresses import change_uri, file_uri, link
from gitcontext_pipeline.mcp.budget import BYTES_A_TOKEN, MOST_TOKENS, Reply, first_lines
from gitcontext_pipeline.mcp.outputs import ExcerptRead
from gitcontext_pipeline.mcp.pieces import has_long_lines
from gitcontext_pipeline.mcp.wording import call, change_text, read_text


@dataclass(frozen=True, slots=True)
class Quoted:
    """Lines `start` to `end` of a file or a change that has `lines` lines."""

    corpus: Corpus
    named: Mapping[str, str]
    """The argument of the tool that names it: its `path`, or its `commit`."""
    start: int
    end: int
    lines: int
    url: str
    resource: str
    text: Sequence[str]

    def reply(self, room: int, max_tokens: int) -> Reply:
        """With as many of the lines as `room` bytes hold."""
        # No line can be longer than the reply, and no reply has more lines than bytes.
        lines = printable_lines("\n".join(self.text[: max_tokens * BYTES_A_TOKEN]), max_tokens)
        shown = first_lines(lines, room)
        found = ExcerptRead(
            corpus=self.corpus.name,
            revision=self.corpus.revision,
            **self.named,
            start_line=self.start,
            end_line=self.start + len(shown) - 1,
            lines=self.lines,
            url=self.url,
            resource=self.resource,
            excerpt="\n".join(shown),
            rest=self._rest(len(shown), max_tokens),
        )
        return Reply(read_text(found), found, [link(self.resource, " ".join(self.named.values()))])

    def _rest(self, seen: int, max_tokens: int) -> str | None:
        if seen < len(self.text):
            start = self.start + seen
            more = None if seen else min(2 * max_tokens, MOST_TOKENS)
            return call(
                "read_excerpt",
                **self.named,
                start_line=start,
                end_line=self.end,
                corpus=self.corpus.name,
                max_tokens=more,
            )
        if has_long_lines("\n".join(self.text), max_tokens):
            return f"lines of more than {max_tokens} characters are cut; {self.resource} has them whole"
        return None


def quoted_file(corpus: Corpus, path: str, start: int, end: int | None, context: int) -> Quoted:
    """Lines of a file, up to its end where no end is given; raises as `Corpus.read` does."""
    found = corpus.read(path, start, end if end is not None else corpus.read(path, start).lines, context)
    resource = file_uri(corpus.name, found.revision, found.path, found.start_line, found.end_line)
    text = found.text.split("\n")
    return Quoted(
        corpus, {"path": found.path}, found.start_line, found.end_line, found.lines, found.url, resource, text
    )


def quoted_change(corpus: Corpus, commit: str, start: int, end: int | None, context: int) -> Quoted:
    """Lines of the text of a change.

    Raises:
        UsageError: there is no such change, or its text has fewer lines.
    """
    said = corpus.change(commit)
    sha = said[0].commit or ""
    lines = change_text(said).split("\n")
    place = Place.of(f"commit {sha}", start, max(start, len(lines)) if end is None else end)
    if place.end > len(lines):
        raise UsageError(f"the text of this change has {len(lines)} lines", where=str(place))
    first, last = max(1, place.start - context), min(len(lines), place.end + context)
    resource = change_uri(corpus.name, sha)
    return Quoted(corpus, {"commit": sha}, first, last, len(lines), said[0].url, resource, lines[first - 1 : last])
