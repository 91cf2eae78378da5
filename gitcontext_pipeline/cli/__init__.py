"""The `gitcontext` command. Nothing heavy is imported before a command needs it."""

from gitcontext_pipeline.cli.app import main

__all__ = ["main"]
