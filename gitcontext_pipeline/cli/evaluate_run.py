"""`gitcontext eval run` and `compare`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gitcontext_pipeline.cli.ask import JsonOption
from gitcontext_pipeline.cli.evaluate_target import (
    ConfigOption,
    CorpusOption,
    FilesOption,
    GoldenOption,
    GranularityOption,
    OutputOption,
    RetrieverOption,
    SnapshotOption,
    TopOption,
    UseScopeOption,
    resolve,
    settings_here,
    shown,
)
from gitcontext_pipeline.cli.progress import counting, reader_may_leave

if TYPE_CHECKING:
    from gitcontext_pipeline.evaluation.report import Report
    from gitcontext_pipeline.steps.measuring import Advance, Target

SecondsOption = Annotated[
    float | None, typer.Option(help="How long one question may take; then it counts as failed.", show_default="30")
]
FailedOption = Annotated[
    float | None, typer.Option(help="Share of questions that may fail before the run does.", show_default="0.1")
]


def run(
    retriever: RetrieverOption = None,
    golden: GoldenOption = None,
    corpus: CorpusOption = None,
    snapshot: SnapshotOption = "candidate",
    files: FilesOption = None,
    output: OutputOption = None,
    top: TopOption = None,
    use_scope: UseScopeOption = None,
    granularity: GranularityOption = None,
    seconds_per_query: SecondsOption = None,
    max_failed: FailedOption = None,
    allow_impossible: Annotated[
        bool | None,
        typer.Option("--allow-impossible/--no-allow-impossible", help="Measure questions without gold too."),
    ] = None,
    root: Annotated[Path | None, typer.Option(help="Folder that a retriever's absolute paths start from.")] = None,
    revision: Annotated[
        str | None, typer.Option(help="Of the searched files: baselines are kept apart for each.")
    ] = None,
    trec_run: Annotated[Path | None, typer.Option(help="Write the rows as a TREC run too.")] = None,
    trec_qrels: Annotated[Path | None, typer.Option(help="Write the gold as TREC qrels too.")] = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Ask a retriever every question of a golden set, and write the report.

    With no option it measures what `gitcontext.toml` names, else the corpus that was worked on last. Exits 3 when the
    run is not fit for comparison: too many questions failed, or gold does not exist.

    Example: gitcontext eval run --retriever my_search:retrieve --golden evals/golden.jsonl
    """
    from gitcontext_pipeline.evaluation.trec import write_qrels, write_run
    from gitcontext_pipeline.steps.measuring import measure

    target = resolve(
        config,
        snapshot=snapshot,
        output=output,
        retriever=retriever,
        golden=golden,
        corpus=corpus,
        files=files,
        top=top,
        use_scope=use_scope,
        granularity=granularity,
        seconds_per_query=seconds_per_query,
        max_failed=max_failed,
        allow_impossible=allow_impossible,
        root=root,
        revision=revision,
    )
    with counting("asking") as advance:
        report = measure(target, advance=advance)
    if trec_run is not None:
        write_run(trec_run, report.cases)
    if trec_qrels is not None:
        write_qrels(trec_qrels, report.cases)
    with reader_may_leave():
        if as_json:
            typer.echo(report.to_json(), nl=False)
        else:
            print_run(target, report)
    raise typer.Exit(3 if report.errors else 0)


def print_run(target: Target, report: Report) -> None:
    """The metrics, what the audit says, the failed questions, and where the report is."""
    from gitcontext_pipeline.cli.quality import print_report

    print_report(report)
    for case in report.failed[:3]:
        typer.echo(f"  failed: {case.id}: {case.failure}")
    warnings = [finding for finding in report.audit.findings if finding.severity == "warning"]
    if warnings:
        typer.echo(f"  the audit warns of {len(warnings)}: gitcontext eval audit")
    for note in report.notes:
        typer.echo(f"  {note}")
    typer.echo(f"  {target.name}: {shown(target.report)}")


