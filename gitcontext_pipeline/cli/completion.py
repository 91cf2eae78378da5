"""What a shell can complete: names that are on disk. It is silent about what goes wrong."""

from __future__ import annotations

from collections.abc import Iterable

import typer


def corpus_names(incomplete: str) -> list[str]:
    """The corpora that have a directory."""
    from gitcontext_pipeline.state import State

    try:
        return _matching((corpus.name for corpus in State.locate().corpora()), incomplete)
    except OSError:
        return []


def snapshot_ids(context: typer.Context, incomplete: str) -> list[str]:
    """The snapshots that the corpus named before can go back to."""
    from gitcontext_pipeline.index.snapshot import published
    from gitcontext_pipeline.state import State

    name = context.params.get("name")
    if not name:
        return []
    try:
        found = published(State.locate().corpus(name))
    except OSError:
        return []
    return _matching((snapshot.id for snapshot in found if not snapshot.current), incomplete)


def scopes(incomplete: str) -> list[str]:
    """What a search can be confined to."""
    return _matching(("code", "docs", "history", "tests"), incomplete)


def model_names(incomplete: str) -> list[str]:
    """The models that `setup-model` knows by name."""
    from gitcontext_pipeline.answer.model_files import NAMED

    return _matching(NAMED, incomplete)


def _matching(names: Iterable[str], incomplete: str) -> list[str]:
    # A name that was not made by this command may hold anything, and the shell prints it.
    return [name for name in names if name.startswith(incomplete) and name.isprintable()]
