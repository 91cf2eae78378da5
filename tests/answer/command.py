"""The commands of this topic in this process."""

from __future__ import annotations

import typer
from click.testing import Result
from typer.testing import CliRunner

from gitcontext_pipeline.cli import ask as ask_command
from gitcontext_pipeline.cli import explain as explain_commands
from gitcontext_pipeline.cli.app import ReportingGroup

app = typer.Typer(cls=ReportingGroup)
app.command("ask")(ask_command.ask)
app.command("setup-model")(explain_commands.setup_model)
app.command("answers")(explain_commands.answers)


def gitcontext(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])
