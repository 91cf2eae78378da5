"""Plots of an evaluation, as the bytes of a PNG or SVG: the same bytes for the same numbers, on no screen."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from gitcontext_pipeline.evaluation.measures import BY_KEY
from gitcontext_pipeline.evaluation.report import CaseRanks, Model

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PlotFormat = Literal["png", "svg"]
SIZE = (8.0, 4.0)
"""Inches; a PNG has 100 dots to each."""
SHOWN_METRICS = ("hit@1", "hit@5", "mrr")
LABEL_SHOWN = 14


class Point(Model):
    """One run in a row of runs: what to write under it, and its metrics (empty for a run that could not be
    measured)."""

    label: str
    metrics: dict[str, float]


def rank_distribution(cases: Sequence[CaseRanks], top: int, fmt: PlotFormat = "png") -> bytes:
    """How many cases had their first answer at each rank, and how many missed or failed."""
    found = Counter(case.rank for case in cases if case.failure is None)
    bars = [(str(rank), found[rank]) for rank in range(1, top + 1)]
    bars += [("miss", found[None]), ("failed", sum(case.failure is not None for case in cases))]
    figure = _figure()
    axes = figure.subplots()
    colours = ["#3b6ea5"] * top + ["#b0b0b0", "#a53b3b"]
    drawn = axes.bar([name for name, _ in bars], [count for _, count in bars], color=colours)
    axes.bar_label(drawn, [str(count) if count else "" for _, count in bars])
    axes.set_xlabel("rank of the first answer")
    axes.set_ylabel("cases")
    axes.set_title(f"{len(cases)} cases")
    return _drawn(figure, fmt)


def trend(points: Sequence[Point], fmt: PlotFormat = "png", metrics: Sequence[str] = SHOWN_METRICS) -> bytes:
    """Metrics over a row of runs, oldest first; a run without a number leaves a gap, not a line across it."""
    figure = _figure()
    axes = figure.subplots()
    places = range(len(points))
    for key in metrics:
        values = [point.metrics.get(key, float("nan")) for point in points]
        axes.plot(places, values, marker="o", label=BY_KEY[key].name if key in BY_KEY else _plain(key))
    axes.set_ylim(0, 1.02)
    axes.set_xticks(list(places), [_plain(point.label)[:LABEL_SHOWN] for point in points], rotation=45, ha="right")
    axes.grid(axis="y", alpha=0.3)
    figure.legend(loc="outside right upper")
    return _drawn(figure, fmt)


def _figure() -> Figure:
    """A figure that belongs to no window system and no global state."""
    from matplotlib.figure import Figure

    return Figure(figsize=SIZE, dpi=100, layout="constrained")


def _drawn(figure: Figure, fmt: PlotFormat) -> bytes:
    """Without the date and the version that matplotlib writes, and with a fixed salt for an SVG's ids."""
    import matplotlib

    target = io.BytesIO()
    metadata = {"Software": None} if fmt == "png" else {"Date": None, "Creator": None}
    with matplotlib.rc_context({"svg.hashsalt": "gitcontext", "svg.fonttype": "none", "text.parse_math": False}):
        figure.savefig(target, format=fmt, metadata=metadata)
    return target.getvalue()


def _plain(text: str) -> str:
    return "".join(character if character.isprintable() else " " for character in text)
