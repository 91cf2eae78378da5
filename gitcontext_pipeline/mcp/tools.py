"""The five tools. Each answers from the snapshot that is published when it is called, and changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Annotated, ParamSpec

from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult

from gitcontext_pipeline.answer.library import Library
from gitcontext_pipeline.errors import GitContextError, NotIndexed, UsageError
from gitcontext_pipeline.mcp.addresses import link
from gitcontext_pipeline.mcp.budget import DEFAULT_TOKENS, Reply, fitted
from gitcontext_pipeline.mcp.explaining import Explaining
from gitcontext_pipeline.mcp.inputs import (
    About,
    AnyFilePath,
    Author,
    Commit,
    Context,
    CorpusName,
    EndLine,
    FilePath,
    LastLine,
    Line,
    MaxTokens,
    Question,
    Scope,
    Since,
    Top,
    TopChanges,
    TouchedPath,
    TouchedSymbol,
    Until,
)
from gitcontext_pipeline.mcp.outputs import (
    ChangesFound,
    CorporaListed,
    EvidenceFound,
    ExcerptRead,
    LineExplained,
    ListedCorpus,
)
from gitcontext_pipeline.mcp.pieces import left_out, passages
from gitcontext_pipeline.mcp.reading import quoted_change, quoted_file
from gitcontext_pipeline.mcp.wording import changes_text, corpora_text, evidence_text, message

_Parameters = ParamSpec("_Parameters")


def _telling(tool: Callable[_Parameters, CallToolResult]) -> Callable[_Parameters, CallToolResult]:
    """A tool whose errors say what is wrong and what to do about it."""

    @wraps(tool)
    def told(*args: _Parameters.args, **kwargs: _Parameters.kwargs) -> CallToolResult:
        try:
            return tool(*args, **kwargs)
        except GitContextError as error:
            raise ToolError(message(error)) from error

    return told


class Tools:
    """The tools over one library; the SDK calls each in a thread of its own."""

    def __init__(self, library: Library) -> None:
        self._library = library

    @_telling
    def search_evidence(
        self,
        question: Question,
        scope: Scope = None,
        top: Top = 5,
        corpus: CorpusName = None,
        max_tokens: MaxTokens = DEFAULT_TOKENS,
    ) -> Annotated[CallToolResult, EvidenceFound]:
        """Find the strongest code, documentation, commits and merged pull requests for a question about a repository.

        Start here. Every piece has an excerpt and an immutable link to its lines at the pinned revision, and says which
        changes it comes from. When nothing is likely to answer the question, the reply begins with "No strong
        evidence".
        """
        opened = self._library.open(corpus)
        answer = opened.ask(question, top, scope)
        pieces = passages(answer.evidence, opened, answer.lineage)

        def reply(items: int, room: int) -> Reply:
            # The stronger a piece, the more of it is shown.
            shown = [
                passage.piece(number, 2 * room // (number + 1)) for number, passage in enumerate(pieces[:items], 1)
            ]
            found = EvidenceFound(
                corpus=opened.name,
                revision=opened.revision,
                strong=answer.strong,
                summary=answer.summary,
                note=answer.note or None,
                evidence=shown,
                left_out=left_out(len(answer.evidence) - items),
            )
            return Reply(evidence_text(found), found, [link(each.resource, each.name) for each in shown])

        return fitted(reply, len(answer.evidence), max_tokens)

    @_telling
    def explain_line(
        self,
        path: FilePath,
        start_line: Line,
        end_line: LastLine = None,
        corpus: CorpusName = None,
        max_tokens: MaxTokens = DEFAULT_TOKENS,
    ) -> Annotated[CallToolResult, LineExplained]:
        """Tell why some lines of a file are as they are: which changes introduced them, last really changed them, and
        touched them between.

        Line numbers are those of the pinned revision. Renames are followed, and reformatting is looked through. The
        messages of the first two changes are quoted.
        """
        explaining = Explaining.of(self._library.open(corpus), path, start_line, end_line)
        return fitted(explaining.reply, len(explaining.between), max_tokens)

    @_telling
    def find_changes(
        self,
        question: About = None,
        path: TouchedPath = None,
        symbol: TouchedSymbol = None,
        since: Since = None,
        until: Until = None,
        author: Author = None,
        top: TopChanges = 10,
        corpus: CorpusName = None,
        max_tokens: MaxTokens = DEFAULT_TOKENS,
    ) -> Annotated[CallToolResult, ChangesFound]:
        """Find commits and merged pull requests by what they are about, what they touched, who made them and when.

        All filters that are given must hold. Paths are as they were at the time of the change, or as they are now.
        """
        opened = self._library.open(corpus)
        changes = opened.changes(question, path=path, symbol=symbol, since=since, until=until, author=author, top=top)
        pieces = passages(changes, opened, opened.lineage(changes))

        def reply(items: int, room: int) -> Reply:
            shown = [passage.piece(number, room) for number, passage in enumerate(pieces[:items], 1)]
            found = ChangesFound(
                corpus=opened.name,
                revision=opened.revision,
                order="newest first" if question is None else "by meaning",
                changes=shown,
                left_out=left_out(len(changes) - items),
            )
            return Reply(changes_text(found), found, [link(each.resource, each.name) for each in shown])

        return fitted(reply, len(changes), max_tokens)

    @_telling
    def read_excerpt(
        self,
        path: AnyFilePath = None,
        start_line: Line = 1,
        end_line: EndLine = None,
        context: Context = 0,
        commit: Commit = None,
        corpus: CorpusName = None,
        max_tokens: MaxTokens = DEFAULT_TOKENS,
    ) -> Annotated[CallToolResult, ExcerptRead]:
        """Read lines of a file at the pinned revision, or the text of a change: its message, files, some of its lines,
        and what was said about it.

        Give either `path` or `commit`. What does not fit is cut at a line, and the reply says how to read on.
        """
        if (path is None) == (commit is None):
            raise UsageError("give either a path or a commit", fix='e.g. path="README.md"')
        opened = self._library.open(corpus)
        if path is not None:
            quoted = quoted_file(opened, path, start_line, end_line, context)
        else:
            quoted = quoted_change(opened, commit or "", start_line, end_line, context)
        return fitted(lambda items, room: quoted.reply(room, max_tokens), 0, max_tokens)

    @_telling
    def list_corpora(self, max_tokens: MaxTokens = DEFAULT_TOKENS) -> Annotated[CallToolResult, CorporaListed]:
        """List the repositories that can be asked about, each with the revision that it is pinned to."""
        corpora = self._library.corpora()
        try:
            default = self._library.state.choose(None).name
        except NotIndexed:
            default = None

        def reply(items: int, room: int) -> Reply:
            listed = [
                ListedCorpus(
                    name=corpus.name,
                    revision=corpus.revision,
                    github=corpus.github,
                    chunks=corpus.chunks,
                    default=corpus.name == default,
                )
                for corpus in corpora[:items]
            ]
            found = CorporaListed(corpora=listed, left_out=left_out(len(corpora) - items))
            return Reply(corpora_text(found), found)

        return fitted(reply, len(corpora), max_tokens)
