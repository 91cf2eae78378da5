"""An answer, and a list of results, on a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.panel import Panel
from rich.text import Text

from gitcontext_pipeline.answer.evidence import printable, printable_lines, provenance, title
from gitcontext_pipeline.cli.code_view import write_change, write_code
from gitcontext_pipeline.cli.terminal import ASIDE, HEADING, NAME, PLACE, WARNING, Screen, with_names

if TYPE_CHECKING:
    from gitcontext_pipeline.answer.evidence import Answer
    from gitcontext_pipeline.answer.explanation import Explanation
    from gitcontext_pipeline.retrieval.result import Result


def draw_answer(screen: Screen, answer: Answer) -> None:
    """What `Answer.as_markdown` says, with highlighted excerpts; weak evidence is announced in a frame."""
    screen.write(printable(" ".join(answer.question.split())), HEADING)
    screen.write(f"{answer.corpus} at {answer.revision}", ASIDE)
    screen.write()
    if answer.strong:
        screen.write(with_names(answer.summary))
    else:
        screen.console.print(Panel(with_names(answer.summary), style=WARNING, expand=False))
    screen.write()
    if answer.note:
        screen.write(printable(answer.note), WARNING)
        screen.write()
    if answer.explanation is not None:
        _draw_explanation(screen, answer.explanation)
    for number, result in enumerate(answer.evidence, 1):
        _draw_heading(screen, number, result, "" if answer.strong else "nearest, not strong: ")
        for line in provenance(result, answer.lineage.get(result.id)):
            screen.write_line(line, ASIDE, indent="    ")
        screen.write()
        _draw_excerpt(screen, result, answer.excerpt_lines)
        screen.write()


def draw_results(screen: Screen, results: Sequence[Result]) -> None:
    """A list without excerpts."""
    for number, result in enumerate(results, 1):
        screen.write(Text.assemble((f"{number:>3}  {result.score:.3f}  ", ASIDE), *_named(result)))
        screen.write_line(result.url, indent=" " * 12)


def _draw_heading(screen: Screen, number: int, result: Result, mark: str) -> None:
    screen.write(Text.assemble((f"[{number}] ", HEADING), (mark, WARNING), *_named(result)))
    screen.write_line(result.url, indent="    ")


def _named(result: Result) -> tuple[tuple[str, str], ...]:
    return (title(result.name), NAME), ("  ", ""), (printable(result.place), PLACE)


def _draw_excerpt(screen: Screen, result: Result, most: int) -> None:
    lines = printable_lines(result.text)
    left_out = 0
    if len(lines) > most:
        left_out = len(lines) - most + 1
        lines = lines[: most - 1]
    if result.commit is not None:
        write_change(screen, lines)
    else:
        write_code(screen, lines, result.language, result.start_line, path=result.path)
    if left_out:
        screen.write(f"    … {left_out} more lines", ASIDE)


def _draw_explanation(screen: Screen, explanation: Explanation) -> None:
    for line in explanation.as_markdown().splitlines():
        shown = printable(line)
        aside = shown.startswith("_") and shown.endswith("_")
        screen.write_line(shown[1:-1] if aside else shown, ASIDE if aside else "")
    screen.write()
