"""The line chart of past measurements."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

from gitcontext_pipeline.evaluation.plots import Point
from gitcontext_pipeline.steps.past_runs import RUNS, past_runs
from gitcontext_pipeline.web.chart import HEIGHT, LABEL_GAP, WIDTH, chart_of


def points(*values: float | None) -> list[Point]:
    return [Point(label=str(at), metrics={} if each is None else {"mrr": each}) for at, each in enumerate(values)]


def test_better_is_higher_and_later_is_further_right() -> None:
    (line,) = chart_of(points(0.2, 0.8)).lines
    assert line.dots[0].x < line.dots[1].x
    assert line.dots[0].y > line.dots[1].y
    assert (line.name, line.last) == ("MRR", "0.800")


def test_a_run_without_a_number_leaves_a_gap() -> None:
    (line,) = chart_of(points(0.2, 0.3, None, 0.5, 0.6)).lines
    assert len(line.pieces) == 2
    assert len(line.dots) == 4


def test_one_run_is_a_dot_and_none_is_no_line() -> None:
    (line,) = chart_of(points(0.5)).lines
    assert (len(line.dots), line.pieces) == (1, [])
    assert chart_of([]).lines == []


def test_everything_stays_inside_and_names_stay_apart() -> None:
    same = {"hit@1": 1.0, "hit@5": 1.0, "mrr": 7.0}
    chart = chart_of([Point(label=str(at), metrics=same) for at in range(30)])
    assert all(0 <= dot.x <= WIDTH and 0 <= dot.y <= HEIGHT for line in chart.lines for dot in line.dots)
    heights = sorted(line.label_y for line in chart.lines)
    assert min(after - before for before, after in itertools.pairwise(heights)) >= LABEL_GAP
    assert len(chart.dates) <= 6


def test_the_newest_runs_with_this_golden_set_are_drawn(tmp_path: Path) -> None:
    def line(dataset: str, day: int) -> str:
        started = f"2026-01-{day:02}T10:20:30+00:00"
        return json.dumps({"fingerprints": {"dataset": dataset}, "metrics": {"mrr": day / 100}, "started": started})

    log = tmp_path / "quality.jsonl"
    log.write_text("\n".join([line("old", 1), *(line("new", day % 28 + 1) for day in range(RUNS + 2)), '{"cut']))
    found = past_runs(log, "new")
    assert len(found) == RUNS
    assert found[0].label == "01-03 10:20"
    assert past_runs(tmp_path / "none.jsonl", "new") == []
