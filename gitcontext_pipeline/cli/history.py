"""`gitcontext fetch-prs` and `gitcontext why`: pull requests, and how lines came about."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from gitcontext_pipeline.cli.ask import CorpusOption, JsonOption
from gitcontext_pipeline.cli.completion import corpus_names
from gitcontext_pipeline.cli.place import PlaceArgument, located
from gitcontext_pipeline.cli.terminal import NoPagerOption, present

if TYPE_CHECKING:
    from gitcontext_pipeline.answer.why import Why
    from gitcontext_pipeline.cli.terminal import Screen
    from gitcontext_pipeline.corpus.follow import Touch


def fetch_prs(
    name: Annotated[
        str | None, typer.Argument(help="The corpus; without it, the one published last.", autocompletion=corpus_names)
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the newest so many pull requests.")] = None,
    since: Annotated[str | None, typer.Option(help="Only what was merged since this date, e.g. 2024-01-31.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Bring the cache of pull requests up to date: what the history names, and what GitHub adds to it.

    With a token (GITHUB_TOKEN, GH_TOKEN, or `gh auth login`) everything comes in a few calls. Without one GitHub
    allows 60 calls an hour: what did not fit is fetched by the next run. The next `gitcontext index` uses it.

    Example: gitcontext fetch-prs requests --limit 200
    """
    from gitcontext_pipeline.cli.progress import showing_progress
    from gitcontext_pipeline.cli.workspaces import workspace_of
    from gitcontext_pipeline.state import State
    from gitcontext_pipeline.steps.material import check_out
    from gitcontext_pipeline.steps.pull_requests import Asking, cache_pull_requests

    asking = Asking(limit, _date(since), without_token=True)
    known = workspace_of(name or State.locate().choose(None).name)
    with showing_progress() as listener:
        workspace = replace(known, progress=listener.progress, advance=listener.advance)
        check_out(workspace)
        facts = cache_pull_requests(workspace, asking).facts
    if as_json:
        typer.echo(json.dumps({key: value for key, value in facts.items() if key != "input"}, indent=2))
        return
    typer.echo(f"{workspace.spec.name}: {facts['named']} pull requests in the history")
    said = f"{facts['threads']} review threads, {facts['comments']} comments"
    typer.echo(f"  from GitHub: {facts['sources']['GitHub']} pull requests, {said}")
    left = "" if facts["limit_left"] is None else f", {facts['limit_left']} left this hour"
    typer.echo(f"  GitHub: {facts['github']} ({facts['calls']} calls{left})")
    if facts["until"]:
        typer.echo(f"  run this again after {facts['until']}: it goes on where it stopped")


def why(
    place: PlaceArgument,
    corpus: CorpusOption = None,
    as_json: JsonOption = False,
    no_pager: NoPagerOption = False,
) -> None:
    """Tell which change introduced some lines, and which one last really changed them.

    Lines are those of the indexed revision. Renames are followed, and reformatting is looked through.

    Example: gitcontext why src/requests/sessions.py:154-184
    """
    from gitcontext_pipeline.answer.enclosing import enclosing
    from gitcontext_pipeline.answer.source import read_source
    from gitcontext_pipeline.answer.why import why as follow

    chosen, lines = located(place, corpus)
    found = follow(chosen, lines)
    if as_json:
        typer.echo(json.dumps(found.as_json(), indent=2, ensure_ascii=False))
        return

    def draw(screen: Screen) -> None:
        from gitcontext_pipeline.cli.source_view import draw_why

        draw_why(screen, found, read_source(chosen, lines), enclosing(chosen, lines))

    present(lambda: _plain(found), draw, page=not no_pager)


def _plain(found: Why) -> str:
    from gitcontext_pipeline.answer.evidence import printable, title

    def told(heading: str, touch: Touch) -> list[str]:
        by = f" by {touch.author}" if touch.author else ""
        return [
            f"{heading} {touch.name}, {title(touch.title)}",
            f"    {touch.date[:10]}{printable(by)}  {found.url_of(touch)}",
        ]

    lines = [f"{printable(str(found.place))} at {found.revision}", f"    {found.url}"]
    introduced, changed = found.followed.introduced, found.followed.changed
    if introduced is None:
        lines.append("older than the history that was fetched")
    else:
        lines += told("introduced in", introduced)
    if changed is not None and changed != introduced:
        lines += told("last changed in", changed)
    if found.between:
        lines.append("and touched by")
    for touch in found.between:
        mark = " (reformatting)" if touch.reformatting else ""
        lines.append(f"    {touch.date[:10]}  {touch.name}, {title(touch.title)}{mark}")
    return "\n".join(lines) + "\n"


def _date(text: str | None) -> str | None:
    from datetime import UTC, datetime

    from gitcontext_pipeline.errors import UsageError

    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise UsageError(f"{text!r} is no date", fix="e.g. --since 2024-01-31") from error
    return moment.replace(tzinfo=moment.tzinfo or UTC).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
