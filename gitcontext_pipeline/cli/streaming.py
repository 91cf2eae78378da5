"""What a model is writing, shown as it comes and marked as unverified, until the verified answer takes its place."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console

MARK = "unverified"


@contextmanager
def showing_unverified(console: Console | None = None) -> Iterator[Callable[[Sequence[str]], None]]:
    """A listener for the sentences so far. On a terminal they are dim and vanish at the end; elsewhere each sentence is
    a line of standard error, once the next one begins."""
    console = console or Console(stderr=True)
    if not console.is_terminal:
        printed: list[str] = []

        def heard_elsewhere(sentences: Sequence[str]) -> None:
            if len(sentences) <= len(printed):  # a second attempt starts over
                printed[:] = printed[: max(0, len(sentences) - 1)]
            for sentence in sentences[len(printed) : -1]:
                _print(console, sentence)
                printed.append(sentence)
            last[:] = sentences[-1:]

        last: list[str] = []
        yield heard_elsewhere
        for sentence in last:
            _print(console, sentence)
        return
    from rich.live import Live
    from rich.text import Text

    with Live(console=console, transient=True, refresh_per_second=8, vertical_overflow="visible") as live:

        def heard(sentences: Sequence[str]) -> None:
            text = Text(f"{MARK}: ", style="bold yellow")
            text.append(" ".join(sentences), style="dim")
            live.update(text)

        live.update(Text(f"{MARK}: (the model is reading)", style="dim"))
        yield heard


def _print(console: Console, sentence: str) -> None:
    console.print(f"  {MARK}: {sentence}", markup=False, highlight=False, soft_wrap=True)
