"""What a model is writing, shown as it comes and marked as unverified, until the verified answer takes its place."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console

from gitcontext_pipeline.answer.evidence import printable

MARK = "unverified"

Heard = Callable[[Sequence[str]], None]


@contextmanager
def showing_unverified(console: Console | None = None) -> Iterator[Heard]:
    """A listener for the sentences so far, on standard error.

    On a terminal they are dim and vanish at the end; elsewhere each is a line, written when the next one begins.
    """
    console = console or Console(stderr=True)
    if console.is_terminal:
        with _vanishing(console) as heard:
            yield heard
    else:
        lines = _Lines(console)
        yield lines.heard
        lines.end()


@contextmanager
def _vanishing(console: Console) -> Iterator[Heard]:
    from rich.live import Live
    from rich.text import Text

    with Live(console=console, transient=True, refresh_per_second=8, vertical_overflow="visible") as live:

        def heard(sentences: Sequence[str]) -> None:
            text = Text(f"{MARK}: ", style="bold yellow")
            text.append(printable(" ".join(sentences)), style="dim")
            live.update(text)

        live.update(Text(f"{MARK}: (the model is reading)", style="dim"))
        yield heard


class _Lines:
    """Sentences as lines. A second attempt begins anew, which shows in there being fewer sentences than before."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._sentences: list[str] = []

    def heard(self, sentences: Sequence[str]) -> None:
        if len(sentences) != len(self._sentences) and self._sentences:
            self._print(self._sentences[-1])
        self._sentences = list(sentences)

    def end(self) -> None:
        if self._sentences:
            self._print(self._sentences[-1])

    def _print(self, sentence: str) -> None:
        self._console.print(f"  {MARK}: {printable(sentence)}", markup=False, highlight=False, soft_wrap=True)
