"""The `gitcontext` command. Nothing heavy is imported before a command needs it."""

import io
import sys
import traceback


def main() -> None:
    """Run the command; `eval`, which asks retrievers of anybody's, under guard."""
    if sys.argv[1:2] == ["eval"]:
        from gitcontext_pipeline.cli.guard import guarded

        guarded(_run)
    _run()


def _run() -> None:
    """A regression alone ends with 1: a crash, of an import too, ends with 3."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # code holds characters that not every terminal's encoding has
            stream.reconfigure(errors="replace")
    try:
        from gitcontext_pipeline.cli.app import app

        app()
    except Exception:
        traceback.print_exc()
        sys.exit(3)
