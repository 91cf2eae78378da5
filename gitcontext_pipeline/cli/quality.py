"""How a run went, as a person reads it: what was done, the metric table, the verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

NAMED = 3
"""How many of the questions that were set aside for one reason are named."""

if TYPE_CHECKING:
    from gitcontext_pipeline.components.launch import Outcome
    from gitcontext_pipeline.evaluation.report import Report
    from gitcontext_pipeline.evaluation.verdict import Verdict
    from gitcontext_pipeline.steps.workspace import Workspace


def print_outcome(outcome: Outcome) -> int:
    """Print what the run of a corpus's graph did; returns the exit code that goes with it."""
    from gitcontext_pipeline.steps import quality
    from gitcontext_pipeline.steps.snapshots import material

    workspace = outcome.workspace
    checkout = material(workspace, "repo_checkout").facts
    chunks = material(workspace, "chunks").facts
    kinds = ", ".join(f"{count} {kind}" for kind, count in chunks["by_kind"].items())
    skipped = ", ".join(f"{count} {reason}" for reason, count in chunks["skipped"].items())
    typer.echo(f"{workspace.spec.name} at {checkout['revision']} from {checkout['origin']}")
    for label, reason in checkout["attempts"]:
        typer.echo(f"  not used: {label}: {reason}")
    typer.echo(f"  {chunks['files']} files, {chunks['rows']} chunks ({kinds})")
    if skipped:
        typer.echo(f"  left out: {skipped}")
    if not outcome.ran:
        typer.echo("  nothing had changed: every step was skipped")
    report = quality.report_of(workspace)
    if report is not None:
        print_report(report)
    if outcome.failed:
        print_verdict_lines(
            quality.verdict_of(workspace) if "regression_gate" in outcome.failed else None, outcome.failed
        )
        return quality.verdict_of(workspace).exit_code if "regression_gate" in outcome.failed else 3
    if report is not None:
        print_verdict_lines(quality.verdict_of(workspace), ())
    _print_next(workspace, measured=report is not None)
    return 0


def _print_next(workspace: Workspace, *, measured: bool) -> None:
    """What the published corpus lacks, with what would give it that, and how to ask it."""
    name = workspace.spec.name
    if workspace.spec.repository is None:
        typer.echo("  links name the commit alone, as no GitHub repository is known: --github OWNER/NAME")
    if not measured:
        typer.echo(f"  not measured, as it has no golden set: gitcontext eval init --corpus {name}")
    typer.echo(f'published; to ask it: gitcontext ask --corpus {name} "QUESTION"')


def print_report(report: Report) -> None:
    """The metrics over all cases and per slice, with 95% intervals, and what was set aside."""
    from gitcontext_pipeline.cli.tables import report_table, show

    if report.cases:
        show(report_table(report))
    latency = report.timing.latency
    if latency is not None:
        typer.echo(f"  a question takes {latency.p50_ms:.0f} ms (median), {latency.p95_ms:.0f} ms (95th percentile)")
    if report.set_aside:
        reasons = sorted({case.reason for case in report.set_aside})
        typer.echo(f"  set aside: {len(report.set_aside)} questions, whose answers this origin lacks")
        for reason in reasons:
            ids = [case.id for case in report.set_aside if case.reason == reason]
            more = f" and {len(ids) - NAMED} more" if len(ids) > NAMED else ""
            typer.echo(f"    {reason}: {', '.join(ids[:NAMED])}{more}")
    for error in report.errors:
        typer.echo(f"  not fit for comparison: {error}")


def print_verdict_lines(verdict: Verdict | None, failed: tuple[str, ...]) -> None:
    from gitcontext_pipeline.answer.evidence import printable

    if verdict is not None:
        typer.echo(f"gate: {verdict.outcome}")
        for reason in [*verdict.reasons, *verdict.warnings]:
            typer.echo(f"  {printable(reason.what)}")
            if reason.fix:
                typer.echo(f"    {reason.fix}")
    if failed:
        typer.echo(f"not published: {', '.join(failed)} failed; the index published before goes on answering")
