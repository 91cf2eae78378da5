"""Code on a terminal: highlighted, with its real line numbers, wrapped at the width of the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.padding import Padding
from rich.syntax import Syntax
from rich.text import Text

from gitcontext_pipeline.cli.terminal import Screen

if TYPE_CHECKING:
    from pygments.lexer import Lexer

THEME = "ansi_dark"
"""Of the terminal's own colours, so that it can be read on any background."""
TAB = 4
LARGEST = 200_000
"""Characters that are highlighted; what is longer is shown as it is."""
_CHANGES = "\n@@ "


def write_code(
    screen: Screen,
    lines: Sequence[str],
    language: str,
    first: int | None,
    *,
    path: str = "",
    marked: range | None = None,
) -> None:
    """Printable `lines`, the first of which has the number `first` (None: none has any), those `marked` pointed at."""
    text = "\n".join(lines)
    syntax = Syntax(
        text,
        _lexer(language, path) if len(text) <= LARGEST else "text",
        theme=THEME,
        background_color="default",
        line_numbers=first is not None,
        start_line=first or 1,
        highlight_lines=set(marked or ()),
        tab_size=TAB,
        word_wrap=True,
    )
    try:
        screen.console.print(Padding(syntax, (0, 0, 0, 0 if first is not None else 4), expand=False))
    except Exception:  # a lexer is a program of its own, and meets text that nobody tried it on
        for line in lines:
            screen.console.print(Text(line))


def write_change(screen: Screen, lines: Sequence[str]) -> None:
    """The text of a change: what was written about it as it is, then its hunks as a diff."""
    prose, mark, hunks = ("\n" + "\n".join(lines)).partition(_CHANGES)
    for line in prose.split("\n")[1:]:
        screen.console.print(Padding(Text(line), (0, 0, 0, 4), expand=False))
    if mark:
        write_code(screen, (mark[1:] + hunks).split("\n"), "diff", None)


def _lexer(language: str, path: str) -> Lexer | str:
    """By the language; by the file's name where Pygments does not know the language by that name."""
    from pygments.lexers import get_lexer_by_name, get_lexer_for_filename
    from pygments.util import ClassNotFound

    try:
        # PHP's looks for an opening tag, which an excerpt rarely has.
        return get_lexer_by_name(language, stripnl=False, ensurenl=True, tabsize=TAB, startinline=True)
    except ClassNotFound:
        pass
    try:
        return get_lexer_for_filename(path, stripnl=False, ensurenl=True, tabsize=TAB)
    except ClassNotFound:
        return "text"
