"""`gitcontext doctor`: what is installed, reachable, stale or broken, and the command that mends it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from gitcontext_pipeline.cli.ask import JsonOption

if TYPE_CHECKING:
    from gitcontext_pipeline.cli.health.finding import Check, Finding
    from gitcontext_pipeline.state import State

MARKS = {"ok": ("ok", "green"), "off": ("--", "dim"), "warning": ("warn", "yellow"), "broken": ("BROKEN", "bold red")}


def doctor(
    offline: Annotated[bool, typer.Option("--offline", help="Ask no server.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Look at what is installed, who can be reached, and what of each corpus is stale or broken.

    Says for each finding the command that mends it. Exits with 0 when nothing is broken, warnings or not, and with 3
    when something is. Nothing is changed.

    Example: gitcontext doctor --offline
    """
    from gitcontext_pipeline.state import State

    findings = examine(State.locate(), offline=offline)
    if as_json:
        typer.echo(json.dumps([finding.as_json() for finding in findings], indent=2, ensure_ascii=False))
    else:
        _print(findings)
    raise typer.Exit(3 if any(finding.condition == "broken" for finding in findings) else 0)


def examine(state: State, *, offline: bool) -> Sequence[Finding]:
    """Everything that is found, in the order in which it is shown. Servers are asked meanwhile, side by side."""
    from gitcontext_pipeline.cli.health import corpora, installed, machine, reachable
    from gitcontext_pipeline.cli.health.finding import run_check, start_check

    servers: list[Check] = []
    if not offline:
        servers = [*(partial(reachable.github, url) for url in _github_servers(state)), reachable.package_index]
    asked = [start_check(check, reachable.AREA) for check in servers]
    found = [
        *run_check(partial(installed.installed, state), installed.AREA),
        *run_check(partial(machine.machine, state), machine.AREA),
    ]
    indexed = [  # one after the other: each is loaded into memory
        finding
        for corpus in state.corpora()
        for finding in run_check(partial(corpora.corpus_findings, state, corpus, offline=offline), corpus.name)
    ]
    return [*found, *(finding for answer in asked for finding in answer()), *indexed]


def _github_servers(state: State) -> list[str]:
    from gitcontext_pipeline.corpus.permalinks import GITHUB
    from gitcontext_pipeline.steps.workspace import remembered

    return list(dict.fromkeys([GITHUB, *(each.spec.github_url for each in remembered(state))]))


def _print(findings: Sequence[Finding]) -> None:
    from rich.console import Console
    from rich.text import Text

    from gitcontext_pipeline.answer.evidence import printable

    console = Console(highlight=False, soft_wrap=True)
    area = ""
    for finding in findings:
        if finding.area != area:
            area = finding.area
            console.print(Text(printable(area), style="bold"))
        mark, style = MARKS[finding.condition]
        line = Text.assemble("  ", (f"{mark:<7}", style), f"{printable(finding.name)}: {printable(finding.told)}")
        console.print(line)
        if finding.fix and finding.condition != "ok":
            console.print(Text(f"           {printable(finding.fix)}", style="cyan"))
