"""`gitcontext eval`: measure any retriever, and fail a build when it gets worse."""

from __future__ import annotations

import typer

from gitcontext_pipeline.cli import evaluate_gate, evaluate_golden, evaluate_run, evaluate_start

evaluate_app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Measure any retriever over a golden set, and fail a build when it gets worse.",
    epilog="Exit codes: 0 pass or improvement, 1 regression, 2 usage, 3 not comparable or error. "
    "Example: gitcontext eval init",
)
evaluate_app.command("init")(evaluate_start.init)
evaluate_app.command("run")(evaluate_run.run)
evaluate_app.command("gate")(evaluate_gate.gate)
evaluate_app.command("freeze")(evaluate_gate.freeze)
evaluate_app.command("diff")(evaluate_gate.diff)
evaluate_app.command("compare")(evaluate_run.compare)
evaluate_app.command("history")(evaluate_start.history)
evaluate_app.command("generate")(evaluate_golden.generate)
evaluate_app.command("audit")(evaluate_golden.audit)
