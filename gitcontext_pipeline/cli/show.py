"""`gitcontext show`: lines of the indexed revision, with what stands around them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from gitcontext_pipeline.cli.ask import CorpusOption, JsonOption
from gitcontext_pipeline.cli.place import PlaceArgument, located
from gitcontext_pipeline.cli.terminal import NoPagerOption, present

if TYPE_CHECKING:
    from gitcontext_pipeline.answer.enclosing import Enclosing
    from gitcontext_pipeline.answer.source import Source

CONTEXT = 3


def show(
    place: PlaceArgument,
    corpus: CorpusOption = None,
    context: Annotated[int, typer.Option(min=0, max=10_000, metavar="N", help="How many lines around them.")] = CONTEXT,
    as_json: JsonOption = False,
    no_pager: NoPagerOption = False,
) -> None:
    """Show lines of a file as they are at the indexed revision, with their link and the symbol they are in.

    Example: gitcontext show src/requests/sessions.py:154-184
    """
    from gitcontext_pipeline.answer.enclosing import enclosing
    from gitcontext_pipeline.answer.source import read_source
    from gitcontext_pipeline.cli.source_view import draw_source

    chosen, lines = located(place, corpus)
    asked = read_source(chosen, lines)
    shown = read_source(chosen, lines, context)
    around = enclosing(chosen, lines)
    if as_json:
        told = {**shown.as_json(), **around.as_json(), "place": {"start_line": lines.start, "end_line": lines.end}}
        typer.echo(json.dumps({**told, "url": asked.url}, indent=2, ensure_ascii=False))
        return
    present(
        lambda: _plain(asked, shown, around),
        lambda screen: draw_source(screen, asked, shown, around),
        page=not no_pager,
    )


def _plain(asked: Source, shown: Source, around: Enclosing) -> str:
    from gitcontext_pipeline.answer.evidence import printable_lines
    from gitcontext_pipeline.cli.source_view import heading

    name, place = heading(asked, around, quote="`")
    width = len(str(shown.end_line))
    lines = [f"{name} ({place})" if name else place, f"    {asked.url}", ""]
    lines += [
        f"    {number:>{width}} | {line}".rstrip()
        for number, line in enumerate(printable_lines(shown.text), shown.start_line)
    ]
    return "\n".join(lines) + "\n"
