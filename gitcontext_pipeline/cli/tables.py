"""Tables that fit 80 columns, on a terminal and in a pipe: short labels, one line a cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from gitcontext_pipeline.evaluation.compare import Comparison, Contender
    from gitcontext_pipeline.evaluation.report import Measured, Report
    from gitcontext_pipeline.evaluation.verdict import CaseChange, Verdict

WIDTH = 80
NAME_SHOWN = 26
SLICE_SHOWN = 20
QUERY_SHOWN = 48
SHORT = {"hit@1": "Hit@1", "hit@3": "Hit@3", "hit@5": "Hit@5", "hit@10": "Hit@10", "recall@5": "Rec@5", "mrr": "MRR"}
SHOWN_CHANGES = 15

MARKS = {"regression": "FELL", "improvement": "rose", "pass": "ok"}


def plain_table(*columns: str, title: str | None = None, left: Sequence[int] = (0,)) -> Table:
    """A table whose columns are right-aligned but for those in `left`; no cell is ever wrapped."""
    table = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left", title_style="bold", pad_edge=False)
    for place, name in enumerate(columns):
        table.add_column(name, justify="left" if place in left else "right", no_wrap=True, overflow="ellipsis")
    return table


def show(table: Table) -> None:
    """Print it, in a pipe as on a terminal of WIDTH columns."""
    console = Console(highlight=False)
    console = console if console.width > WIDTH else Console(highlight=False, width=WIDTH)
    console.print(table)


def report_table(report: Report) -> Table:
    """The metrics over all cases with the bounds of their 95% intervals, and over the slices of each label."""
    from gitcontext_pipeline.evaluation.policy import distinct_slices

    keys = [key for key in SHORT if key in report.metrics]
    title = f"Retrieval quality over {len(report.cases)} questions"
    table = plain_table("slice", "cases", *(SHORT[key] for key in keys), title=title)
    table.add_row("all", str(len(report.cases)), *_values(report.metrics, keys), style="bold")
    for bound in ("low", "high"):
        bounds = [f"{getattr(report.metrics[key], bound):.3f}" for key in keys]
        table.add_row(f"95% {bound}", "", *bounds, style="dim", end_section=bound == "high")
    parts = {(part.label, part.value): part for part in report.slices}
    for key, ids in distinct_slices(report.cases):
        table.add_row(name_cell(" ".join(key), SLICE_SHOWN), str(len(ids)), *_values(parts[key].metrics, keys))
    return table


def verdict_table(verdict: Verdict) -> Table:
    """The gated numbers: baseline, now, the difference in percentage points."""
    title = f"Gate, tolerance {verdict.tolerance_pp:g} points"
    table = plain_table("number", "cases", "baseline", "now", "points", "", title=title, left=(0, 5))
    for delta in verdict.gated:
        style = "bold red" if delta.outcome == "regression" else None
        table.add_row(
            name_cell(delta.name),
            str(delta.cases),
            f"{delta.baseline:.3f}",
            f"{delta.current:.3f}",
            f"{delta.delta_pp:+.2f}",
            MARKS[delta.outcome],
            style=style,
        )
    return table


def changes_table(title: str, changes: Sequence[CaseChange]) -> Table:
    """Cases with their ranks before and after."""
    table = plain_table("case", "was", "is", "question", title=title, left=(0, 3))
    for change in changes[:SHOWN_CHANGES]:
        table.add_row(
            name_cell(change.id, 16), _rank(change.before), _rank(change.after), name_cell(change.query, QUERY_SHOWN)
        )
    if len(changes) > SHOWN_CHANGES:
        table.add_row(f"… {len(changes) - SHOWN_CHANGES} more", "", "", "")
    return table


def comparison_table(found: Comparison) -> Table:
    """Three lines a contender: values, their 95% intervals, and the points by which it differs from the first."""
    keys = [key for key in ("hit@1", "hit@5", "mrr", "recall@5") if key in found.contenders[0].metrics]
    title = f"{found.cases} questions, held against {found.contenders[0].name}"
    table = plain_table("retriever", *(SHORT[key] for key in keys), "p50 ms", title=title)
    for one in found.contenders:
        speed = "" if one.latency is None else f"{one.latency.p50_ms:.1f}"
        table.add_row(name_cell(one.name, 22), *_values(one.metrics, keys), speed, style="bold")
        intervals = [f"{one.metrics[key].low:.2f}..{one.metrics[key].high:.2f}" for key in keys]
        table.add_row("  95% interval", *intervals, "", style="dim", end_section=one.differences is None)
        if one.differences is not None:
            moved = [f"{one.differences[key].pp:+.1f}" for key in keys]
            bounds = [f"{one.differences[key].low_pp:+.0f}..{one.differences[key].high_pp:+.0f}" for key in keys]
            table.add_row("  points", *moved, "")
            table.add_row("  95% interval", *bounds, "", style="dim")
            table.add_row(Text(_told(one, found.changes_at)), *("" for _ in keys), "", end_section=True)
    return table


def name_cell(name: str, width: int = NAME_SHOWN) -> Text:
    """Foreign text on one line, cut at `width`, without markup or control characters."""
    line = " ".join("".join(c if c.isprintable() else " " for c in name).split())
    return Text(line if len(line) <= width else line[: width - 1] + "…")


def _told(one: Contender, top: int) -> str:
    return f"  @{top} +{len(one.gained)} -{len(one.lost)} p={one.mcnemar_p:.3f}"


def _values(metrics: Mapping[str, Measured], keys: Sequence[str]) -> list[str]:
    return [f"{metrics[key].value:.3f}" if key in metrics else "" for key in keys]


def _rank(rank: int | None) -> str:
    return "miss" if rank is None else f"#{rank}"
