"""`gitcontext eval confidence`: how often "no strong evidence" is said, and whether it should have been."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gitcontext_pipeline.cli.ask import JsonOption
from gitcontext_pipeline.cli.completion import corpus_names

if TYPE_CHECKING:
    from gitcontext_pipeline.evaluation.abstention import Learned, Sort

BLOCK = "confidence"
"""The marked block of the page that holds the table."""


def confidence(
    corpora: Annotated[
        list[str] | None,
        typer.Argument(help="Indexed corpora; by default, each that has a golden set.", autocompletion=corpus_names),
    ] = None,
    write: Annotated[Path | None, typer.Option(help="Renew the marked block of this page.")] = None,
    learn: Annotated[
        bool, typer.Option("--learn", help="Learn what the signs weigh, to be put into retrieval/confidence.py.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Put questions with and without an answer to each corpus, and count which are called "no strong evidence".

    With an answer: the golden set, and questions mined from the corpus itself. Without: the set that lies beside the
    golden set as unanswerable.jsonl, and the golden and mined questions of the other repositories.

    Example: gitcontext eval confidence requests gin hono
    """
    from gitcontext_pipeline.cli.progress import counting
    from gitcontext_pipeline.cli.quality_report import chosen_corpora
    from gitcontext_pipeline.evaluation import abstention
    from gitcontext_pipeline.retrieval import confidence as signs
    from gitcontext_pipeline.steps.confidence import judge_corpora
    from gitcontext_pipeline.steps.quality_table import newest

    chosen = [(workspace, newest(workspace)) for workspace in chosen_corpora(corpora)]
    with counting("asking") as advance:
        judged = judge_corpora(chosen, advance)
    rows: dict[str, Mapping[Sort, tuple[int, int]]] = {}
    for name in dict.fromkeys(one.corpus for one in judged):
        own = [one for one in judged if one.corpus == name]
        rows[name] = abstention.flagged(own, signs.weighed, signs.LINE)
    unseen = abstention.elsewhere(judged) if len(chosen) > 1 else {}
    learned = abstention.learn(judged) if learn else None
    if as_json:
        _print_json(rows, unseen, learned)
        return
    table = _table(rows, unseen)
    typer.echo(table)
    if learned is not None:
        typer.echo("\nlearned from all:")
        for name, weight in learned.weights.items():
            typer.echo(f"  {name:<10} {weight:>8}")
        typer.echo(f"  bias {learned.bias}, line {learned.line}")
    if write is not None:
        _write(write, table)


def _table(
    rows: Mapping[str, Mapping[Sort, tuple[int, int]]], unseen: Mapping[str, Mapping[Sort, tuple[int, int]]]
) -> str:
    from gitcontext_pipeline.evaluation.abstention import ABSENT, SORTS, together
    from gitcontext_pipeline.evaluation.quality_tables import markdown_table

    def cells(counts: Mapping[Sort, tuple[int, int]]) -> list[str]:
        return [_share(counts.get(sort)) for sort in SORTS] + [_share(together(counts, ABSENT))]

    lines = []
    for name, counts in rows.items():
        lines.append([name, "in force", *cells(counts)])
        if name in unseen:
            lines.append(["", "learned elsewhere", *cells(unseen[name])])
    return markdown_table(["corpus", "weights", *SORTS, "all without"], lines)


def _share(counts: tuple[int, int] | None) -> str:
    return f"{counts[0] / counts[1]:.2f} of {counts[1]}" if counts and counts[1] else "-"


def _write(path: Path, table: str) -> None:
    from gitcontext_pipeline.evaluation.quality_page import with_blocks
    from gitcontext_pipeline.storage import write_atomic

    page = path.read_text(encoding="utf-8") if path.is_file() else ""
    write_atomic(path, with_blocks(page, {BLOCK: f"\n{table}\n"}))
    typer.echo(f"wrote {path}", err=True)


def _print_json(
    rows: Mapping[str, Mapping[Sort, tuple[int, int]]],
    unseen: Mapping[str, Mapping[Sort, tuple[int, int]]],
    learned: Learned | None,
) -> None:
    import json
    from dataclasses import asdict

    told = {"in_force": rows, "learned_elsewhere": unseen, "learned": None if learned is None else asdict(learned)}
    typer.echo(json.dumps(told, indent=2))
