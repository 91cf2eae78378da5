"""What is read under an address: lines of a file, or a change with what was said about it."""

from __future__ import annotations

import re

from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError

from gitcontext_pipeline.answer.evidence import printable_lines
from gitcontext_pipeline.answer.library import Library
from gitcontext_pipeline.answer.opened import Corpus
from gitcontext_pipeline.errors import GitContextError, UsageError
from gitcontext_pipeline.mcp.wording import change_text, message

WHOLE_LINE = 10**9
"""Characters: no line is cut where the text itself is asked for."""
_LINES = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?")


class Resources:
    """Readers for the two kinds of address, in the form that the SDK registers for their templates."""

    def __init__(self, library: Library) -> None:
        self._library = library

    def file(self, corpus: str, revision: str, path: str, lines: str | None = None) -> str:
        """Lines of a file at the pinned revision, all of them unless `lines` says which: 12, or 12-20."""
        try:
            opened = self._library.open(corpus)
            if revision != opened.revision:
                raise UsageError(
                    f"the corpus {corpus} is at {opened.revision} now, not at {revision}", fix="search it again"
                )
            return _readable(_lines_of(opened, path, lines))
        except GitContextError as error:
            raise _told(error) from error

    def change(self, corpus: str, commit: str) -> str:
        """A commit or merged pull request: title, message, files, some of its lines, and what was said about it."""
        try:
            return _readable(change_text(self._library.open(corpus).change(commit)))
        except GitContextError as error:
            raise _told(error) from error


def _lines_of(opened: Corpus, path: str, lines: str | None) -> str:
    if not lines:
        return opened.read(path, 1, opened.read(path).lines).text
    asked = _LINES.fullmatch(lines)
    if asked is None:
        raise UsageError(f"{lines!r} are no lines", fix="e.g. ?lines=12 or ?lines=12-20")
    return opened.read(path, int(asked[1]), int(asked[2] or asked[1])).text


def _readable(text: str) -> str:
    return "\n".join(printable_lines(text, WHOLE_LINE))


def _told(error: GitContextError) -> ResourceError:
    kind = ResourceNotFoundError if isinstance(error, UsageError) else ResourceError
    return kind(message(error))
