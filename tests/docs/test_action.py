"""The GitHub Action: its scripts are run as a runner runs them, with a `gh` that only notes how it was called."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from gitcontext_pipeline import __version__
from gitcontext_pipeline.evaluation.baseline import freeze
from gitcontext_pipeline.evaluation.cases import read_cases
from gitcontext_pipeline.evaluation.run import evaluate
from gitcontext_pipeline.evaluation.verdict_formats import MARKER
from tests.evaluation.builders import write_lines

ROOT = Path(__file__).resolve().parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
EXAMPLE = yaml.safe_load((ROOT / "examples" / "retrieval-gate.yml").read_text(encoding="utf-8"))
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"]}
GOOD = "def retrieve(query, top, scope):\n    return [{'path': query.split()[-1]}]\n"
BAD = "def retrieve(query, top, scope):\n    return [{'path': 'other.py'}]\n"
FAKE_GH = """#!/usr/bin/env python3
import json, os, sys
with open(os.environ["GH_CALLS"], "a") as calls:
    calls.write(json.dumps(sys.argv[1:]) + "\\n")
if os.environ.get("GH_FAILS"):
    sys.exit(1)
if "--paginate" in sys.argv:
    print(os.environ.get("GH_FOUND", ""))
"""

FAKE_PYTHON = """#!/usr/bin/env python3
import json, os, sys
with open(os.environ["PYTHON_CALLS"], "a") as calls:
    calls.write(json.dumps(sys.argv[3:]) + "\\n")
sys.exit(int(os.environ.get("EXITS_" + sys.argv[4].upper(), "0")))
"""


class Runner:
    """What GitHub's runner does for a step: environment from expressions, files for outputs and the summary."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.project = directory / "project"
        self.project.mkdir()
        (directory / "bin").mkdir()
        for name, text in (("gh", FAKE_GH), ("fake-python", FAKE_PYTHON)):
            path = directory / "bin" / name
            path.write_text(text)
            path.chmod(0o755)
        for name in ("output", "summary", "calls", "asked"):
            (directory / name).touch()

    def step(self, name: str, **inputs: str) -> subprocess.CompletedProcess[str]:
        values = {name: spec["default"] for name, spec in ACTION["inputs"].items()} | {
            name.replace("_", "-"): value for name, value in inputs.items()
        }
        known = {f"inputs.{key}": value for key, value in values.items()}
        known |= {f"steps.measure.outputs.{key}": value for key, value in self.outputs.items()}
        known |= {"github.repository": "acme/search", "github.event.pull_request.number": "7"}
        env = {key: self._expanded(value, known) for key, value in STEPS[name]["env"].items()}
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", STEPS[name]["run"]],
            cwd=self.project,
            env={
                **os.environ,
                "PATH": f"{self.directory / 'bin'}{os.pathsep}{os.environ['PATH']}",
                "RUNNER_TEMP": str(self.directory),
                "GITHUB_OUTPUT": str(self.directory / "output"),
                "GITHUB_STEP_SUMMARY": str(self.directory / "summary"),
                "GH_CALLS": str(self.directory / "calls"),
                "PYTHON_CALLS": str(self.directory / "asked"),
                **{key: value for key, value in inputs.items() if key.startswith(("GH_", "EXITS_"))},
                **env,
            },
            capture_output=True,
            text=True,
            check=False,
        )

    def gate(self, python: str = sys.executable, **inputs: str) -> int:
        """The exit code of the whole action but for its comment."""
        (self.directory / "output").write_text("")
        done = self.step("Measure and gate", python=python, **inputs)
        assert done.returncode == 0, done.stderr
        return self.step("Verdict").returncode

    @property
    def outputs(self) -> dict[str, str]:
        return dict(line.split("=", 1) for line in (self.directory / "output").read_text().splitlines())

    @property
    def calls(self) -> list[list[str]]:
        return [json.loads(line) for line in (self.directory / "calls").read_text().splitlines()]

    def asked(self, **inputs: str) -> list[list[str]]:
        """The arguments of each call of gitcontext that the inputs lead to; the calls themselves do nothing."""
        (self.directory / "asked").write_text("")
        self.gate(python="fake-python", **inputs)
        return [json.loads(line) for line in (self.directory / "asked").read_text().splitlines()]

    @staticmethod
    def _expanded(text: str, known: dict[str, str]) -> str:
        return re.sub(r"\$\{\{ *([^}]+?) *\}\}", lambda match: known.get(match[1], ""), text)


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    return Runner(tmp_path)


HERE = {"retriever": "my_search:retrieve", "golden": "golden.jsonl"}


