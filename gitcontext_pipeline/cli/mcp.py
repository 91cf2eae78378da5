"""`gitcontext mcp`: the Model Context Protocol server for coding agents."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from gitcontext_pipeline.cli.serve import TOKEN_VARIABLE


def mcp(
    http: Annotated[
        bool, typer.Option("--http", help="Serve streamable HTTP instead of standard input and output.")
    ] = False,
    host: Annotated[str, typer.Option(help="Address to listen on, with --http.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on, with --http; 0 for any.")] = 8001,
    token: Annotated[
        str | None,
        typer.Option(
            envvar=TOKEN_VARIABLE,
            help="Bearer token that requests must bring, with --http.",
            show_default="anybody may ask",
        ),
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Name that requests may call the server by, besides --host."),
    ] = None,
) -> None:
    """Serve the published corpora to coding agents (Model Context Protocol).

    An agent starts it and talks to it over standard input and output. With --http it waits for agents at
    http://HOST:PORT/mcp; where other machines reach it a token is required, better given as GITCONTEXT_TOKEN than as an
    option.

    Example: gitcontext mcp --http --port 8001
    """
    from gitcontext_pipeline.answer.library import Library
    from gitcontext_pipeline.mcp.server import make_server
    from gitcontext_pipeline.state import State

    server = make_server(Library(State.locate()))
    if not http:
        if sys.stdin.isatty():
            typer.echo(
                "Waiting for an agent on standard input. To serve agents over HTTP: gitcontext mcp --http", err=True
            )
        server.run("stdio")
        return
    from gitcontext_pipeline.listening import address_of, bind
    from gitcontext_pipeline.mcp.http import ENDPOINT, make_app, serve

    with bind(host, port) as bound:
        app = make_app(server, bound, token, allow_host or ())
        typer.echo(f"{address_of(bound)}{ENDPOINT}  (Ctrl-C stops)")
        serve(app, bound)
