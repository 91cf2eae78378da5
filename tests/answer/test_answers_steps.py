"""Answers evaluated over a published corpus: the step, the asset and its gate, the command."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import dagster as dg
import pytest

from gitcontext_pipeline.answer.model_files import MODEL_VARIABLE, ModelFile
from gitcontext_pipeline.components import answers as answer_components
from gitcontext_pipeline.errors import GitContextError, UsageError
from gitcontext_pipeline.steps import answers as step
from gitcontext_pipeline.steps.workspace import Workspace
from tests.answer.command import gitcontext
from tests.fakes.language_model import ScriptedModel


@pytest.fixture
def measured(workspace: Workspace, toy: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Workspace, list[ScriptedModel]]:
    """The workspace after its answers were evaluated with a scripted model, and the models that were loaded."""
    if find_spec("llama_cpp") is None:
        pytest.skip("needs the extra `explain`")
    monkeypatch.setenv(MODEL_VARIABLE, str(toy))
    loaded: list[ScriptedModel] = []

    def load(file: ModelFile) -> ScriptedModel:
        loaded.append(ScriptedModel(['{"answered":false}'], name=file.name, digest=file.sha256))
        return loaded[-1]

    for _ in range(2):
        step.measure_answers(workspace, load)
    return workspace, loaded


def test_answers_are_evaluated_once_for_the_same_snapshot_and_model(
    measured: tuple[Workspace, list[ScriptedModel]],
) -> None:
    workspace, loaded = measured
    report = step.report_of(workspace)
    assert report is not None
    assert (report.counts.cases, report.counts.withheld, report.counts.unanswerable) == (7, 7, 1)
    assert report.counts.gold_in_prompt == report.counts.gold_in_evidence > 0
    assert len(loaded) == 1
    assert loaded[0].closed


def test_the_asset_and_its_gate_tell_what_was_measured(measured: tuple[Workspace, list[ScriptedModel]]) -> None:
    workspace, _ = measured
    told = answer_components.describe(workspace)
    assert (told["cases"], told["withheld"], told["shape_failures"]) == (7, 7, 0)
    assert answer_components.gate(workspace).passed
    assert answer_components.gate(workspace).severity == dg.AssetCheckSeverity.WARN


def test_the_graph_has_the_asset_beside_the_published_index(workspace: Workspace) -> None:
    asset, check = answer_components.answer_assets(workspace.spec, workspace.project)
    assert isinstance(asset, dg.AssetsDefinition)
    assert asset.key == dg.AssetKey(["sample", "answer_report"])
    assert {key.path[-1] for key in asset.asset_deps[asset.key]} == {"vector_index", "bm25_index", "golden_set"}
    (spec,) = check.check_specs
    assert (spec.name, spec.blocking) == ("answer_gate", True)


def test_the_command_freezes_gates_and_compares_with_grades(
    measured: tuple[Workspace, list[ScriptedModel]], tmp_path: Path
) -> None:
    workspace, _ = measured
    assert gitcontext("answers", "sample", "--freeze").exit_code == 2
    frozen = gitcontext("answers", "sample", "--freeze", "--note", "first")
    assert frozen.exit_code == 0, frozen.output
    assert (workspace.baselines / "answers").is_dir()
    assert answer_components.gate(workspace).severity == dg.AssetCheckSeverity.ERROR
    report = step.report_of(workspace)
    assert report is not None
    grades = tmp_path / "grades.json"
    grades.write_text(json.dumps({"report": report.id, "grades": {"q1": "reject", "q2": "accept"}}))
    compared = gitcontext("answers", "sample", "--grades", grades)
    assert "withheld: 1 accepted, 1 rejected" in compared.stdout
    assert "they disagree on: q2" in compared.stdout


def test_the_command_answers_the_golden_set_with_the_tiny_model(workspace: Workspace, tiny_file: ModelFile) -> None:
    gitcontext("setup-model", "tiny")
    told = gitcontext("answers", "sample", "--limit", "1", "--top", "1")
    assert told.exit_code == 0, told.output
    assert "1 questions answered by tiny" in told.stdout
    assert "replies of the wrong shape: 0" in told.stdout
    assert "gate on answers: pass" in told.stdout


def test_without_a_golden_set_there_is_nothing_to_answer(workspace: Workspace, toy: Path) -> None:
    bare = replace(workspace, spec=workspace.spec.model_copy(update={"golden_set": None}))
    with pytest.raises(UsageError, match="no golden set"):
        step.read_golden_set(bare)
    assert step.unanswerable(bare) == ()


def test_evaluating_answers_without_a_model_says_what_to_install(workspace: Workspace) -> None:
    with pytest.raises(GitContextError, match="cannot be evaluated without a model") as refused:
        step.model_file(workspace)
    assert "setup-model" in str(refused.value.fix)
