"""What the UI shows of a measurement and its comparison, and which checks there are."""

from __future__ import annotations

import base64
from pathlib import Path

import dagster as dg
import pytest

from gitcontext_pipeline.evaluation.baseline import freeze
from gitcontext_pipeline.evaluation.metrics import measure
from gitcontext_pipeline.evaluation.report import read_report
from gitcontext_pipeline.state import State
from gitcontext_pipeline.steps.quality import REPORT
from tests.components.test_graph import Project, checks, made
from tests.sample import RETRY, write_questions

LARGEST_PLOT = 100_000


@pytest.fixture
def project(tmp_path: Path, state: State) -> Project:
    return Project(tmp_path, state)


def more_questions(project: Project, count: int) -> None:
    """Questions about code that a search cannot answer, so that something is worst."""
    write_questions(
        project.golden,
        [
            {
                "id": f"x{i}",
                "query": f"What became of thing number {i}?",
                "kind": "code",
                "scope": "code",
                "gold": [{"path": "retry.py", "symbol": "is_retryable"}, {"path": "logo.bin"}],
            }
            for i in range(count)
        ],
    )


def image(markdown: str) -> bytes:
    """The image of a Markdown value, which must be inline: the UI loads none from elsewhere."""
    head, data = markdown.removesuffix(")").split(";base64,")
    assert head.endswith("](data:image/png")
    return base64.b64decode(data, validate=True)


def better_baseline(project: Project) -> None:
    """Freeze a run in which the last questions were answered at once."""
    report = read_report(project.snapshot / REPORT)
    cases = [case.model_copy(update={"ranks": [1]}) if case.id.startswith("x") else case for case in report.cases]
    metrics, slices = measure(cases, report.settings.top)
    better = report.model_copy(update={"cases": cases, "metrics": metrics, "slices": slices})
    freeze(better, project.golden.parent / "baselines", by="a test", note="as it was")


def test_plots_worst_cases_and_what_was_lost_are_shown(project: Project) -> None:
    more_questions(project, 20)
    shown = made(project.run())["retrieval_report"]
    for name in ("ranks", "past_runs"):
        assert image(shown[name]).startswith(b"\x89PNG")
        assert len(shown[name]) < LARGEST_PLOT
    assert "| hit@5 |" in shown["metrics"]
    blob = f"https://github.com/acme/client/blob/{project.repository.head}"
    assert f"[retry.py#is_retryable]({blob}/retry.py#L9-L10)" in shown["worst_cases"]
    assert shown["slices"].count("| code |") == 1
    published = made(project.run())["published_index"]
    assert f"/tree/{project.repository.head})" in published["link"]
    assert published["hit_at_5"] == shown["hit_at_5"]

    better_baseline(project)
    result = project.run()
    assert not result.success
    compared = made(result)["baseline_comparison"]
    assert compared["outcome"] == "regression"
    assert "| Hit@5 of kind code |" in compared["deltas"]
    assert "| lost | x0 | 1 |" in compared["gained_and_lost"]
    assert not checks(result)["hit_at_5_kind_code"].passed
    assert (checks(result)["regression_gate"].description or "").startswith("regression: ")


def test_each_gated_number_has_one_check_and_another_revision_only_warns(project: Project) -> None:
    """A corpus may have to fall back to another origin, with another revision, on somebody else's machine."""
    more_questions(project, 20)
    project.run()
    project.freeze()
    names = set(checks(project.run()))
    assert {"hit_at_1", "hit_at_3", "hit_at_5", "mrr", "hit_at_5_kind_code"} <= names
    assert not [name for name in names if "scope" in name]

    project.repository.commit("Wait at most half a minute", {"retry.py": RETRY.replace("60.0", "30.0")})
    result = project.run()
    assert result.success
    gate = checks(result)["regression_gate"]
    assert gate.passed
    assert gate.severity == dg.AssetCheckSeverity.WARN