def test_a_pull_request_is_gated_by_its_exit_code(runner: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    cases = [{"id": f"c{i}", "query": f"where is f{i}.py", "gold": [{"path": f"f{i}.py"}]} for i in range(4)]
    golden = write_lines(runner.project / "golden.jsonl", *cases)
    (runner.project / "my_search.py").write_text(GOOD)
    monkeypatch.chdir(runner.project)
    freeze(evaluate(lambda query, *_: [{"path": query.split()[-1]}], read_cases(golden)), Path("baselines"), **WHY)
    assert runner.gate(**HERE) == 0
    assert (runner.directory / "summary").read_text().startswith(MARKER)
    assert (Path(runner.outputs["folder"]) / "verdict.xml").is_file()

    (runner.project / "my_search.py").write_text(BAD)
    assert runner.gate(**HERE) == 1
    assert runner.outputs["exit-code"] == "1"

    (runner.project / "my_search.py").write_text("def retrieve(query, top, scope):\n    raise ValueError('no')\n")
    assert runner.gate(**HERE) == 3
    assert "the run failed" in (runner.directory / "summary").read_text()


WHY = {"by": "Ada", "note": "first"}


@pytest.mark.parametrize(
    ("run", "gate", "whole"),
    [("0", "0", 0), ("0", "1", 1), ("0", "3", 3), ("3", "3", 3), ("3", "0", 3), ("2", "0", 2), ("137", "0", 137)],
)
def test_nothing_that_failed_on_the_way_passes(runner: Runner, run: str, gate: str, whole: int) -> None:
    assert runner.gate(python="fake-python", EXITS_RUN=run, EXITS_GATE=gate) == whole
    assert "Nothing was measured" in (runner.directory / "summary").read_text()


def test_inputs_become_options(runner: Runner) -> None:
    run, gate = runner.asked(**HERE, files=".", baseline="b", tolerance="3", must_hit="c1\nc2\n")
    assert run[:2] == ["eval", "run"]
    assert run[4:] == ["--retriever=my_search:retrieve", "--files=.", "--golden=golden.jsonl"]
    assert gate[:2] == ["eval", "gate"]
    assert gate[-6:] == [
        *("--golden=golden.jsonl", "--baseline=b", "--tolerance=3"),
        *("--require-baseline", "--must-hit=c1", "--must-hit=c2"),
    ]
    _, gate = runner.asked(require_baseline="false")
    assert not {"--require-baseline", "--golden="} & set(gate)


def test_inputs_are_never_run_as_a_script(runner: Runner) -> None:
    evil = '"; touch hacked; echo "$(touch hacked2)`touch hacked3`'
    names = ("retriever", "golden", "files", "baseline", "tolerance", "must_hit")
    calls = runner.asked(**dict.fromkeys(names, evil))
    assert not list(runner.project.glob("hacked*"))
    assert f"--retriever={evil}" in calls[0]
    assert f"--must-hit={evil}" in calls[1]


def test_one_comment_is_kept_up_to_date(runner: Runner) -> None:
    runner.gate(python="fake-python")
    body = f"body=@{runner.outputs['folder']}/verdict.md"
    assert runner.step("Comment").returncode == 0
    assert runner.step("Comment", GH_FOUND="41\n42").returncode == 0
    posts = [call for call in runner.calls if "--paginate" not in call]
    assert posts == [
        ["api", "--silent", "--method", "POST", "repos/acme/search/issues/7/comments", "--field", body],
        ["api", "--silent", "--method", "PATCH", "repos/acme/search/issues/comments/41", "--field", body],
    ]


def test_a_token_that_may_not_write_does_not_change_the_verdict(runner: Runner) -> None:
    runner.gate(python="fake-python")
    done = runner.step("Comment", GH_FAILS="1")
    assert done.returncode == 0
    assert "::warning::" in done.stdout


def test_a_verdict_that_was_never_reached_is_an_error(runner: Runner) -> None:
    assert runner.step("Verdict").returncode == 3


def test_no_expression_stands_in_a_script() -> None:
    workflow: list[dict[str, Any]] = EXAMPLE["jobs"]["gate"]["steps"]
    for step in [*ACTION["runs"]["steps"], *workflow]:
        assert "${{" not in step.get("run", ""), step


def test_what_the_example_uses_is_pinned_and_exists() -> None:
    assert True in EXAMPLE  # YAML 1.1 reads the key `on` as a boolean, and so does GitHub
    assert "pull_request_target" not in EXAMPLE[True]
    assert EXAMPLE["permissions"] == {"contents": "read", "pull-requests": "write"}
    used = {step["uses"].split("@")[0]: step for step in EXAMPLE["jobs"]["gate"]["steps"] if "uses" in step}
    assert all(re.search(r"@(v\d+\.\d+\.\d+|[0-9a-f]{40})$", step["uses"]) for step in used.values())
    assert set(used["OWNER/gitcontext-pipeline"]["with"]) <= set(ACTION["inputs"])
    assert ACTION["inputs"]["package"]["default"] == f"gitcontext-pipeline=={__version__}"
