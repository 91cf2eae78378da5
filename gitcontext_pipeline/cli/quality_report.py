"""`gitcontext eval quality`: how well everything indexed here is found, as tables that a page can keep."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gitcontext_pipeline.cli.ask import JsonOption
from gitcontext_pipeline.cli.completion import corpus_names

if TYPE_CHECKING:
    from gitcontext_pipeline.evaluation.quality_tables import CorpusQuality
    from gitcontext_pipeline.steps.workspace import Workspace


def quality(
    corpora: Annotated[
        list[str] | None,
        typer.Argument(help="Indexed corpora; by default, each that has a golden set.", autocompletion=corpus_names),
    ] = None,
    write: Annotated[
        Path | None, typer.Option(help="Renew the marked blocks of this page; causes written there are kept.")
    ] = None,
    against: Annotated[
        list[str] | None,
        typer.Option(help="Another engine, NAME=RETRIEVER as for `eval run`; {corpus} is replaced. May be repeated."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Hit@1/3/5, MRR and nDCG@10 with 95% intervals for BM25, dense, hybrid, and the hybrid with each switch off.

    Overall and by kind and style of question, with the questions that have no answer in the first five. No scope is
    given to the search, and nothing is indexed anew.

    Example: gitcontext eval quality gin hono --write docs/quality.md
    """
    from gitcontext_pipeline.cli.evaluate_run import split_name
    from gitcontext_pipeline.cli.progress import counting
    from gitcontext_pipeline.evaluation.quality_page import corpus_block, others_block
    from gitcontext_pipeline.evaluation.quality_tables import ELSEWHERE
    from gitcontext_pipeline.retrieval.weights import ABLATIONS
    from gitcontext_pipeline.steps.quality_table import learned_elsewhere, measure_corpus

    engines = dict(split_name(text) for text in against or [])
    chosen = chosen_corpora(corpora)
    with counting("learning") as advance:
        unseen = learned_elsewhere(chosen, advance)
    measured: list[CorpusQuality] = []
    for workspace in chosen:
        name = workspace.spec.name
        variants = {**ABLATIONS, ELSEWHERE: unseen[name]} if name in unseen else ABLATIONS
        others = {engine: text.replace("{corpus}", name) for engine, text in engines.items()}
        with counting(f"asking {name}") as advance:
            measured.append(measure_corpus(workspace, others, variants, advance))
        if not as_json:
            typer.echo(corpus_block(measured[-1], {}))
            if others:
                typer.echo(others_block(measured[-1]))
    if as_json:
        _print_json(measured)
    if write is not None:
        _write(write, measured)


def chosen_corpora(names: list[str] | None) -> list[Workspace]:
    """The corpora of those names; without names, every indexed one that has a golden set.

    Raises:
        UsageError: there is no such corpus, or none at all.
    """
    from gitcontext_pipeline.cli.workspaces import workspace_of
    from gitcontext_pipeline.errors import UsageError

    chosen = [workspace_of(name) for name in names] if names else _indexed()
    if not chosen:
        raise UsageError(
            "no indexed corpus has a golden set", fix="gitcontext index PATH --name NAME --golden-set golden.jsonl"
        )
    return chosen


def _indexed() -> list[Workspace]:
    """Every corpus that has been indexed here and has a golden set, by name; says which are left out and why."""
    from gitcontext_pipeline.cli.workspaces import workspace_of
    from gitcontext_pipeline.errors import GitContextError
    from gitcontext_pipeline.state import State
    from gitcontext_pipeline.steps.quality_table import newest

    found = []
    for corpus in State.locate().corpora():
        try:
            workspace = workspace_of(corpus.name)
            newest(workspace)
        except GitContextError as error:
            typer.echo(f"{corpus.name} is left out: {error.what}", err=True)
            continue
        golden = workspace.golden_set
        if golden is not None and golden.is_file():
            found.append(workspace)
        else:
            typer.echo(f"{corpus.name} is left out: it has no golden set", err=True)
    return found


def _write(path: Path, measured: list[CorpusQuality]) -> None:
    from gitcontext_pipeline.evaluation.quality_page import updated
    from gitcontext_pipeline.storage import write_atomic

    page = path.read_text(encoding="utf-8") if path.is_file() else ""
    write_atomic(path, updated(page, measured))
    typer.echo(f"wrote {path}", err=True)


def _print_json(measured: list[CorpusQuality]) -> None:
    import json

    def told(one: CorpusQuality) -> dict[str, Any]:
        reports = {**one.variants, **one.others}
        return {
            "corpus": one.corpus,
            "facts": dict(one.facts),
            "rankings": {name: report.model_dump(exclude={"audit", "timing"}) for name, report in reports.items()},
        }

    typer.echo(json.dumps([told(one) for one in measured], indent=2))
