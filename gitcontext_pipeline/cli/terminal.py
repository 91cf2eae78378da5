"""Standard output when it is a terminal: its width, its colours, its links, and when to hand over to a pager."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from gitcontext_pipeline.cli import pager

NoPagerOption = Annotated[
    bool, typer.Option("--no-pager", help="Do not page what is longer than the screen; nor does PAGER=cat.")
]

NARROWEST = 20
"""Columns below which nothing is laid out any more; a terminal may claim to have none."""
HEADING, NAME, PLACE, LINK, WARNING, ASIDE = "bold", "bold cyan", "magenta", "underline blue", "bold yellow", "dim"

_LINKING_PROGRAMS = frozenset(
    {"iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "rio", "zed", "Tabby", "WarpTerminal"}
)
_LINKING_TERMS = ("xterm-kitty", "xterm-ghostty", "alacritty", "foot", "wezterm", "contour")
_URL = re.compile(r"https?://[^\s<>\"`]+")
_CODE_SPAN = re.compile(r"(``?)(.+?)\1(?!`)")
_TRAILING = re.compile(r" +\n")
"""What rich fills lines with up to the width of the terminal; whoever copies code does not want it."""
_ESCAPES = re.compile(r"\x1b\[[0-9;]*m|\x1b\]8;[^\x1b]*\x1b\\")


@dataclass(frozen=True, slots=True)
class Screen:
    """Where something is drawn; what is written must be printable. `links` says whether links can be clicked."""

    console: Console
    links: bool

    def write(self, text: Text | str = "", style: str = "") -> None:
        """A paragraph, wrapped at words."""
        self.console.print(Text(text, style=style) if isinstance(text, str) else text)

    def write_line(self, line: str, style: str = "", *, indent: str = "") -> None:
        """A line with addresses in it. It is left to the terminal to break it, so that an address can be copied."""
        text = Text(indent)
        text.append_text(self._linked(line, style))
        self.console.print(text, soft_wrap=True)

    def _linked(self, line: str, style: str) -> Text:
        text = Text(line, style=style)
        for found in _URL.finditer(line):
            text.stylize(f"{LINK} link {found[0]}" if self.links else LINK, *found.span())
        return text


def with_names(line: str, style: str = "") -> Text:
    """A line of Markdown whose code spans are coloured instead of quoted."""
    text, at = Text(style=style), 0
    for span in _CODE_SPAN.finditer(line):
        text.append(line[at : span.start()]).append(span[2], NAME)
        at = span.end()
    return text.append(line[at:])


def present(plain: Callable[[], str], draw: Callable[[Screen], None], *, page: bool = True) -> None:
    """Draw on the terminal that standard output is; where it is none, print `plain`, without any escape code.

    What is longer than the screen goes through `$PAGER` if `page` says so.
    """
    console = _terminal()
    if console is None:
        typer.echo(plain(), nl=False)
        return
    links = links_work(os.environ)
    drawn = _drawn(console, draw, links)
    command = pager.command(os.environ) if page and sys.stdout.isatty() and not _fits(drawn, console) else None
    if command is None:
        sys.stdout.write(drawn)
        sys.stdout.flush()
    else:
        pager.page(_drawn(console, draw, links and pager.shows_links(command)), command)


def links_work(environ: Mapping[str, str]) -> bool:
    """Whether the terminal is one that is known to understand hyperlinks (OSC 8); others may print rubbish.

    `FORCE_HYPERLINK` decides where it is set. https://gist.github.com/egmontkob/eb114294efbcd5adb1944c9f3cb5feda
    """
    forced = environ.get("FORCE_HYPERLINK")
    if forced is not None:
        return forced not in {"", "0", "false"}
    vte = environ.get("VTE_VERSION", "")
    return (
        environ.get("TERM_PROGRAM") in _LINKING_PROGRAMS
        or environ.get("TERM", "").startswith(_LINKING_TERMS)
        or (vte.isdigit() and int(vte) >= 5000)
        or bool({"WT_SESSION", "KONSOLE_VERSION", "DOMTERM"} & environ.keys())
    )


def _terminal() -> Console | None:
    """The console to draw on; None for a pipe, a file and a terminal that knows no escape codes."""
    off = os.environ.get("FORCE_COLOR", "").lower() in {"0", "false"}
    console = Console(highlight=False, force_terminal=sys.stdout.isatty() if off else None)
    if not console.is_terminal or console.is_dumb_terminal:
        return None
    console.width = max(NARROWEST, console.width)
    return console


def _drawn(console: Console, draw: Callable[[Screen], None], links: bool) -> str:
    with console.capture() as captured:
        draw(Screen(console, links))
    return _TRAILING.sub("\n", captured.get())


def _fits(drawn: str, console: Console) -> bool:
    """Whether the screen has room for it and the next prompt."""
    from rich.cells import cell_len

    rows = sum(max(1, -(-cell_len(line) // console.width)) for line in _ESCAPES.sub("", drawn).splitlines())
    return rows < console.height
