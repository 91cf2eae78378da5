"""`gitcontext setup-model` and `gitcontext eval answers`."""

from __future__ import annotations

import getpass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gitcontext_pipeline.cli.ask import JsonOption
from gitcontext_pipeline.cli.completion import corpus_names, model_names

if TYPE_CHECKING:
    from gitcontext_pipeline.evaluation.answers_grades import Agreement
    from gitcontext_pipeline.evaluation.answers_report import AnswersReport
    from gitcontext_pipeline.state import State
    from gitcontext_pipeline.steps.workspace import Listener, Workspace

ModelOption = Annotated[
    str | None,
    typer.Option(
        "--model",
        "-m",
        help="Name or path of the model; without it, the one setup-model chose.",
        autocompletion=model_names,
    ),
]


def setup_model(
    model: Annotated[
        str | None,
        typer.Argument(
            help="qwen3-1.7b, qwen3-0.6b, tiny, or the path of a GGUF file.",
            show_default="qwen3-1.7b",
            autocompletion=model_names,
        ),
    ] = None,
    list_models: Annotated[bool, typer.Option("--list", help="List the models there are by name.")] = False,
) -> None:
    """Fetch and verify the model that explains, and choose it for `ask --generate`.

    Downloads go on where they stopped. HF_ENDPOINT names a mirror of the model hub. `tiny` comes with a package and
    needs no download: it shows the machinery at work, and nearly all it writes is withheld.

    Example: gitcontext setup-model qwen3-0.6b
    """
    from importlib.util import find_spec

    from gitcontext_pipeline.answer import model_files
    from gitcontext_pipeline.state import State

    models = State.locate().models
    if list_models:
        _print_models(models)
        return
    name = model or model_files.DEFAULT_NAME
    named = model_files.NAMED.get(name)
    if isinstance(named, model_files.HubFile):
        _download(named, models)
    elif named is None:
        name = str(model_files.location(name, models))
    file = model_files.verified(name, models, lambda line: typer.echo(f"  {line}", err=True))
    model_files.choose(name, models)
    typer.echo(f"{name} is ready: {file.header.name}, {file.path.stat().st_size / 1e6:.0f} MB")
    typer.echo(f"  {file.path}\n  sha256 {file.sha256}")
    if find_spec("llama_cpp") is None:
        typer.echo("  what runs it is not installed yet: pip install -e '.[explain]'")


