"""`gitcontext eval init` and `history`."""

from __future__ import annotations

import json
import os
import sys
from contextlib import nullcontext, redirect_stdout
from dataclasses import asdict, dataclass
from importlib.resources import files as resources
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gitcontext_pipeline.cli.ask import JsonOption
from gitcontext_pipeline.cli.evaluate_golden import CountOption, HistoryOption, mine, mining_source, print_generated
from gitcontext_pipeline.cli.evaluate_target import (
    ConfigOption,
    CorpusOption,
    GoldenOption,
    RetrieverOption,
    resolve,
    settings_here,
    shown,
    workspace_of,
)
from gitcontext_pipeline.cli.progress import counting

if TYPE_CHECKING:
    from gitcontext_pipeline.evaluation.history import HistoryPoint

STARTER = "starter_retriever"
GOLDEN = Path("evals/golden.jsonl")


def init(
    retriever: RetrieverOption = None,
    corpus: CorpusOption = None,
    files: Annotated[
        Path, typer.Option(help="Folder that the retriever searches, and questions are mined from.")
    ] = Path(),
    golden: Annotated[
        Path | None,
        typer.Option("--golden", "-g", help="Where the golden set is, or will be.", show_default=str(GOLDEN)),
    ] = None,
    count: CountOption = 30,
    history: HistoryOption = 200,
    as_json: JsonOption = False,
) -> None:
    """From nothing to a first gated run: writes what is missing, measures, gates, and prints the next command.

    Without --retriever and --corpus it writes a small retriever to replace by your own. What is there already is never
    overwritten; run it again at any time.

    Example: gitcontext eval init --retriever my_search:retrieve --files .
    """
    with redirect_stdout(sys.stderr) if as_json else nullcontext():
        told = _led(retriever, corpus, files, golden, count, history)
    if as_json:
        typer.echo(json.dumps(asdict(told), indent=2, ensure_ascii=False))
    else:
        typer.echo(f"\nnext, {told.when}:\n  {told.next}")
    raise typer.Exit(told.exit_code)


