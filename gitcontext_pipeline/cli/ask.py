"""`gitcontext ask` and `gitcontext search`."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gitcontext_pipeline.cli.completion import corpus_names, model_names, scopes
from gitcontext_pipeline.cli.question import question_from
from gitcontext_pipeline.cli.terminal import NoPagerOption, present

if TYPE_CHECKING:
    from gitcontext_pipeline.retrieval.rerank import Reranker
    from gitcontext_pipeline.retrieval.result import Result
    from gitcontext_pipeline.retrieval.retriever import Retriever

    Find = Callable[[str], Sequence[Result]]

CorpusOption = Annotated[
    str | None,
    typer.Option(
        "--corpus",
        "-c",
        metavar="NAME",
        help="Which corpus; without it, the one published last.",
        autocompletion=corpus_names,
    ),
]
TopOption = Annotated[int, typer.Option("--top", "-n", min=1, max=200, metavar="N", help="How many results.")]
ScopeOption = Annotated[
    str | None,
    typer.Option(
        "--scope",
        "-s",
        metavar="SCOPE",
        help="Only code, docs, history or tests.",
        show_default="everything",
        autocompletion=scopes,
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
RerankOption = Annotated[
    str | None, typer.Option(help="Cross-encoder (folder or model id) that has a say in the order.", show_default="off")
]
RerankKindsOption = Annotated[str, typer.Option(help="On which results: some of code,docs,history.")]


def ask(
    question: Annotated[
        str, typer.Argument(help="A question in plain words, an identifier, or an error message; - reads it.")
    ],
    corpus: CorpusOption = None,
    top: TopOption = 5,
    scope: ScopeOption = None,
    as_json: JsonOption = False,
    generate: Annotated[
        bool, typer.Option("--generate", "-g", help="Let the local model explain; only what can be checked is shown.")
    ] = False,
    model: Annotated[
        str | None,
        typer.Option(
            help="Name or path of the model that explains.",
            show_default="setup-model's choice",
            autocompletion=model_names,
        ),
    ] = None,
    rerank: RerankOption = None,
    rerank_kinds: RerankKindsOption = "code,docs",
    no_pager: NoPagerOption = False,
) -> None:
    """Answer with evidence: the strongest symbols by name, then numbered links with their excerpts.

    With --generate, what the model writes is shown on standard error while it is unverified; the answer then holds the
    sentences that the contract let through, or says why there are none.

    Example: gitcontext ask "Where does Requests strip redirect authorization?"
    """
    from gitcontext_pipeline.answer.opened import open_corpus
    from gitcontext_pipeline.cli.streaming import showing_unverified

    asked = question_from(question)
    reranker = _reranker(rerank, rerank_kinds)
    opened = open_corpus(corpus)
    answer = opened.ask(asked, top, scope, reranker=reranker)
    if generate:
        with showing_unverified() as heard:
            answer = opened.explain(answer, model=model, heard=heard)
    if as_json:
        typer.echo(_json(answer.as_json()))
        return
    from gitcontext_pipeline.cli.answer_view import draw_answer

    present(answer.as_markdown, lambda screen: draw_answer(screen, answer), page=not no_pager)


def search(
    question: Annotated[str | None, typer.Argument(help="What to look for; - reads it.")] = None,
    corpus: CorpusOption = None,
    top: TopOption = 10,
    scope: ScopeOption = None,
    questions: Annotated[
        Path | None,
        typer.Option(help="A JSON Lines file with a `query` on each line: all are searched in one process."),
    ] = None,
    as_json: JsonOption = False,
    rerank: RerankOption = None,
    rerank_kinds: RerankKindsOption = "code,docs",
    no_pager: NoPagerOption = False,
) -> None:
    """List the results, one a line, without excerpts.

    With --json each result is an object with path, symbol, start_line, end_line, revision, url, kind, commit, pr,
    score and more. With --questions there is one JSON object a line, `{"id", "query", "results"}`, in the file's order.

    Example: gitcontext search "proxy bypass" --top 3 --scope code --json
    """
    from gitcontext_pipeline.errors import UsageError

    if (question is None) == (questions is None):
        raise UsageError("give a question, or --questions FILE", fix="gitcontext search --help")
    asked = question_from(question or "")
    from gitcontext_pipeline.answer.opened import open_corpus

    find = _search(open_corpus(corpus).retriever, top, scope, _reranker(rerank, rerank_kinds))
    if questions is not None:
        _search_all(find, questions, as_json)
        return
    results = find(asked)
    if as_json:
        typer.echo(_json([result.as_row() for result in results]))
        return
    from gitcontext_pipeline.cli.answer_view import draw_results

    present(lambda: results_as_text(results), lambda screen: draw_results(screen, results), page=not no_pager)


def _reranker(model: str | None, kinds: str) -> Reranker | None:
    from gitcontext_pipeline.retrieval.rerank import Reranker

    return None if model is None else Reranker(model, [kind.strip() for kind in kinds.split(",")])


def _search(retriever: Retriever, top: int, scope: str | None, reranker: Reranker | None) -> Find:
    """A search that says on standard error, once, that the reranker did not run."""
    from gitcontext_pipeline.retrieval.rerank import search_with

    told: set[str] = set()

    def find(question: str) -> list[Result]:
        results, note = search_with(reranker, retriever, question, top, scope)
        if note and note not in told:
            told.add(note)
            typer.echo(note, err=True)
        return results

    return find


def _search_all(find: Find, questions: Path, as_json: bool) -> None:
    from gitcontext_pipeline.errors import UsageError
    from gitcontext_pipeline.evaluation.jsonlines import read_json_lines

    lines = read_json_lines(questions)
    for number, line in lines:
        if not isinstance(line.get("query"), str):
            raise UsageError("has no `query`", where=f"{questions}:{number}", fix='e.g. {"query": "where is …?"}')
    for _, line in lines:
        if as_json:
            results = [result.as_row() for result in find(line["query"])]
            typer.echo(json.dumps({"id": line.get("id"), "query": line["query"], "results": results}))
        else:
            typer.echo(f"# {' '.join(line['query'].split())}")
            typer.echo(results_as_text(find(line["query"])), nl=False)


def results_as_text(results: Sequence[Result]) -> str:
    """Two lines a result: its number, score, name and place, then its link."""
    from gitcontext_pipeline.answer.evidence import printable, title

    lines = []
    for number, result in enumerate(results, 1):
        lines.append(f"{number:>3}  {result.score:.3f}  {title(result.name)}  ({printable(result.place)})\n")
        lines.append(f"            {result.url}\n")
    return "".join(lines)


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)
