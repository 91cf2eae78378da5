"""From a published corpus to prose: the command, the job and the asset, with a real index and a real model."""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import dagster as dg
import pytest
import typer
from click.testing import Result
from rich.console import Console
from typer.testing import CliRunner

from gitcontext_pipeline.answer import asking
from gitcontext_pipeline.answer.asking import answer_question, explain_answer, model_host, why_off
from gitcontext_pipeline.answer.model import Limits
from gitcontext_pipeline.answer.model_files import MODEL_VARIABLE, ModelFile
from gitcontext_pipeline.cli import ask as ask_command
from gitcontext_pipeline.cli import explain as explain_commands
from gitcontext_pipeline.cli.app import ReportingGroup
from gitcontext_pipeline.cli.streaming import showing_unverified
from gitcontext_pipeline.components import answers as answer_components
from gitcontext_pipeline.components.launch import launch
from gitcontext_pipeline.components.listening import Listener
from gitcontext_pipeline.corpus.spec import CorpusSpec
from gitcontext_pipeline.errors import GitContextError, UsageError
from gitcontext_pipeline.state import STATE_VARIABLE, State
from gitcontext_pipeline.steps import answers as step
from gitcontext_pipeline.steps.workspace import Workspace
from tests.answer.gguf_files import gguf
from tests.answer.hub import Hub, hub_file
from tests.fakes.language_model import ScriptedModel
from tests.sample import sample_repository, write_questions

QUESTION = "Where is it decided whether one more request may pass?"
needs_llama = pytest.mark.skipif(find_spec("llama_cpp") is None, reason="needs the extra `explain`")

app = typer.Typer(cls=ReportingGroup)
app.command("ask")(ask_command.ask)
app.command("setup-model")(explain_commands.setup_model)
app.command("answers")(explain_commands.answers)


