"""Asking from the launchpad: what it is filled in with runs as it stands, and its answer is in the run."""

from __future__ import annotations

from typing import Any

import dagster as dg
import pytest

from gitcontext_pipeline.definitions import defs
from gitcontext_pipeline.defs.ask import QUESTION, QUESTION_TAG, AskConfig
from gitcontext_pipeline.state import STATE_VARIABLE, State


def job() -> dg.JobDefinition:
    return defs().get_repository_def().get_job("ask")


def shown(result: dg.ExecuteInProcessResult) -> dict[str, Any]:
    """The metadata of the step that shows the answer."""
    (event,) = [each for each in result.all_events if each.is_successful_output and each.step_key == "answer.show"]
    return {name: value.value for name, value in event.step_output_data.metadata.items()}


def test_the_launchpad_is_filled_in_with_every_field() -> None:
    filled_in = job().run_config
    assert filled_in is not None
    assert filled_in["ops"]["answer"]["config"].keys() == AskConfig.model_fields.keys()
    assert dg.validate_run_config(job(), filled_in)


def test_every_field_is_explained() -> None:
    (node,) = job().graph.nodes
    fields = node.definition.config_schema.as_field().config_type.fields
    assert [name for name, field in fields.items() if len(field.description or "") < 20] == []


def test_what_the_launchpad_is_filled_in_with_answers(
    release: State, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(STATE_VARIABLE, str(release.root))
    with dg.DagsterInstance.ephemeral() as instance:
        result = job().execute_in_process(run_config=job().run_config, instance=instance)
        run = instance.get_run_by_id(result.run_id)
    assert run is not None
    assert run.tags[QUESTION_TAG] == QUESTION
    answer = shown(result)
    assert list(answer)[:2] == ["answer", "1. SessionRedirectMixin.should_strip_auth"]
    assert answer["1. SessionRedirectMixin.should_strip_auth"].endswith("/src/requests/sessions.py#L154-L184")
    assert answer["answer"] in capfd.readouterr().out


@pytest.mark.parametrize(
    ("asked", "told"),
    [({"corpus": "nowhere"}, "no corpus 'nowhere'"), ({"scope": "everywhere"}, "no scope 'everywhere'")],
)
def test_what_cannot_be_asked_is_told_without_a_stack_trace(
    release: State, monkeypatch: pytest.MonkeyPatch, asked: dict[str, str], told: str
) -> None:
    monkeypatch.setenv(STATE_VARIABLE, str(release.root))
    config = {"ops": {"answer": {"config": {"question": QUESTION, **asked}}}}
    with dg.DagsterInstance.ephemeral() as instance:
        result = job().execute_in_process(run_config=config, instance=instance, raise_on_error=False)
    (failed,) = [event.step_failure_data for event in result.all_events if event.is_step_failure]
    assert failed.user_failure_data is not None
    assert told in (failed.user_failure_data.description or "")
