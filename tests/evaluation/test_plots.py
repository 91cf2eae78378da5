from __future__ import annotations

from xml.etree import ElementTree

import pytest

from gitcontext_pipeline.evaluation.plots import PlotFormat, Point, rank_distribution, trend
from tests.evaluation.builders import report_of

POINTS = [
    Point(label="a1b2c3d4", metrics={"hit@1": 0.5, "hit@5": 0.75, "mrr": 0.6}),
    Point(label="$broken\n", metrics={}),
    Point(label="e5f6", metrics={"hit@1": 0.6, "hit@5": 0.8, "mrr": 0.7}),
]


@pytest.mark.parametrize("fmt", ["png", "svg"])
def test_plots_are_images_and_the_same_every_time(fmt: PlotFormat) -> None:
    report = report_of([1, 1, 3, None, 2], failures={4: "raised"})
    for draw in (lambda: rank_distribution(report.cases, 10, fmt), lambda: trend(POINTS, fmt)):
        image = draw()
        assert image == draw()
        if fmt == "png":
            assert image.startswith(b"\x89PNG")
        else:
            assert ElementTree.fromstring(image).tag.endswith("svg")


def test_an_svg_holds_its_labels_as_text() -> None:
    text = rank_distribution(report_of([1, None]).cases, 3, "svg").decode()
    assert "rank of the first answer" in text
    assert "2 cases" in text


@pytest.mark.parametrize("points", [[], POINTS[1:2]])
def test_nothing_measured_is_drawn_as_nothing(points: list[Point]) -> None:
    assert trend(points).startswith(b"\x89PNG")