def gitcontext(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def published(models: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """The sample repository, indexed and published in a state directory of its own."""
    base = tmp_path_factory.mktemp("published")
    repository = sample_repository(base / "repository")
    golden = write_questions(base / "evals" / "sample" / "golden.jsonl", [{"query": "HTTP/2?", "why_absent": "No."}])
    state = State(base / "state")
    state.models.mkdir(parents=True)
    for model in models.iterdir():
        if model.is_dir():
            (state.models / model.name).symlink_to(model, target_is_directory=True)
    spec = CorpusSpec.model_validate(
        {
            "name": "sample",
            "github": "acme/client",
            "origins": [{"git": str(repository.path), "revision": repository.head}],
            "golden_set": str(golden),
        }
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(STATE_VARIABLE, str(state.root))
        outcome = launch(spec, Listener(lambda line: None, lambda done, total: None))
    assert outcome.failed == ()
    yield outcome.workspace
    model_host.cache_clear()


@pytest.fixture
def workspace(published: Workspace, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    monkeypatch.setenv(STATE_VARIABLE, str(published.state.root))
    for left in (published.state.models / "language", published.baselines):
        shutil.rmtree(left, ignore_errors=True)
    return published


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    """A well-formed model file, of which nothing can be loaded."""
    path = tmp_path / "toy.gguf"
    path.write_bytes(gguf())
    return path


def test_without_a_model_there_is_the_evidence_and_one_line_on_how_to_turn_prose_on(workspace: Workspace) -> None:
    plain, asked = gitcontext("ask", QUESTION), gitcontext("ask", "--generate", QUESTION)
    assert asked.exit_code == 0
    added = [line for line in asked.stdout.splitlines() if line not in plain.stdout.splitlines()]
    assert len(added) == 1
    assert "setup-model" in added[0]


def test_without_the_extra_the_line_says_how_to_install_it(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert "gitcontext-pipeline[explain]" in str(why_off(workspace.state))


@needs_llama
def test_an_unknown_model_is_a_mistake_of_who_asks(workspace: Workspace) -> None:
    refused = gitcontext("ask", "--generate", "--model", "gpt-17", QUESTION)
    assert refused.exit_code == 2
    assert "gpt-17" in refused.stderr


@needs_llama
def test_a_model_that_was_chosen_and_is_gone_costs_the_prose_and_not_the_evidence(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(MODEL_VARIABLE, "/no/such.gguf")
    asked = gitcontext("ask", "--generate", QUESTION)
    assert asked.exit_code == 0
    assert "TokenBucket.take" in asked.stdout


@needs_llama
def test_a_file_that_is_no_model_is_refused_before_it_is_loaded(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "bad.gguf").write_bytes(b"GGUF" + b"\xff" * 100)
    refused = gitcontext("ask", "--generate", "--model", tmp_path / "bad.gguf", QUESTION)
    assert refused.exit_code == 3
    assert "not a well-formed GGUF file" in refused.stderr


def test_one_command_sets_the_tiny_model_up_and_another_asks_it(workspace: Workspace, tiny_file: ModelFile) -> None:
    ready = gitcontext("setup-model", "tiny")
    assert ready.exit_code == 0, ready.output
    assert tiny_file.sha256 in ready.stdout
    asked = gitcontext("ask", "--generate", "--json", QUESTION)
    assert asked.exit_code == 0, asked.output
    told = json.loads(asked.stdout)
    assert told["explanation"]["settings"]["model"] == "tiny"
    assert told["explanation"]["status"] in {"passed", "repaired", "withheld"}
    assert told["explanation"]["sentences"] or told["explanation"]["reasons"]
    assert told["explanation"]["prompt_tokens"] <= 1200
    assert told["evidence"][0]["path"] == "limiter/bucket.py"


def test_the_host_of_a_model_stays_for_the_next_question(workspace: Workspace, tiny_file: ModelFile) -> None:
    settings = asking_settings()
    answer = answer_question(workspace.state, QUESTION)
    told = [explain_answer(workspace.state, answer, model="tiny", settings=settings).explanation for _ in range(2)]
    assert told[0] is not None
    assert told[1] is not None
    assert told[0].attempts[0].reply == told[1].attempts[0].reply
    assert told[1].attempts[0].reused_tokens > 0
    assert asking.model_host("tiny", workspace.state.models).loaded


def asking_settings() -> object:
    from gitcontext_pipeline.answer.explainer import Settings

    return Settings(prompt_tokens=420, limits=Limits(tokens=130), retry=False)


def test_the_job_retrieves_explains_and_shows(
    workspace: Workspace, tiny_file: ModelFile, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from gitcontext_pipeline.defs.ask import ask

    monkeypatch.setenv(MODEL_VARIABLE, "tiny")
    config = {"ops": {"answer": {"config": {"question": QUESTION, "corpus": "sample", "top": 2, "generate": True}}}}
    result = ask.execute_in_process(run_config=config)
    assert result.success
    steps = [event.step_key for event in result.get_step_success_events()]
    assert steps == ["answer.retrieve", "answer.explain", "answer.show"]
    outputs = {
        event.step_key: event.step_output_data.metadata for event in result.all_events if event.is_successful_output
    }
    assert outputs["answer.explain"]["status"].value in {"passed", "repaired", "withheld"}
    assert outputs["answer.explain"]["settings"].value["model"] == "tiny"
    printed = capsys.readouterr().out
    assert printed == outputs["answer.show"]["answer"].value
    assert "explanation" in printed.lower() or "Written by tiny" in printed


def test_the_job_without_generate_prints_what_the_command_prints(
    workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    from gitcontext_pipeline.defs.ask import ask

    ask.execute_in_process(run_config={"ops": {"answer": {"config": {"question": QUESTION}}}})
    assert capsys.readouterr().out == gitcontext("ask", QUESTION).stdout


def test_setup_model_fetches_verifies_and_chooses(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    from gitcontext_pipeline.answer import model_files
    from gitcontext_pipeline.answer.download import ENDPOINT_VARIABLE

    monkeypatch.setitem(model_files.NAMED, "toy", hub_file(gguf()))
    with Hub(gguf()).running() as endpoint:
        monkeypatch.setenv(ENDPOINT_VARIABLE, endpoint)
        ready = gitcontext("setup-model", "toy")
    assert ready.exit_code == 0, ready.output
    assert "toy is ready: Toy 1B" in ready.stdout
    assert model_files.chosen(workspace.state.models) == "toy"
    assert "* toy" in gitcontext("setup-model", "--list").stdout


def test_setup_model_takes_any_file(workspace: Workspace, toy: Path) -> None:
    assert gitcontext("setup-model", toy).exit_code == 0
    assert f"* {toy}" in gitcontext("setup-model", "--list").stdout


def test_a_wrong_download_is_not_installed_and_not_chosen(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gitcontext_pipeline.answer import model_files
    from gitcontext_pipeline.answer.download import ENDPOINT_VARIABLE

    monkeypatch.setitem(model_files.NAMED, "toy", hub_file(gguf()))
    with Hub(gguf()[::-1]).running() as endpoint:
        monkeypatch.setenv(ENDPOINT_VARIABLE, endpoint)
        refused = gitcontext("setup-model", "toy")
    assert refused.exit_code == 3
    assert "not the published file" in refused.stderr
    assert model_files.chosen(workspace.state.models) == model_files.DEFAULT_NAME
    assert not model_files.location("toy", workspace.state.models).exists()


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


def test_sentences_are_marked_as_unverified_line_by_line_when_piped() -> None:
    out = io.StringIO()
    with showing_unverified(Console(file=out)) as heard:
        for sentences in ([], ["It"], ["It is."], ["It is.", "So"], ["It is.", "So is that."], ["Again."]):
            heard(sentences)
    assert [line.strip() for line in out.getvalue().splitlines()] == [
        "unverified: It is.",
        "unverified: So is that.",
        "unverified: Again.",
    ]


def test_on_a_terminal_unverified_sentences_are_shown_and_taken_away_again() -> None:
    out = io.StringIO()
    with showing_unverified(Console(file=out, force_terminal=True, width=80)) as heard:
        heard(["It is so."])
    text = out.getvalue()
    assert "unverified" in text
    assert "It is so." in text
    assert text.rstrip().endswith("\x1b[2K") or "\x1b[1A" in text


def test_nothing_but_prose_needs_llama_cpp(workspace: Workspace) -> None:
    """Import, index, evaluation of retrieval and evidence all work where the library cannot be imported."""
    import subprocess
    import sys

    code = f"""
import sys
sys.modules["llama_cpp"] = None
from gitcontext_pipeline.cli.app import app
from gitcontext_pipeline.definitions import defs
from gitcontext_pipeline.answer.asking import answer_question
from gitcontext_pipeline.evaluation import answers, run
from gitcontext_pipeline.state import State
found = answer_question(State.locate(), {QUESTION!r})
print(found.evidence[0].path)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines()[-1:] == ["limiter/bucket.py"], done.stderr
