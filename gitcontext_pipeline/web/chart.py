"""Metrics over past runs as the geometry of a line chart; a template draws it, and the stylesheet colours it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gitcontext_pipeline.evaluation.measures import BY_KEY
from gitcontext_pipeline.evaluation.plots import SHOWN_METRICS, Point

WIDTH, HEIGHT = 720, 264
LEFT, RIGHT, TOP, BOTTOM = 40, 104, 12, 40
LABEL_GAP = 17
LABELS = 6
"""Dates under the axis at most; more would run into each other."""


@dataclass(frozen=True, slots=True)
class Dot:
    """One measurement, in the units of the view box."""

    x: float
    y: float
    told: str


@dataclass(frozen=True, slots=True)
class Line:
    """One metric. `pieces` are the runs of dots without a gap, `label_y` is where its name stands at the right."""

    name: str
    last: str
    dots: Sequence[Dot]
    pieces: Sequence[str]
    label_y: float


@dataclass(frozen=True, slots=True)
class Chart:
    """`ticks` are heights with their values, `dates` places along the bottom with theirs."""

    width: int
    height: int
    left: int
    right: int
    lines: Sequence[Line]
    ticks: Sequence[tuple[float, str]]
    dates: Sequence[tuple[float, str]]


def chart_of(points: Sequence[Point], metrics: Sequence[str] = SHOWN_METRICS) -> Chart:
    """The chart of those metrics, oldest run first; a run without a number leaves a gap."""
    places = [_x(number, len(points)) for number in range(len(points))]
    drawn = [_line(key, points, places) for key in metrics if any(key in point.metrics for point in points)]
    step = max(1, -(-len(points) // LABELS))
    return Chart(
        width=WIDTH,
        height=HEIGHT,
        left=LEFT,
        right=WIDTH - RIGHT,
        lines=_apart(drawn),
        ticks=[(_y(tick / 4), f"{tick / 4:.2f}") for tick in range(5)],
        dates=[(places[at], points[at].label) for at in range(len(points) - 1, -1, -step)],
    )


def _line(key: str, points: Sequence[Point], places: Sequence[float]) -> Line:
    name = BY_KEY[key].name if key in BY_KEY else key
    dots: list[Dot] = []
    pieces: list[list[str]] = [[]]
    for point, x in zip(points, places, strict=True):
        value = point.metrics.get(key)
        if value is None:
            pieces.append([])
            continue
        dots.append(Dot(x, _y(value), f"{name} {value:.3f}, {point.label}"))
        pieces[-1].append(f"{x:.1f},{_y(value):.1f}")
    last = next(point.metrics[key] for point in reversed(points) if key in point.metrics)
    return Line(name, f"{last:.3f}", dots, [" ".join(piece) for piece in pieces if len(piece) > 1], dots[-1].y)


def _apart(lines: Sequence[Line]) -> list[Line]:
    """The lines with their labels far enough from each other to be read."""
    placed: dict[str, float] = {}
    free = float(TOP)
    for line in sorted(lines, key=lambda line: line.label_y):
        placed[line.name] = max(line.label_y, free)
        free = placed[line.name] + LABEL_GAP
    return [Line(line.name, line.last, line.dots, line.pieces, placed[line.name]) for line in lines]


def _x(number: int, count: int) -> float:
    inner = WIDTH - LEFT - RIGHT - 24
    return LEFT + 12 + (inner * number / (count - 1) if count > 1 else inner / 2)


def _y(value: float) -> float:
    return TOP + (HEIGHT - TOP - BOTTOM) * (1 - min(1.0, max(0.0, value)))
