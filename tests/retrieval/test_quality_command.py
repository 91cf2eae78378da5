"""`gitcontext eval quality` on the indexed sample repository, and against another engine in its own process."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from gitcontext_pipeline.cli.app import app
from gitcontext_pipeline.cli.workspaces import workspace_of
from gitcontext_pipeline.evaluation.quality_page import blocks, causes
from gitcontext_pipeline.state import STATE_VARIABLE, State
from gitcontext_pipeline.steps.quality_table import learned_elsewhere
from tests.repositories import Repository
from tests.sample import LIMITER

OTHER = """
import json
import sys

for line in sys.stdin:
    asked = json.loads(line)
    rows = [{"path": "retry.py", "start_line": 1, "end_line": 99}, {"commit": "0" * 40}]
    print(json.dumps({"results": rows[: asked["top"]]}), flush=True)
"""


def quality(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["eval", "quality", *(str(argument) for argument in arguments)])


def test_what_is_indexed_here_is_measured_and_the_page_written(sample_state: State, tmp_path: Path) -> None:
    page = tmp_path / "quality.md"
    other = tmp_path / "other.py"
    other.write_text(OTHER)
    engine = f"files=exec:{shlex.quote(sys.executable)} {shlex.quote(str(other))} {{corpus}}"
    result = quality("--write", page, "--against", engine)
    assert result.exit_code == 0, result.output
    written = blocks(page.read_text())
    assert set(written) == {"summary", "sample", "sample/others"}
    assert written["sample"].strip() in result.stdout
    assert "| hybrid " in written["sample"]
    assert "| no names " in written["sample"]
    assert causes(written["sample"]) == {}
    assert "files" in written["sample/others"]
    assert "6 not about history" in written["sample/others"]


def test_every_number_is_in_the_json(sample_state: State) -> None:
    result = quality("sample", "--json")
    assert result.exit_code == 0, result.output
    (one,) = json.loads(result.stdout)
    assert one["corpus"] == "sample"
    assert {"bm25", "dense", "hybrid"} < set(one["rankings"])
    assert {case["id"] for case in one["rankings"]["hybrid"]["cases"]} == {f"q{n}" for n in range(1, 8)}


def test_an_engine_that_does_not_answer_is_an_error(sample_state: State) -> None:
    result = quality("sample", "--against", f"broken=exec:{shlex.quote(sys.executable)} -c pass")
    assert result.exit_code == 3


def test_nothing_indexed_and_no_such_corpus(state: State) -> None:
    assert quality().exit_code == 2
    assert quality("nowhere").exit_code == 2


def test_corpora_teach_each_other_but_not_those_with_the_same_questions(
    sample_state: State, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = Repository(tmp_path / "other")
    repository.commit("First", {"bucket.py": LIMITER})
    golden = tmp_path / "golden.jsonl"
    asked = {"query": "what adds earned tokens", "gold": [{"path": "bucket.py", "symbol": "TokenBucket.refill"}]}
    golden.write_text(json.dumps(asked) + "\n")
    state = State(tmp_path / "both")
    state.root.mkdir()
    state.models.symlink_to(sample_state.models, target_is_directory=True)
    monkeypatch.setenv(STATE_VARIABLE, str(state.root))
    index = CliRunner().invoke(app, ["index", str(repository.path), "--name", "one", "--golden-set", str(golden)])
    assert index.exit_code == 0, index.output
    (state.root / "corpora" / "sample").symlink_to(sample_state.root / "corpora" / "sample")
    one, sample = workspace_of("one"), workspace_of("sample")
    found = learned_elsewhere([one, sample])
    assert set(found) == {"one", "sample"}
    assert found["one"].features != found["sample"].features
    assert learned_elsewhere([sample]) == {}
