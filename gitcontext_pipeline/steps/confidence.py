"""Questions with and without an answer, put to indexed corpora: what confidence is learned and judged on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from gitcontext_pipeline.errors import GitContextError
from gitcontext_pipeline.evaluation.abstention import Judged, Sort
from gitcontext_pipeline.evaluation.audit import split_absent
from gitcontext_pipeline.evaluation.cases import read_cases
from gitcontext_pipeline.evaluation.corpus_view import CorpusView
from gitcontext_pipeline.evaluation.generate import generate
from gitcontext_pipeline.evaluation.mining import ASIDE
from gitcontext_pipeline.index.tokens import parts
from gitcontext_pipeline.retrieval import confidence
from gitcontext_pipeline.retrieval.retriever import Retriever
from gitcontext_pipeline.steps.answers import unanswerable
from gitcontext_pipeline.steps.quality import absent_of, corpus_view
from gitcontext_pipeline.steps.workspace import Workspace

MINED = 60
"""How many questions are mined from a corpus."""
NAMES = 30
"""How many names are."""
FOREIGN = 20
"""How many of them are put to each other corpus."""

Advance = Callable[[int, int], None]


def mined_questions(view: CorpusView, count: int = MINED) -> list[str]:
    """Questions that the corpus can answer: doc comments, names and headings, as `eval generate` proposes them."""
    return [candidate.query for candidate in generate(view, count=count).candidates]


def names(view: CorpusView, count: int = NAMES) -> list[str]:
    """Names of symbols that have several words in them: as code writes them, and every other one in words."""
    found = sorted(
        {
            symbol.rpartition(".")[2]
            for passage in view.passages
            if passage.row.kind == "code" and (symbol := passage.row.symbol) and not ASIDE.search(passage.row.path)
        }
    )
    long = [name for name in found if len(parts(name)) > 1]
    chosen = long[:: max(1, len(long) // count)][:count]
    return [" ".join(parts(name)) if number % 2 else name for number, name in enumerate(chosen)]


def signs_of(retriever: Retriever, question: str) -> dict[str, float]:
    return retriever.signs(question, retriever.search(question, confidence.READ))


def judge_corpora(
    workspaces: Sequence[tuple[Workspace, Path]], advance: Advance = lambda done, total: None
) -> list[Judged]:
    """Every question put to every corpus: its own, and those of the others that do not stand in it word for word.

    Corpora with the same golden set are the same repository, and not foreign to one another. Questions that a corpus's
    origin lacks the answer to (a release has no history) are left out of it.
    """
    views = {workspace.spec.name: corpus_view(snapshot) for workspace, snapshot in workspaces}
    sets = {workspace.spec.name: read_cases(workspace.golden_set or "") for workspace, _ in workspaces}
    mined = {name: mined_questions(view) for name, view in views.items()}
    named = {name: names(view) for name, view in views.items()}
    found = []
    for done, (workspace, snapshot) in enumerate(workspaces, 1):
        name = workspace.spec.name
        retriever = Retriever.open(snapshot, workspace.state.models)

        def asked(
            name: str = name, workspace: Workspace = workspace, snapshot: Path = snapshot
        ) -> Iterator[tuple[Sort, str]]:
            measured, _ = split_absent(sets[name].cases, absent_of(workspace, sets[name], snapshot))
            yield from (("golden", case.query) for case in measured)
            yield from (("unanswerable", case.query) for case in unanswerable(workspace))
            yield from (("mined", question) for question in mined[name])
            yield from (("name", each) for each in named[name])
            everything = "\n".join(passage.text for passage in views[name].passages)
            for other, cases in sets.items():
                if cases.sha256 != sets[name].sha256:
                    yield from (("foreign golden", case.query) for case in cases.cases if case.query not in everything)
                    yield from (("foreign mined", each) for each in mined[other][:FOREIGN] if each not in everything)
                    yield from (("foreign name", each) for each in named[other][:FOREIGN] if each not in everything)

        for sort, question in asked():
            try:
                found.append(Judged(name, sort, question, signs_of(retriever, question)))
            except GitContextError:  # a heading of nothing but signs asks nothing
                continue
        advance(done, len(workspaces))
    return found
