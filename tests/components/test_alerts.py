"""Alerts: what the sensors send for real runs on a real instance, to a server on loopback, and what they never say."""

from __future__ import annotations

import json
import logging
import runpy
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import dagster as dg
import pytest

from gitcontext_pipeline.components.alerts import (
    DAGSTER_VARIABLE,
    LONGEST,
    WEBHOOK_VARIABLE,
    FailedCheck,
    deliver,
    failed_checks,
    warning_text,
)
from gitcontext_pipeline.defs import alerts
from gitcontext_pipeline.defs.alerts import alert_on_failure, alert_on_warning
from gitcontext_pipeline.errors import GitContextError

SECRET = "T000-B000-verysecret"


class Webhook:
    """Answers with `statuses` in turn, the last one for ever, and keeps what was posted."""

    def __init__(self, *statuses: int) -> None:
        self.statuses = list(statuses) or [200]
        self.posted: list[dict[str, Any]] = []
        self.methods: list[str] = []
        self.url = ""

    @contextmanager
    def serving(self) -> Iterator[Webhook]:
        hook = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                length = int(self.headers["Content-Length"])
                hook.posted.append(json.loads(self.rfile.read(length)))
                self._answer()

            def do_GET(self) -> None:
                self._answer()

            def _answer(self) -> None:
                hook.methods.append(self.command)
                status = hook.statuses.pop(0) if len(hook.statuses) > 1 else hook.statuses[0]
                self.send_response(status)
                if status in {301, 302}:
                    self.send_header("Location", "/elsewhere")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *args: Any) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{server.server_address[1]}/services/{SECRET}"
        try:
            yield self
        finally:
            server.shutdown()
            server.server_close()


@pytest.fixture
def webhook(monkeypatch: pytest.MonkeyPatch) -> Iterator[Webhook]:
    with Webhook().serving() as hook:
        monkeypatch.setenv(WEBHOOK_VARIABLE, hook.url)
        yield hook


@dg.asset(key=["sample", "comparison"])
def comparison() -> None:
    pass


@dg.asset(key=["sample", "broken"])
def broken() -> None:
    raise dg.Failure(description="no origin answered", allow_retries=False)


def check(name: str, *, passed: bool, severity: dg.AssetCheckSeverity, blocking: bool = False) -> Any:
    @dg.asset_check(asset=comparison, name=name, blocking=blocking)
    def checked() -> dg.AssetCheckResult:
        metadata = {"reasons": dg.MetadataValue.md("- Hit@5 fell by 12.50 points, <!channel> & more")}
        return dg.AssetCheckResult(passed=passed, severity=severity, metadata=metadata if blocking else {})

    return checked


GATE = check("regression_gate", passed=False, severity=dg.AssetCheckSeverity.ERROR, blocking=True)
WARNS = check("origin_is_first_choice", passed=False, severity=dg.AssetCheckSeverity.WARN)
FINE = check("rows_equal", passed=True, severity=dg.AssetCheckSeverity.WARN)


@pytest.fixture
def instance() -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.ephemeral() as made:
        yield made


def tick(sensor: dg.SensorDefinition, instance: dg.DagsterInstance, cursor: str | None) -> dg.SensorExecutionData:
    """One evaluation, as the daemon does it."""
    with dg.build_sensor_context(instance=instance, cursor=cursor) as context:
        return sensor.evaluate_tick(context)


def run(instance: dg.DagsterInstance, *parts: Any) -> str:
    return dg.materialize(list(parts), instance=instance, raise_on_error=False).run_id


def watched(sensor: dg.SensorDefinition, instance: dg.DagsterInstance, *parts: Any) -> tuple[str, Any]:
    """The id of a run of `parts`, and what the sensor's next evaluation made of it; the first only sets its cursor."""
    begun = tick(sensor, instance, None)
    run_id = run(instance, *parts)
    return run_id, tick(sensor, instance, begun.cursor)


@pytest.mark.parametrize(
    ("address", "status"),
    [(None, dg.DefaultSensorStatus.STOPPED), ("https://example.org/hook", dg.DefaultSensorStatus.RUNNING)],
)
def test_the_sensors_are_off_until_a_webhook_is_named(
    monkeypatch: pytest.MonkeyPatch, address: str | None, status: dg.DefaultSensorStatus
) -> None:
    monkeypatch.delenv(WEBHOOK_VARIABLE, raising=False)
    if address is not None:
        monkeypatch.setenv(WEBHOOK_VARIABLE, address)
    loaded = runpy.run_path(str(alerts.__file__))
    assert {loaded[name].default_status for name in ("alert_on_failure", "alert_on_warning")} == {status}


