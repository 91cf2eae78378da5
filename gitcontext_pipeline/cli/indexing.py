"""`gitcontext index`: the asset graph of one repository, run here and now."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def index(
    source: Annotated[
        str,
        typer.Argument(
            help="A repository's URL or path, with @REV for a branch, tag or commit; or a configured corpus."
        ),
    ],
    name: Annotated[
        str | None, typer.Option(help="What to call the corpus; by default, the repository's name.")
    ] = None,
    github: Annotated[str | None, typer.Option(help="OWNER/NAME for permalinks; read off a GitHub URL.")] = None,
    github_url: Annotated[
        str | None, typer.Option(help="The GitHub Enterprise server of --github.", show_default="https://github.com")
    ] = None,
    history: Annotated[str, typer.Option(help="How much history: all, none, or a number of commits.")] = "all",
    include: Annotated[list[str] | None, typer.Option(help="Glob of files to index; may be repeated.")] = None,
    exclude: Annotated[list[str] | None, typer.Option(help="Glob of files to leave out; may be repeated.")] = None,
    golden_set: Annotated[Path | None, typer.Option(help="Questions with labelled answers, to measure it by.")] = None,
) -> None:
    """Index a repository and publish the result: checkout, chunks, both indexes, evaluation, gate.

    The same graph that Dagster runs for the corpora under `defs/`, without any YAML. Run again, it only does what is
    new. A plain name that is configured (`gitcontext index requests`) is run as it is configured.

    Example: gitcontext index https://github.com/psf/requests@v2.32.0 --name requests_2_32
    """
    from gitcontext_pipeline.cli.progress import showing_progress
    from gitcontext_pipeline.cli.quality import print_outcome
    from gitcontext_pipeline.components.launch import configured, launch
    from gitcontext_pipeline.corpus.address import spec_from_address
    from gitcontext_pipeline.corpus.permalinks import GITHUB
    from gitcontext_pipeline.errors import UsageError

    spec = configured(source) if name is None else None
    if spec is None:
        if name is not None and configured(name) is not None:
            raise UsageError(
                f"{name!r} is configured in a YAML file", fix=f"choose another name, or: gitcontext index {name}"
            )
        if github_url is not None and github is None:
            raise UsageError("--github-url names a server and no repository", fix="add --github OWNER/NAME")
        spec = spec_from_address(
            source,
            name=name,
            github=github,
            github_url=github_url or GITHUB,
            history=int(history) if history.isdecimal() else history,
            include=tuple(include or ("**",)),
            exclude=tuple(exclude or ()),
            golden_set=str(golden_set.resolve()) if golden_set else None,
        )
    with showing_progress() as listener:
        outcome = launch(spec, listener)
    raise typer.Exit(print_outcome(outcome))
