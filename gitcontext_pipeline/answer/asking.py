"""From a question to an answer about a published corpus."""

from __future__ import annotations

from gitcontext_pipeline.answer.evidence import Answer
from gitcontext_pipeline.errors import NotIndexed
from gitcontext_pipeline.retrieval.retriever import Retriever
from gitcontext_pipeline.state import State


def open_retriever(state: State, corpus: str | None = None) -> Retriever:
    """The published snapshot of `corpus`, or of the corpus published last.

    Raises:
        UsageError: there is no such corpus.
        NotIndexed: nothing of it is published.
    """
    chosen = state.choose(corpus)
    snapshot = chosen.current
    if snapshot is None:
        raise NotIndexed(f"the corpus {chosen.name!r} has no published index", fix=f"gitcontext index {chosen.name}")
    return Retriever.open(snapshot, state.models)


def answer_question(
    state: State, question: str, *, corpus: str | None = None, top: int = 5, scope: str | None = None
) -> Answer:
    """The evidence for `question`: the same for the command, the job and any other surface."""
    retriever = open_retriever(state, corpus)
    return Answer(
        question=question,
        corpus=str(retriever.manifest["corpus"]),
        revision=retriever.revision,
        evidence=tuple(retriever.search(question, top, scope)),
    )
