"""Lines of a file, and the changes behind them, on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from gitcontext_pipeline.answer.evidence import EXCERPT_LINES, printable, printable_lines, title
from gitcontext_pipeline.cli.code_view import write_code
from gitcontext_pipeline.cli.terminal import ASIDE, HEADING, NAME, PLACE, Screen

if TYPE_CHECKING:
    from gitcontext_pipeline.answer.enclosing import Enclosing
    from gitcontext_pipeline.answer.source import Source
    from gitcontext_pipeline.answer.why import Why
    from gitcontext_pipeline.corpus.follow import Touch


def heading(asked: Source, around: Enclosing, quote: str = "") -> tuple[str, str]:
    """The symbol, empty where there is none, and the place of the lines, both printable."""
    lines = f"#L{asked.start_line}" + (f"-L{asked.end_line}" if asked.end_line > asked.start_line else "")
    kind = f"{around.symbol_kind} " if around.symbol_kind else ""
    symbol = f"{kind}{quote}{title(around.symbol)}{quote}" if around.symbol else ""
    return symbol, printable(asked.path) + lines


def draw_source(screen: Screen, asked: Source, shown: Source, around: Enclosing) -> None:
    """The lines of `shown`, in which those of `asked` are marked where there are others."""
    name, place = heading(asked, around)
    screen.write(Text.assemble((name, NAME), "  " if name else "", (place, PLACE)))
    screen.write(f"at {asked.revision}, {asked.lines} lines", ASIDE)
    screen.write_line(asked.url)
    screen.write()
    marked = range(asked.start_line, asked.end_line + 1) if len(asked.text) < len(shown.text) else None
    write_code(screen, printable_lines(shown.text), around.language, shown.start_line, path=asked.path, marked=marked)


def draw_why(screen: Screen, found: Why, shown: Source, around: Enclosing) -> None:
    """The lines and the changes that touched them."""
    name, place = heading(shown, around)
    screen.write(Text.assemble((name, NAME), "  " if name else "", (place, PLACE)))
    screen.write(f"at {found.revision}", ASIDE)
    screen.write_line(found.url)
    screen.write()
    lines = printable_lines(shown.text)
    write_code(screen, lines[:EXCERPT_LINES], around.language, shown.start_line, path=shown.path)
    if len(lines) > EXCERPT_LINES:
        screen.write(f"    … {len(lines) - EXCERPT_LINES} more lines", ASIDE)
    screen.write()
    introduced, changed = found.followed.introduced, found.followed.changed
    if introduced is None:
        screen.write("older than the history that was fetched")
    else:
        _draw_touch(screen, "introduced in ", introduced, found)
    if changed is not None and changed != introduced:
        _draw_touch(screen, "last changed in ", changed, found)
    if found.between:
        screen.write("and touched by", HEADING)
    for touch in found.between:
        mark = ("  (reformatting)", ASIDE) if touch.reformatting else ""
        dated = (f"    {touch.date[:10]}  ", ASIDE)
        screen.write(Text.assemble(dated, (touch.name, NAME), "  ", title(touch.title), mark))


def _draw_touch(screen: Screen, what: str, touch: Touch, found: Why) -> None:
    by = f" by {printable(touch.author)}" if touch.author else ""
    screen.write(Text.assemble((what, HEADING), (touch.name, NAME), "  ", title(touch.title)))
    screen.write_line(f"{touch.date[:10]}{by}  {found.url_of(touch)}", ASIDE, indent="    ")