def answers(
    corpus: Annotated[
        str | None, typer.Argument(help="The corpus; without it, the one published last.", autocompletion=corpus_names)
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first N questions.", show_default="all")] = None,
    top: Annotated[int, typer.Option(min=1, max=50, help="Pieces of evidence for each question.")] = 5,
    model: ModelOption = None,
    grades: Annotated[
        Path | None, typer.Option(help="Grades saved by the reviewer's page: compare the contract with them.")
    ] = None,
    freeze: Annotated[bool, typer.Option("--freeze", help="Keep this run as the baseline; needs --note.")] = False,
    note: Annotated[str, typer.Option(help="Why the baseline moves.")] = "",
    as_json: JsonOption = False,
) -> None:
    """Answer the golden set with the local model; say what the contract let through, what it caught, and the cost.

    Writes a report and a page for reviewers beside the snapshot. Exits as the gate on answers does: 0 pass or
    improvement, 1 regression, 3 incomparable or error. With --grades or --freeze nothing is answered anew.

    Example: gitcontext eval answers requests --limit 10
    """
    from gitcontext_pipeline.cli.progress import showing_progress
    from gitcontext_pipeline.evaluation.answers_gate import find_answers_baseline, freeze_answers, judge_answers
    from gitcontext_pipeline.evaluation.answers_grades import agreement, read_grades
    from gitcontext_pipeline.evaluation.answers_page import write_page
    from gitcontext_pipeline.evaluation.answers_report import read_answers, write_answers
    from gitcontext_pipeline.state import State
    from gitcontext_pipeline.steps import answers as step
    from gitcontext_pipeline.steps.snapshots import candidate

    with showing_progress() as listener:
        workspace = _workspace(State.locate(), corpus, listener)
        place = candidate(workspace) / step.REPORT
        page = candidate(workspace) / step.PAGE
        if grades is None and not freeze:
            file = step.model_file(workspace, model)
            report = step.answer_golden_set(workspace, file, limit=limit, top=top)
            write_answers(place, report)
            write_page(page, report)
    report = read_answers(place)
    if grades is not None:
        found = agreement(report, read_grades(grades))
        typer.echo(found.model_dump_json(indent=2)) if as_json else _print_agreement(found)
        return
    if freeze:
        path = freeze_answers(report, workspace.baselines, by=getpass.getuser(), note=note)
        typer.echo(f"frozen: {path}")
        return
    baseline = find_answers_baseline(workspace.baselines, str(report.fingerprints.get("corpus_revision")))
    verdict = judge_answers(report, baseline, workspace.spec.tolerance)
    if as_json:
        typer.echo(report.model_dump_json(indent=2))
    else:
        _print_report(report)
        typer.echo(f"  report: {place}\n  page:   {page}")
        typer.echo(f"gate on answers: {verdict.outcome}")
        for reason in [*verdict.reasons, *verdict.warnings]:
            typer.echo(f"  {reason.what}" + (f"\n    {reason.fix}" if reason.fix else ""))
    raise typer.Exit(verdict.exit_code)


def _workspace(state: State, corpus: str | None, listener: Listener) -> Workspace:
    from dataclasses import replace

    from gitcontext_pipeline.components.launch import configured
    from gitcontext_pipeline.errors import UsageError
    from gitcontext_pipeline.state import project_directory
    from gitcontext_pipeline.steps.workspace import Workspace, remembered

    name = state.choose(corpus).name
    for known in remembered(state):
        if known.spec.name == name:
            return replace(known, progress=listener.progress, advance=listener.advance)
    spec = configured(name)
    if spec is None:
        raise UsageError(f"how the corpus {name!r} is made up is not known here", fix=f"gitcontext index {name}")
    return Workspace(spec, state, project_directory() or Path.cwd(), listener.progress, listener.advance)


def _print_report(report: AnswersReport) -> None:
    counts, timing = report.counts, report.timing
    shown = counts.passed + counts.repaired
    typer.echo(f"{counts.cases} questions answered by {report.settings.get('model')}")
    typer.echo(
        f"  passed {counts.passed}, repaired {counts.repaired}, withheld {counts.withheld}, failed {counts.failed} "
        f"(pass rate {counts.pass_rate:.3f})"
    )
    typer.echo(f"  without an answer in the corpus: {counts.unanswerable_withheld} of {counts.unanswerable} withheld")
    typer.echo(f"  replies of the wrong shape: {counts.shape_failures}")
    typer.echo(f"  sentences caught: {', '.join(f'{n} {rule}' for rule, n in counts.dropped_by.items()) or 'none'}")
    withheld = ", ".join(f"{n} {rule}" for rule, n in counts.withheld_by.items())
    typer.echo(f"  withheld for: {withheld or 'nothing'}")
    typer.echo(
        f"  gold in the evidence {counts.gold_in_evidence}, in the prompt {counts.gold_in_prompt} "
        f"({counts.gold_lines_share:.0%} of its lines), cited by {counts.gold_cited} of {shown} answers"
    )
    typer.echo(f"  longest prompt: {counts.longest_prompt} tokens")
    typer.echo(
        f"  an answer takes {timing.p50_seconds:.1f} s (median), {timing.p95_seconds:.1f} s (95th percentile); "
        f"{timing.read_tokens_per_second:.0f} tokens read, {timing.written_tokens_per_second:.0f} written a second"
    )
    typer.echo(
        f"  {timing.reused_share:.0%} of the prompts was known from the question before: the first prompt took "
        f"{timing.first_prompt_seconds:.2f} s, a later one {timing.later_prompt_seconds:.2f} s"
    )


def _print_agreement(found: Agreement) -> None:
    typer.echo(f"{found.graded} answers graded")
    typer.echo(f"  shown:    {found.shown_accepted} accepted, {found.shown_rejected} rejected")
    typer.echo(f"  withheld: {found.withheld_accepted} accepted, {found.withheld_rejected} rejected")
    shares = {"precision": found.precision, "recall": found.recall, "agreement": found.agreement, "kappa": found.kappa}
    told = ", ".join(f"{name} {'-' if value is None else f'{value:.2f}'}" for name, value in shares.items())
    typer.echo(f"  {told}")
    if found.disagreements:
        typer.echo(f"  they disagree on: {', '.join(found.disagreements)}")


def _print_models(models: Path) -> None:
    from gitcontext_pipeline.answer.model_files import NAMED, HubFile, chosen

    current = chosen(models)
    for name, file in NAMED.items():
        where = file.repository if isinstance(file, HubFile) else f"package {file.package}"
        mark = "*" if name == current else " "
        typer.echo(f"{mark} {name:<12} {file.size / 1e6:>6.0f} MB  {file.filename} ({where})")
    if current not in NAMED:
        typer.echo(f"* {current}")


def _download(file: object, models: Path) -> None:
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    from gitcontext_pipeline.answer.download import address, fetch
    from gitcontext_pipeline.answer.model_files import HubFile
    from gitcontext_pipeline.corpus.redaction import redact

    assert isinstance(file, HubFile)
    console = Console(stderr=True)
    console.print(f"  {redact(address(file))}", markup=False, highlight=False, soft_wrap=True)
    columns = (
        TextColumn("  {task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, disable=not console.is_terminal) as shown:
        task = shown.add_task(file.filename, total=file.size)
        fetch(file, models, lambda done, total: shown.update(task, completed=done, total=total))
