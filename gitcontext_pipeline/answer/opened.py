"""One published snapshot, opened: searching it, asking it, and reading the lines and changes behind it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from gitcontext_pipeline.answer.changes import Changes, Filters
from gitcontext_pipeline.answer.evidence import Answer
from gitcontext_pipeline.answer.lineage import Lineage, Lineages
from gitcontext_pipeline.answer.source import Place, Source, read_source
from gitcontext_pipeline.answer.why import Why, why
from gitcontext_pipeline.errors import NotIndexed
from gitcontext_pipeline.retrieval.confidence import READ
from gitcontext_pipeline.retrieval.question import encodable
from gitcontext_pipeline.retrieval.rerank import Reranker, search_with
from gitcontext_pipeline.retrieval.result import Result
from gitcontext_pipeline.retrieval.retriever import Retriever
from gitcontext_pipeline.state import CorpusState, State

if TYPE_CHECKING:
    from gitcontext_pipeline.answer.explainer import Heard


class Corpus:
    """One published snapshot of a corpus, loaded. It stays as it is when another is published; threads may share it."""

    def __init__(self, state: State, corpus: CorpusState) -> None:
        """Open what is published of `corpus` at this moment.

        Raises:
            NotIndexed: nothing is.
            GitContextError: a file of the snapshot is missing or damaged.
        """
        snapshot = corpus.current
        if snapshot is None:
            raise NotIndexed(
                f"the corpus {corpus.name!r} has no published index", fix=f"gitcontext index {corpus.name}"
            )
        self._state = state
        self._corpus = corpus
        self._directory = snapshot
        self.retriever = Retriever.open(snapshot, state.models)

    @property
    def name(self) -> str:
        return self._corpus.name

    @property
    def revision(self) -> str:
        """The indexed commit (40 hex)."""
        return self.retriever.revision

    @property
    def snapshot(self) -> str:
        """The id of the snapshot."""
        return self._directory.name

    def search(self, question: str, top: int = 10, scope: str | None = None) -> list[Result]:
        """The `top` strongest pieces of evidence, best first; `scope` is code, docs, history, tests or None for all.

        Raises:
            UsageError: an empty question, an unknown scope, or a `top` below 1.
        """
        return self.retriever.search(question, top, scope)

    def ask(self, question: str, top: int = 5, scope: str | None = None, *, reranker: Reranker | None = None) -> Answer:
        """The evidence for `question`, where each piece of it comes from, and how sure it is to be about the question.

        A reranker that could not run is told in the answer's note.

        Raises:
            UsageError: as `search`.
        """
        evidence, note = search_with(reranker, self.retriever, question, top, scope)
        read = evidence if top >= READ else self.search(question, READ, scope)  # no less sure because less is shown
        return Answer(
            question=encodable(question),
            corpus=self.name,
            revision=self.revision,
            evidence=tuple(evidence),
            note=note,
            lineage=self.lineage(evidence),
            confidence=self.retriever.confidence(question, read, scope),
        )

    def lineage(self, results: Iterable[Result]) -> Mapping[str, Lineage]:
        """Where each of the results comes from and what became of it, by its id, as far as the history tells."""
        return self._lineages.of(result.id for result in results)

    @cached_property
    def _lineages(self) -> Lineages:
        return Lineages(self.retriever.chunks)

    def explain(self, answer: Answer, *, model: str | None = None, heard: Heard = lambda sentences: None) -> Answer:
        """`answer` with what a local model says about it, as far as that can be checked; see `explain_answer`."""
        from gitcontext_pipeline.answer.local_model import explain_answer

        return explain_answer(self._state, answer, model=model, heard=heard)

    def read(self, path: str, start: int = 1, end: int | None = None, context: int = 0) -> Source:
        """Lines `start` to `end` of a file at the pinned revision, with `context` lines more on either side.

        Raises:
            UsageError: there is no such file, it has fewer lines, or it is no text.
        """
        return read_source(self._corpus, Place.of(path, start, end), context, self.retriever.manifest)

    @cached_property
    def _changes(self) -> Changes:
        return Changes(self.retriever)

    def changes(
        self,
        question: str | None = None,
        *,
        path: str | None = None,
        symbol: str | None = None,
        since: str | None = None,
        until: str | None = None,
        author: str | None = None,
        top: int = 10,
    ) -> list[Result]:
        """Commits and merged pull requests: by meaning where there is a question, else the newest first.

        `path` is a file or a folder; `symbol` a qualified name or its end; `since` and `until` are dates like 2024,
        2024-05 or 2024-05-31, both included; `author` is part of a name.

        Raises:
            UsageError: a file, folder or symbol that there never was, an impossible date, or a `top` below 1.
            GitContextError: the corpus has no history.
        """
        return self._changes.find(question, Filters(path, symbol, since, until, author), top)

    def change(self, commit: str) -> list[Result]:
        """One change, by its commit's id or the first digits of it; after it, what was said about it.

        Raises:
            UsageError: there is no such change, or several.
        """
        return self._changes.of(commit)

    def why(self, path: str, start: int, end: int | None = None) -> Why:
        """Which changes introduced and last really changed lines `start` to `end` of a file.

        Raises:
            UsageError: there is no such file, or it has fewer lines.
            GitContextError: the corpus was made from a release, which has no history.
        """
        return why(self._corpus, Place.of(path, start, end), self.retriever.manifest)


def open_corpus(name: str | None = None, *, state: str | Path | None = None) -> Corpus:
    """The published snapshot of the corpus `name`, or of the one published last.

    `state` is the directory that holds the indexes; by default the one that the `gitcontext` command uses here.

    Raises:
        UsageError: there is no such corpus.
        NotIndexed: nothing of it is published.
        GitContextError: a file of the snapshot is missing or damaged.
    """
    chosen = State.locate() if state is None else State(Path(state).expanduser().resolve())
    return Corpus(chosen, chosen.choose(name))