def test_a_failed_gate_is_told_with_its_reason_and_a_link(
    webhook: Webhook, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(DAGSTER_VARIABLE, "https://dagster.example.org/")
    run_id, told = watched(alert_on_failure, instance, comparison, GATE)
    (posted,) = webhook.posted
    assert list(posted) == ["text"]
    assert f"<https://dagster.example.org/runs/{run_id}|run {run_id[:8]}>" in posted["text"]
    assert "ERROR sample/comparison regression_gate: - Hit@5 fell by 12.50 points" in posted["text"]
    assert "<!channel>" not in posted["text"]
    assert "&lt;!channel&gt; &amp; more" in posted["text"]
    assert [reaction.error for reaction in told.dagster_run_reactions] == [None]


def test_a_failed_step_is_told_with_its_message(webhook: Webhook, instance: dg.DagsterInstance) -> None:
    watched(alert_on_failure, instance, broken)
    (posted,) = webhook.posted
    assert "sample__broken: " in posted["text"]
    assert "no origin answered" in posted["text"]


def test_a_failed_warning_of_a_run_that_succeeded_is_told(webhook: Webhook, instance: dg.DagsterInstance) -> None:
    run_id, _ = watched(alert_on_warning, instance, comparison, WARNS, FINE)
    (posted,) = webhook.posted
    assert run_id in posted["text"]
    assert "1 check did not pass" in posted["text"]
    assert "WARN sample/comparison origin_is_first_choice" in posted["text"]
    assert "rows_equal" not in posted["text"]
    assert "__" not in posted["text"]


def test_a_run_of_the_command_line_is_told_too(webhook: Webhook, instance: dg.DagsterInstance) -> None:
    """It belongs to no code location, unlike the sensor."""
    located = dg.Definitions(sensors=[alert_on_warning]).get_repository_def()
    with dg.build_sensor_context(instance=instance, repository_def=located) as context:
        begun = alert_on_warning.evaluate_tick(context)
    run(instance, comparison, WARNS)
    with dg.build_sensor_context(instance=instance, repository_def=located, cursor=begun.cursor) as context:
        alert_on_warning.evaluate_tick(context)
    assert len(webhook.posted) == 1


def test_a_run_in_which_everything_passed_is_not_told(webhook: Webhook, instance: dg.DagsterInstance) -> None:
    watched(alert_on_warning, instance, comparison, FINE)
    assert webhook.posted == []


def test_each_run_is_told_once(webhook: Webhook, instance: dg.DagsterInstance) -> None:
    _, told = watched(alert_on_warning, instance, comparison, WARNS)
    tick(alert_on_warning, instance, told.cursor)
    assert len(webhook.posted) == 1


def test_without_a_webhook_the_log_alone_is_told(
    instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv(WEBHOOK_VARIABLE, raising=False)
    assert deliver("anything") is False
    watched(alert_on_warning, instance, comparison, WARNS)
    assert "origin_is_first_choice" in capfd.readouterr().err


def test_a_webhook_that_fails_makes_the_tick_fail_without_saying_where_it_is(
    instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with Webhook(404).serving() as hook:
        monkeypatch.setenv(WEBHOOK_VARIABLE, hook.url)
        _, told = watched(alert_on_warning, instance, comparison, WARNS)
    (reaction,) = told.dagster_run_reactions
    shown = f"{reaction.error.to_string()} {caplog.text}"
    assert "it answered 404" in shown
    assert SECRET not in shown
    assert len(hook.posted) == 1


@pytest.mark.parametrize("status", [500, 503, 429])
def test_a_server_that_is_down_for_a_moment_is_tried_again(monkeypatch: pytest.MonkeyPatch, status: int) -> None:
    with Webhook(status, status, 200).serving() as hook:
        monkeypatch.setenv(WEBHOOK_VARIABLE, hook.url)
        assert deliver("told", pause=0)
    assert [each["text"] for each in hook.posted] == ["told"] * 3


@pytest.mark.parametrize(
    "address",
    [
        f"http://127.0.0.1:9/{SECRET}",
        f"ftp://example.org/{SECRET}",
        f"http://127.0.0.1:port/{SECRET}",
        f"http://127.0.0.1:9/ {SECRET}",
        f"http://[::1/{SECRET}",
    ],
)
def test_no_error_holds_the_address(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    monkeypatch.setenv(WEBHOOK_VARIABLE, address)
    with pytest.raises(GitContextError) as told:
        deliver("told", seconds=2, pause=0)
    assert SECRET not in str(told.value)


def test_a_redirect_is_not_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    with Webhook(302).serving() as hook:
        monkeypatch.setenv(WEBHOOK_VARIABLE, hook.url)
        with pytest.raises(GitContextError, match="it answered 302"):
            deliver("told", pause=0)
    assert hook.methods == ["POST"]


def test_long_alerts_are_cut(instance: dg.DagsterInstance) -> None:
    made = instance.get_run_by_id(run(instance, comparison, WARNS))
    assert made is not None
    (one,) = failed_checks(instance, made.run_id)
    assert one == FailedCheck("sample/comparison", "origin_is_first_choice", "WARN", "")
    many = [FailedCheck("a", f"check {i}", "WARN", "because " * 200) for i in range(40)]
    text = warning_text(made, many)
    assert len(text) == LONGEST
    assert text.endswith("…")