def compare(
    contenders: Annotated[
        list[str] | None,
        typer.Argument(help="Retrievers as for `eval run`, or NAME=RETRIEVER; with --corpus, names of our variants."),
    ] = None,
    golden: GoldenOption = None,
    corpus: CorpusOption = None,
    snapshot: SnapshotOption = "candidate",
    files: FilesOption = None,
    top: TopOption = None,
    use_scope: UseScopeOption = None,
    granularity: GranularityOption = None,
    markdown: Annotated[Path | None, typer.Option(help="Write the table as Markdown too.")] = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Put several retrievers, or variants of GitContext's own, in one table with intervals.

    The first is what the others are held against. With --corpus and no name, every variant is measured.

    Example: gitcontext eval compare old=search_v1:find new=search_v2:find --golden evals/golden.jsonl
    """
    from gitcontext_pipeline.cli.tables import comparison_table, show
    from gitcontext_pipeline.evaluation.compare import as_markdown
    from gitcontext_pipeline.evaluation.compare import compare as compared
    from gitcontext_pipeline.storage import write_atomic

    given: dict[str, Any] = {
        "files": files,
        "top": top,
        "use_scope": use_scope,
        "granularity": granularity,
        "golden": golden,
    }
    ours = corpus is not None or (not contenders and settings_here(config).run.retriever is None)
    reports: dict[str, Report] = {}
    with counting("asking") as advance:
        if ours:
            target = resolve(config, snapshot=snapshot, corpus=corpus, **given)
            reports = _of_variants(target, contenders, advance)
        else:
            reports = _of_retrievers(config, contenders or [], given, advance)
    table = compared(reports)
    if markdown is not None:
        write_atomic(markdown, as_markdown(table))
    with reader_may_leave():
        if as_json:
            typer.echo(table.model_dump_json(indent=2))
        else:
            show(comparison_table(table))
    broken = {name: report.errors[0] for name, report in reports.items() if report.errors}
    for name, error in broken.items():
        typer.echo(f"{name} is not fit for comparison: {error}", err=True)
    raise typer.Exit(3 if broken else 0)


def _of_variants(target: Target, names: list[str] | None, advance: Advance) -> dict[str, Report]:
    """Reports of our retriever by the variants' names; a name with a colon or `=` is a foreign retriever's."""
    from gitcontext_pipeline.errors import UsageError
    from gitcontext_pipeline.evaluation.cases import read_cases
    from gitcontext_pipeline.retrieval.retriever import Retriever
    from gitcontext_pipeline.retrieval.weights import ABLATIONS
    from gitcontext_pipeline.steps.measuring import measure_foreign, options
    from gitcontext_pipeline.steps.quality import corpus_view, evaluate_snapshot

    assert target.workspace is not None
    assert target.snapshot is not None
    cases = read_cases(target.golden)
    ours = Retriever.open(target.snapshot, target.workspace.state.models)
    reports: dict[str, Report] = {}
    for text in names or sorted(ABLATIONS, key=lambda name: name != "hybrid"):
        name, retriever = split_name(text)
        if retriever in ABLATIONS:
            variant = ours.with_weights(ABLATIONS[retriever])
            reports[name] = evaluate_snapshot(
                target.workspace, target.snapshot, variant, cases, **options(target.choices), progress=advance
            )
        elif ":" in retriever:
            choices = target.choices.model_copy(update={"retriever": retriever})
            reports[name] = measure_foreign(choices, cases, corpus_view(target.snapshot), advance)
        else:
            known = ", ".join(ABLATIONS)
            raise UsageError(f"no variant {retriever!r}", fix=f"One of {known}, or a retriever as module:callable.")
    return reports


def _of_retrievers(config: Path | None, texts: list[str], given: dict[str, Any], advance: Advance) -> dict[str, Report]:
    from gitcontext_pipeline.errors import UsageError
    from gitcontext_pipeline.evaluation.cases import read_cases
    from gitcontext_pipeline.steps.measuring import foreign_view, measure_foreign

    if not texts:
        raise UsageError("nothing to compare is named", fix="Name two retrievers, or --corpus NAME.")
    reports: dict[str, Report] = {}
    targets = [(split_name(text)[0], resolve(config, retriever=split_name(text)[1], **given)) for text in texts]
    view = foreign_view(targets[0][1].choices)
    for name, target in targets:
        if name in reports:
            raise UsageError(f"two are called {name!r}", fix="Tell them apart: NAME=RETRIEVER.")
        reports[name] = measure_foreign(target.choices, read_cases(target.golden), view, advance)
    return reports


def split_name(text: str) -> tuple[str, str]:
    """`NAME=RETRIEVER` in two; a retriever without a name is called by itself."""
    name, equals, rest = text.partition("=")
    return (name, rest) if equals and ":" not in name and "/" not in name else (text, text)
