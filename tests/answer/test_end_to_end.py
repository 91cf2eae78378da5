"""From a published corpus to prose: the command, the job and the asset, with a real index and a real model."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

import pytest

from gitcontext_pipeline.answer import local_model
from gitcontext_pipeline.answer.local_model import explain_answer, why_off
from gitcontext_pipeline.answer.model import Limits
from gitcontext_pipeline.answer.model_files import MODEL_VARIABLE, ModelFile
from gitcontext_pipeline.answer.opened import open_corpus
from gitcontext_pipeline.errors import GitContextError
from gitcontext_pipeline.steps.workspace import Workspace
from tests.answer.command import gitcontext
from tests.answer.gguf_files import gguf
from tests.answer.hub import Hub, hub_file

QUESTION = "Where is it decided whether one more request may pass?"
needs_llama = pytest.mark.skipif(find_spec("llama_cpp") is None, reason="needs the extra `explain`")


def test_without_a_model_there_is_the_evidence_and_one_line_on_how_to_turn_prose_on(workspace: Workspace) -> None:
    plain, asked = gitcontext("ask", QUESTION), gitcontext("ask", "--generate", QUESTION)
    assert asked.exit_code == 0
    added = [line for line in asked.stdout.splitlines() if line not in plain.stdout.splitlines()]
    assert len(added) == 1
    assert "setup-model" in added[0]


@pytest.mark.parametrize("command", [("ask",), ("ask", "--json")])
def test_bytes_that_are_no_utf8_are_asked_about_all_the_same(workspace: Workspace, command: tuple[str, ...]) -> None:
    asked = gitcontext(*command, "backoff_delay caf\udce9")
    assert asked.exit_code == 0, asked.output
    assert "backoff_delay" in asked.stdout


def test_without_the_extra_the_line_says_how_to_install_it(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert "[explain]" in str(why_off(workspace.state))


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
    asked = gitcontext("ask", "--generate", "--json", "--top", "1", QUESTION)
    assert asked.exit_code == 0, asked.output
    told = json.loads(asked.stdout)
    assert told["explanation"]["settings"]["model"] == "tiny"
    assert told["explanation"]["status"] in {"passed", "repaired", "withheld"}
    assert told["explanation"]["sentences"] or told["explanation"]["reasons"]
    assert told["explanation"]["prompt_tokens"] <= 1200
    assert told["evidence"][0]["path"] == "limiter/bucket.py"


def test_the_host_of_a_model_stays_for_the_next_question(workspace: Workspace, tiny_file: ModelFile) -> None:
    settings = asking_settings()
    answer = open_corpus(state=workspace.state.root).ask(QUESTION)
    told = [explain_answer(workspace.state, answer, model="tiny", settings=settings).explanation for _ in range(2)]
    assert told[0] is not None
    assert told[1] is not None
    assert told[0].attempts[0].reply == told[1].attempts[0].reply
    assert told[1].attempts[0].reused_tokens > 0
    assert local_model.model_host("tiny", workspace.state.models).loaded


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


def test_nothing_but_prose_needs_llama_cpp(workspace: Workspace) -> None:
    """Import, index, evaluation of retrieval and evidence all work where the library cannot be imported."""
    import subprocess
    import sys

    code = f"""
import sys
sys.modules["llama_cpp"] = None
from gitcontext_pipeline.cli.app import app
from gitcontext_pipeline.definitions import defs
from gitcontext_pipeline.answer.opened import open_corpus
from gitcontext_pipeline.evaluation import answers, run
found = open_corpus().ask({QUESTION!r})
print(found.evidence[0].path)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines()[-1:] == ["limiter/bucket.py"], done.stderr


@needs_llama
def test_no_prose_is_made_of_weak_evidence_and_no_model_is_loaded(workspace: Workspace, toy: Path) -> None:
    corpus = open_corpus("sample")
    weak = corpus.explain(corpus.ask("How is a database migration rolled back?"), model=str(toy))
    assert weak.explanation is not None
    assert weak.explanation.status == "withheld"  # loading this file, which is no whole model, would have raised
    assert [reason.rule for reason in weak.explanation.reasons] == ["no-evidence"]
    assert "there is no strong evidence to explain" in weak.as_markdown()
    assert weak.as_json()["explanation"]["status"] == "withheld"
    with pytest.raises(GitContextError):
        corpus.explain(corpus.ask(QUESTION), model=str(toy))
