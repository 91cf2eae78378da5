"""The command's frame: subcommands, errors without tracebacks, exit codes."""

from __future__ import annotations

import os
import sys
from typing import Annotated, Any

import typer
from rich.console import Console
from typer.core import TyperGroup

from gitcontext_pipeline import __version__
from gitcontext_pipeline.cli import (
    ask,
    confidence,
    corpora,
    doctor,
    explain,
    history,
    indexing,
    mcp,
    quality_report,
    serve,
    show,
    tuning,
)
from gitcontext_pipeline.cli.evaluate import evaluate_app
from gitcontext_pipeline.errors import GitContextError

DEBUG_VARIABLE = "GITCONTEXT_DEBUG"


class ReportingGroup(TyperGroup):
    """Turns errors into a message and an exit code: 0 pass, 1 regression, 2 usage, 3 error."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except GitContextError as error:
            if os.environ.get(DEBUG_VARIABLE):
                raise
            _complain(str(error))
            raise typer.Exit(error.exit_code) from error
        except BrokenPipeError:
            # The reader (head, less) has enough; Python would complain again when it flushes at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(0) from None
        except Exception as error:
            if os.environ.get(DEBUG_VARIABLE) or type(error).__module__.startswith(("click", "typer")):
                raise
            _complain(f"unexpected {type(error).__name__}: {error}\n  {DEBUG_VARIABLE}=1 shows where it comes from")
            raise typer.Exit(3) from error


app = typer.Typer(
    cls=ReportingGroup,
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Answers about a pinned git repository, evidence first, with retrieval quality gated like a test.",
    epilog='Example: gitcontext index . --name mine && gitcontext ask "Where are redirects followed?"',
)
app.command("ask")(ask.ask)
app.command("search")(ask.search)
app.command("index")(indexing.index)
app.command("corpora")(corpora.corpora)
app.command("snapshots")(corpora.snapshots)
app.command("rollback")(corpora.rollback)
app.command("show")(show.show)
app.command("why")(history.why)
app.command("fetch-prs")(history.fetch_prs)
app.command("serve")(serve.serve)
app.command("doctor")(doctor.doctor)
app.command("mcp")(mcp.mcp)
app.command("setup-model")(explain.setup_model)
evaluate_app.command("answers")(explain.answers)
evaluate_app.command("tune")(tuning.tune)
evaluate_app.command("quality")(quality_report.quality)
evaluate_app.command("confidence")(confidence.confidence)
app.add_typer(evaluate_app, name="eval")


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"gitcontext {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version and exit.")
    ] = False,
) -> None: ...


def _complain(message: str) -> None:
    Console(stderr=True, soft_wrap=True).print(f"[bold red]error:[/] {_escaped(message)}", highlight=False)


def _escaped(message: str) -> str:
    from rich.markup import escape

    return escape("".join(c if c == "\n" or c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in message))
