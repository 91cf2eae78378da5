"""`gitcontext corpora`, `snapshots` and `rollback`."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from gitcontext_pipeline.cli.ask import JsonOption
from gitcontext_pipeline.cli.completion import corpus_names, snapshot_ids

NameArgument = Annotated[str, typer.Argument(help="The corpus.", metavar="CORPUS", autocompletion=corpus_names)]


def corpora(as_json: JsonOption = False) -> None:
    """List what is indexed: name, published snapshot, revision, chunks.

    Example: gitcontext corpora --json
    """
    from gitcontext_pipeline.answer.library import Library
    from gitcontext_pipeline.state import State

    rows = Library(State.locate()).corpora()
    if as_json:
        typer.echo(json.dumps([row.as_json() for row in rows], indent=2))
        return
    if not rows:
        typer.echo("nothing is indexed yet: gitcontext index URL_OR_PATH[@REV] --name NAME")
    for row in rows:
        told = f"{row.revision}  {row.chunks} chunks" if row.snapshot else "not published"
        typer.echo(f"{row.name:<20} {told}")


def snapshots(name: NameArgument, as_json: JsonOption = False) -> None:
    """List the published snapshots of a corpus, the newest first; one of them is current.

    Example: gitcontext snapshots requests
    """
    from gitcontext_pipeline.index.snapshot import published
    from gitcontext_pipeline.state import State

    found = published(State.locate().choose(name))
    if as_json:
        typer.echo(
            json.dumps(
                [{"id": one.id, "current": one.current, "revision": one.manifest["revision"]} for one in found],
                indent=2,
            )
        )
        return
    for one in found:
        typer.echo(f"{'*' if one.current else ' '} {one.id}  {one.manifest['revision']}")


def rollback(
    name: NameArgument,
    snapshot: Annotated[
        str | None, typer.Argument(help="Its id; without one, the snapshot before this.", autocompletion=snapshot_ids)
    ] = None,
) -> None:
    """Publish an earlier snapshot again.

    Example: gitcontext rollback requests
    """
    from gitcontext_pipeline.index.snapshot import roll_back
    from gitcontext_pipeline.state import State

    now = roll_back(State.locate().choose(name), snapshot)
    typer.echo(f"{name} now answers from snapshot {now.id} at {now.manifest['revision']}")
