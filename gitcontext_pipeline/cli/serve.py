"""`gitcontext serve`: the page and the JSON API."""

from __future__ import annotations

from typing import Annotated

import typer

TOKEN_VARIABLE = "GITCONTEXT_TOKEN"  # noqa: S105  # the variable's name


def serve(
    host: Annotated[str, typer.Option(help="Address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65_535, help="Port to listen at; 0 takes a free one.")] = 8000,
    token: Annotated[
        str | None,
        typer.Option(envvar=TOKEN_VARIABLE, help="What who asks must know.", show_default="anybody may ask"),
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(help="A name that the server is asked by, besides its address. May be repeated."),
    ] = None,
    without_token: Annotated[
        bool, typer.Option("--without-token", help="Let other machines ask without a token.")
    ] = False,
    rate: Annotated[int, typer.Option(min=0, help="Requests a minute by one client; 0 for any number.")] = 600,
    workers: Annotated[int, typer.Option(min=1, max=64, help="Questions that are searched at a time.")] = 4,
) -> None:
    """Serve the page and the JSON API, until Ctrl-C or SIGTERM; what is being answered then is finished.

    A snapshot that is published meanwhile answers from the next question on. The API is described at /api, metrics are
    at /metrics. A token is better given as GITCONTEXT_TOKEN than as an option, which others on the machine can see.

    Example: gitcontext serve --port 8080
    """
    from gitcontext_pipeline.answer.library import Library
    from gitcontext_pipeline.errors import UsageError
    from gitcontext_pipeline.listening import LOOPBACK_NAMES, bind, is_loopback, strong
    from gitcontext_pipeline.state import State
    from gitcontext_pipeline.web import server
    from gitcontext_pipeline.web.settings import Settings

    given = None if token is None else strong(token)
    bound = bind(host, port)
    if given is None and not without_token and not is_loopback(bound):
        bound.close()
        raise UsageError(
            f"other machines reach {host}, and no token is set",
            fix=f"set {TOKEN_VARIABLE}, or say --without-token if everybody who gets there may ask",
        )
    library = Library(State.locate())
    names = ", ".join(corpus.name for corpus in library.corpora() if corpus.snapshot)

    def announce(address: str) -> None:
        typer.echo(f"{address}  (Ctrl-C stops)")
        typer.echo(f"answering about {names}" if names else "nothing is indexed yet: gitcontext index URL_OR_PATH")

    hosts = LOOPBACK_NAMES | {name.lower() for name in allow_host or ()}
    server.serve(library, Settings(hosts=hosts, token=given, requests_a_minute=rate, workers=workers), bound, announce)
