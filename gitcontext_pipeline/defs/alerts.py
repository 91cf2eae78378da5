"""Alerts on failed runs and on checks that warn: off, unless a webhook is named where the definitions are loaded.

Runs of the command line (`gitcontext index`, `dagster asset materialize`) belong to no code location, so the sensors
watch all of them.
"""

import os

import dagster as dg

from gitcontext_pipeline.components.alerts import (
    DAGSTER_VARIABLE,
    WEBHOOK_VARIABLE,
    deliver,
    failed_checks,
    failure_text,
    warning_text,
)

STATUS = dg.DefaultSensorStatus.RUNNING if os.environ.get(WEBHOOK_VARIABLE) else dg.DefaultSensorStatus.STOPPED


@dg.run_failure_sensor(
    name="alert_on_failure",
    default_status=STATUS,
    minimum_interval_seconds=30,
    monitor_all_code_locations=True,
    description="Tells which run failed, at which step or blocking check, and why: a regression that the gate stopped, "
    f"an origin that cannot be reached. On where {WEBHOOK_VARIABLE} names a webhook; without one it tells its own log "
    f"alone. {DAGSTER_VARIABLE} makes it link to the run.",
)
def alert_on_failure(context: dg.RunFailureSensorContext) -> None:
    """A failed blocking check fails its run, so the gate's verdict comes this way."""
    run = context.dagster_run
    steps = [
        f"{event.step_key}: {event.step_failure_data.error_display_string.strip().splitlines()[0]}"
        for event in context.get_step_failure_events()
    ]
    checks = failed_checks(context.instance, run.run_id)
    text = failure_text(run, context.failure_event.message or "", steps, checks)
    context.log.error(text)
    deliver(text)


@dg.run_status_sensor(
    run_status=dg.DagsterRunStatus.SUCCESS,
    name="alert_on_warning",
    default_status=STATUS,
    minimum_interval_seconds=30,
    monitor_all_code_locations=True,
    description="Tells which checks did not pass in a run that succeeded, as when a substitute origin had to answer. "
    f"On where {WEBHOOK_VARIABLE} names a webhook; without one it tells its own log alone.",
)
def alert_on_warning(context: dg.RunStatusSensorContext) -> None:
    """Dagster has no sensor for asset checks; their evaluations are read from the run's own records."""
    run = context.dagster_run
    checks = failed_checks(context.instance, run.run_id)
    if checks:
        text = warning_text(run, checks)
        context.log.warning(text)
        deliver(text)
