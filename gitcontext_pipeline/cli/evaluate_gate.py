"""`gitcontext eval gate`, `freeze` and `diff`."""

from __future__ import annotations

import getpass
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gitcontext_pipeline.cli.ask import JsonOption
from gitcontext_pipeline.cli.evaluate_target import (
    ConfigOption,
    CorpusOption,
    GoldenOption,
    resolve,
    settings_here,
    shown,
)
from gitcontext_pipeline.cli.progress import counting, reader_may_leave

if TYPE_CHECKING:
    from gitcontext_pipeline.evaluation.policy import GatePolicy
    from gitcontext_pipeline.evaluation.verdict import Reason, Verdict

ReportArgument = Annotated[
    Path | None, typer.Argument(help="A report that `eval run` wrote.", show_default="measured now")
]


SHOWN = ("hit@1", "hit@5", "mrr")
"""What is told of a baseline."""


def gate(
    report: ReportArgument = None,
    baseline: Annotated[
        Path | None,
        typer.Option("--baseline", "-b", help="A baseline, or a folder of them; by default beside the golden set."),
    ] = None,
    corpus: CorpusOption = None,
    golden: GoldenOption = None,
    tolerance: Annotated[
        str | None, typer.Option(help="Percentage points that a gated number may fall.", show_default="5")
    ] = None,
    must_hit: Annotated[
        list[str] | None, typer.Option(help="Id of a question that must be answered; may be repeated.")
    ] = None,
    require_baseline: Annotated[
        bool | None,
        typer.Option("--require-baseline/--no-require-baseline", help="No baseline is an error, not a pass."),
    ] = None,
    markdown: Annotated[Path | None, typer.Option(help="Write the verdict for a pull-request comment.")] = None,
    junit: Annotated[Path | None, typer.Option(help="Write the verdict as JUnit XML.")] = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Hold a report against the frozen baseline: exit 0 pass, 1 regression, 3 not comparable or broken.

    Without REPORT it measures first, so that nothing stale can pass. The baseline is the one frozen for the report's
    revision, else the one frozen last, which is then not comparable: moving the pin does not switch the gate off.

    Example: gitcontext eval gate evals/report.json --markdown verdict.md
    """
    from gitcontext_pipeline.evaluation import verdict_formats
    from gitcontext_pipeline.storage import write_atomic

    policy = {"tolerance": tolerance, "must_hit": tuple(must_hit) if must_hit else None}
    verdict = _verdict(
        report, baseline, config, policy | {"require_baseline": require_baseline}, corpus=corpus, golden=golden
    )
    if markdown is not None:
        write_atomic(markdown, verdict_formats.as_markdown(verdict))
    if junit is not None:
        write_atomic(junit, verdict_formats.as_junit(verdict))
    with reader_may_leave():
        if as_json:
            typer.echo(verdict_formats.as_json(verdict), nl=False)
        else:
            print_verdict(verdict)
    raise typer.Exit(verdict.exit_code)


def print_verdict(verdict: Verdict) -> None:
    """The outcome with its reasons, the gated numbers, and the questions that came and went."""
    from gitcontext_pipeline.cli.quality import print_verdict_lines
    from gitcontext_pipeline.cli.tables import changes_table, show, verdict_table

    print_verdict_lines(verdict, ())
    if verdict.gated:
        show(verdict_table(verdict))
    for title, changes in (("Lost", verdict.lost), ("Gained", verdict.gained)):
        if changes:
            show(changes_table(f"{title} at {verdict.changes_at} rows: {len(changes)}", changes))
    if verdict.paired is not None and verdict.paired.resolvable_drop_pp is not None:
        told = verdict.paired
        typer.echo(f"  McNemar p = {told.mcnemar_p:.3f}, MRR permutation p = {told.permutation_p:.3f}")
        typer.echo(f"  {told.cases} questions can resolve a fall of {told.resolvable_drop_pp:.1f} points or more")


def freeze(
    report: Annotated[
        Path | None, typer.Argument(help="A report that `eval run` wrote.", show_default="the last one")
    ] = None,
    note: Annotated[str, typer.Option(help="Why the baseline moves: it stands in the file.")] = "",
    by: Annotated[str | None, typer.Option(help="Who moves it.", show_default="git's user.name, else $USER")] = None,
    corpus: CorpusOption = None,
    golden: GoldenOption = None,
    baselines: Annotated[
        Path | None, typer.Option(help="Folder of the baselines; by default beside the golden set.")
    ] = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make a report the baseline that later ones are held against. Nothing else moves a baseline.

    Refused for a run that failed, is incomplete, or is of another golden set than the one there is now. Review the
    file and commit it.

    Example: gitcontext eval freeze --note 'first measurement'
    """
    from gitcontext_pipeline.errors import GitContextError, UsageError
    from gitcontext_pipeline.evaluation import baseline
    from gitcontext_pipeline.evaluation.comparability import stale
    from gitcontext_pipeline.evaluation.report import read_report

    if not note.strip():
        raise UsageError("nobody says why the baseline moves", fix="gitcontext eval freeze --note 'why'")
    if report is not None:
        held = _held(report, config, {}, corpus, golden)
        path, folder, expected, refused = report, held.baselines, held.expected, held.refused
    else:
        target = resolve(config, corpus=corpus, golden=golden)
        path, folder, expected, refused = target.report, target.baselines, target.expected, None
    found = read_report(path)
    if reasons := [refused] if refused else stale(found, expected):
        raise GitContextError(reasons[0].what, where=path, fix=reasons[0].fix)
    directory = baselines or folder
    replaced = baseline.find_baseline(directory, baseline.revision_of(found)) if directory.is_dir() else None
    written = baseline.freeze(found, directory, by=by or _who(), note=note)
    frozen = baseline.read_baseline(written)
    if as_json:
        typer.echo(frozen.model_dump_json(indent=2))
        return
    told = ", ".join(f"{key} {frozen.metrics[key].value:.3f}" for key in SHOWN if key in frozen.metrics)
    if replaced is not None and baseline.revision_of(replaced) == baseline.revision_of(frozen):
        before = ", ".join(f"{key} {replaced.metrics[key].value:.3f}" for key in SHOWN if key in replaced.metrics)
        typer.echo(f"replaces the one of {replaced.frozen.at[:10]} ({before}): {replaced.frozen.note}")
    typer.echo(f"frozen: {shown(written)}")
    typer.echo(f"  {len(frozen.cases)} questions, {told}, by {frozen.frozen.by}: {frozen.frozen.note}")
    if not any(measured.value for measured in frozen.metrics.values()):
        typer.echo("  no question was answered, so nothing can fall below this baseline: see the notes of eval run")
    typer.echo("  review it and commit it; then: gitcontext eval gate")


def diff(
    before: Annotated[Path, typer.Argument(help="A report or a baseline.")],
    after: Annotated[Path, typer.Argument(help="A report or a baseline over the same golden set.")],
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="The summary line alone.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Show which questions moved, and from which rank to which; the worst first. Refuses disjoint sets.

    Example: gitcontext eval diff evals/baselines/unpinned.json evals/report.json
    """
    from gitcontext_pipeline.evaluation.baseline import read_measurement
    from gitcontext_pipeline.evaluation.diff import as_text
    from gitcontext_pipeline.evaluation.diff import diff as compared

    found = compared(read_measurement(before), read_measurement(after))
    if as_json:
        typer.echo(found.model_dump_json(indent=2))
    elif quiet:
        typer.echo(f"{len(found.worse)} worse, {len(found.better)} better, {found.unchanged} unchanged")
    else:
        typer.echo(as_text(found), nl=False)


def _verdict(
    report: Path | None, baseline: Path | None, config: Path | None, policy: dict[str, Any], **given: Any
) -> Verdict:
    from gitcontext_pipeline.errors import GitContextError
    from gitcontext_pipeline.evaluation.gate import gate as judged
    from gitcontext_pipeline.evaluation.gate import judge_against
    from gitcontext_pipeline.evaluation.verdict import Verdict
    from gitcontext_pipeline.steps.measuring import measure

    if baseline is not None and not baseline.exists():
        # What is named by hand must be there: a misspelt path is no licence to pass.
        raise GitContextError("there is no baseline, and no folder of them", where=baseline, fix="Check the path.")
    if report is not None:
        held = _held(report, config, policy, **given)
        if held.refused is not None:
            return Verdict(outcome="incomparable", reasons=[held.refused], tolerance_pp=float(held.policy.tolerance))
        return judged(report, baseline or held.baselines, held.policy, held.expected)
    target = resolve(config, policy=policy, **given)
    with counting("asking") as advance:
        found = measure(target, advance=advance)
    return judge_against(found, baseline or target.baselines, target.policy, target.expected)


@dataclass(frozen=True)
class _Held:
    """What a report that is named is held against: it may be of any snapshot, but must be of today's golden set.

    `refused` says that this golden set cannot be found, so that nobody can tell whether the report is stale.
    """

    baselines: Path
    policy: GatePolicy
    expected: dict[str, Any]
    refused: Reason | None = None


def _held(report: Path, config: Path | None, policy: dict[str, Any], corpus: str | None, golden: Path | None) -> _Held:
    from gitcontext_pipeline.evaluation.cases import read_cases

    settings = settings_here(config)
    if corpus is not None or (golden is None and settings.run.corpus and not settings.run.golden):
        target = resolve(config, corpus=corpus, golden=golden, policy=policy)
        return _Held(target.baselines, target.policy, {"dataset": target.expected["dataset"]})
    named = golden or (Path(settings.run.golden) if settings.run.golden else None)
    path, refused = (named, None) if named else _golden_beside(report)
    expected = {} if path is None else {"dataset": read_cases(path).sha256}
    return _Held((path or report).parent / "baselines", settings.gate.policy(**policy), expected, refused)


def _golden_beside(report: Path) -> tuple[Path | None, Reason | None]:
    """The golden set of the name that the report gives, in its folder, or why it is not known.

    Neither for a report that cannot be read: the gate says so itself.
    """
    from gitcontext_pipeline.errors import GitContextError
    from gitcontext_pipeline.evaluation.report import read_report
    from gitcontext_pipeline.evaluation.verdict import Reason

    try:
        found = read_report(report)
    except GitContextError:
        return None, None
    name = Path(found.dataset.name).name
    path = report.parent / name
    if name and path.is_file():
        return path, None
    corpus = str(found.fingerprints.get("corpus", ""))
    return None, Reason(
        what=f"the golden set {name} that was measured is not beside the report, so it may be stale",
        fix="Name it: --golden FILE" + (f", or --corpus {corpus}" if corpus.isidentifier() else ""),
    )


def _who() -> str:
    try:
        named = subprocess.run(
            ["git", "config", "user.name"], capture_output=True, text=True, check=False
        ).stdout.strip()
    except OSError:
        named = ""
    return named or getpass.getuser()
