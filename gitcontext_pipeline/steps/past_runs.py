"""The measurements of a corpus that were made before, as the points of a plot."""

from __future__ import annotations

import json
from pathlib import Path

from gitcontext_pipeline.evaluation.plots import Point

RUNS = 30
"""The newest that are drawn."""


def past_runs(log: Path, dataset: str) -> list[Point]:
    """The last RUNS lines of `log` with the golden set `dataset`, oldest first; another set has another scale."""
    points = []
    for line in log.read_text(encoding="utf-8").splitlines() if log.is_file() else ():
        try:
            run = json.loads(line)
            if run["fingerprints"]["dataset"] == dataset:
                points.append(Point(label=run["started"][5:16].replace("T", " "), metrics=run["metrics"]))
        except (ValueError, KeyError, TypeError):  # a line cut off by a kill
            continue
    return points[-RUNS:]