def history(
    repository: Annotated[Path, typer.Argument(help="The retriever's own repository.")] = Path(),
    commits: Annotated[int, typer.Option(min=1, help="How many, from HEAD along first parents.")] = 10,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder for history.png, history.svg and history.json.")
    ] = Path("history"),
    seconds: Annotated[float, typer.Option(help="How long one commit may take.")] = 600.0,
    retriever: RetrieverOption = None,
    golden: GoldenOption = None,
    corpus: CorpusOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Evaluate the last commits of a retriever's repository with one golden set, and plot the metrics.

    Each commit is checked out into a folder of its own; the work tree is not touched. A commit that cannot be measured
    is a gap with its reason. Exits 3 when none could be.

    Example: gitcontext eval history --commits 5 --retriever my_search:retrieve --golden evals/golden.jsonl
    """
    from gitcontext_pipeline.evaluation.history import history as measured
    from gitcontext_pipeline.evaluation.history import plot
    from gitcontext_pipeline.storage import write_atomic, write_json

    command = _measuring_command(retriever, golden, corpus, config)
    told = None if as_json else _print_point
    points = measured(repository, command, commits=commits, seconds_per_commit=seconds, progress=told)
    write_atomic(output / "history.png", plot(points, "png"))
    write_atomic(output / "history.svg", plot(points, "svg"))
    listed = [point.model_dump() for point in points]
    write_json(output / "history.json", listed)
    if as_json:
        typer.echo(json.dumps(listed, indent=2, ensure_ascii=False))
    else:
        typer.echo(f"plotted: {output / 'history.png'}, {output / 'history.svg'}")
    raise typer.Exit(0 if any(point.metrics for point in points) else 3)


@dataclass(frozen=True)
class _Led:
    """Where `init` arrived: the files, the verdict, and the command to go on with."""

    settings: str
    golden: str
    report: str
    outcome: str
    exit_code: int
    next: str
    when: str


def _led(retriever: str | None, corpus: str | None, files: Path, golden: Path | None, count: int, history: int) -> _Led:
    from gitcontext_pipeline.cli.evaluate_gate import print_verdict
    from gitcontext_pipeline.cli.evaluate_run import print_run
    from gitcontext_pipeline.evaluation.gate import judge_against
    from gitcontext_pipeline.evaluation.settings import SETTINGS
    from gitcontext_pipeline.steps.measuring import measure

    if not Path(SETTINGS).exists():
        _set_up(retriever, corpus, files, golden, count, history)
    else:
        _tell_ignored(retriever=retriever, corpus=corpus)
    target = resolve(None)
    with counting("asking") as advance:
        report = measure(target, advance=advance)
    print_run(target, report)
    verdict = judge_against(report, target.baselines, target.policy, target.expected)
    print_verdict(verdict)
    if verdict.exit_code:
        following = "gitcontext eval gate", "once what is told above is mended"
    elif verdict.baseline is None:
        following = (
            "gitcontext eval freeze --note 'first measurement'",
            f"once you have reviewed {_shown(target.golden)}",
        )
    else:
        following = "gitcontext eval gate", "after every change; in a build too"
    return _Led(SETTINGS, _shown(target.golden), shown(target.report), verdict.outcome, verdict.exit_code, *following)


def _set_up(
    retriever: str | None, corpus: str | None, files: Path, golden: Path | None, count: int, history: int
) -> None:
    """Write the retriever to begin with, the golden set and the settings, each unless it is there or not needed."""
    from gitcontext_pipeline.errors import UsageError
    from gitcontext_pipeline.evaluation.candidates import write_candidates
    from gitcontext_pipeline.evaluation.retrievers import load_retriever
    from gitcontext_pipeline.evaluation.settings import SETTINGS, settings_text
    from gitcontext_pipeline.storage import write_atomic

    if retriever is not None and corpus is not None:
        raise UsageError("a retriever and a corpus are named", fix="Name one: what is measured is one of the two.")
    if retriever is not None:
        load_retriever(retriever)  # before anything is written: a misspelt one would stay in the settings
    where = golden or (Path("evals") / corpus / "golden.jsonl" if corpus else GOLDEN)
    if not where.exists():
        with counting("reading files") as advance:
            source = mining_source(corpus, "candidate", files, history, advance)
            found = mine(source, count=count)
        write_candidates(where, found.candidates)
        print_generated(found, where)
    ignore = where.parent / ".gitignore"
    if not ignore.exists():
        write_atomic(ignore, "report.json\n")
    if retriever is None and corpus is None:
        retriever = f"{STARTER}:retrieve"
        if not Path(f"{STARTER}.py").exists():
            source_text = resources("gitcontext_pipeline.evaluation").joinpath("starter.py").read_text(encoding="utf-8")
            write_atomic(Path(f"{STARTER}.py"), source_text)
            typer.echo(f"wrote {STARTER}.py, a retriever to replace by your own")
    fields: dict[str, Any] = {"retriever": retriever, "corpus": corpus, "golden": _shown(where)}
    if corpus is None:
        fields["files"] = _shown(files)
    write_atomic(Path(SETTINGS), settings_text(**fields))
    typer.echo(f"wrote {SETTINGS}, what the other commands read")
    if corpus is not None and workspace_of(corpus).golden_set is None:
        typer.echo(
            f"  for its asset graph too: golden_set: {_shown(where)} in its YAML, or gitcontext index --golden-set"
        )


def _tell_ignored(**given: str | None) -> None:
    """Say which of the options the settings, which are there already, have otherwise."""
    from gitcontext_pipeline.evaluation.settings import SETTINGS

    written = settings_here(None).run
    for option, value in given.items():
        if value is not None and value != getattr(written, option):
            typer.echo(f"{SETTINGS} is there already and stays as it is: --{option} has no effect; edit the file")


def _measuring_command(
    retriever: str | None, golden: Path | None, corpus: str | None, config: Path | None
) -> list[str]:
    """`eval run` with the golden set and settings of here and now, whatever the commit under test has of them."""
    from gitcontext_pipeline.evaluation.history import REPORT
    from gitcontext_pipeline.evaluation.settings import SETTINGS

    command = [sys.executable, "-m", "gitcontext_pipeline", "eval", "run", "--output", REPORT]
    settings = config or (Path(SETTINGS) if Path(SETTINGS).is_file() else None)
    target = resolve(config, retriever=retriever, golden=golden, corpus=corpus)
    command += ["--golden", str(target.golden.resolve())]
    if settings is not None and corpus is None:
        command += ["--config", str(settings.resolve())]
    if target.workspace is not None:
        command += ["--corpus", target.workspace.spec.name]
    elif retriever is not None or settings_here(config).run.retriever is None:
        command += ["--retriever", target.choices.retriever or ""]
    return command


def _print_point(point: HistoryPoint) -> None:
    metrics = "  ".join(f"{key} {point.metrics[key]:.3f}" for key in ("hit@1", "hit@5", "mrr") if key in point.metrics)
    typer.echo(f"{point.revision[:8]}  {metrics or point.failure}  {point.subject[:60]}")


def _shown(path: Path) -> str:
    """The path from here, with forward slashes, as settings and people write it."""
    return Path(os.path.relpath(path)).as_posix()
