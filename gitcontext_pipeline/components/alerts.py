"""What an alert says of a run, and how it reaches a webhook: Slack's form of JSON, which Mattermost and others read."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import HTTPRedirectHandler, ProxyHandler, Request, build_opener

import dagster as dg

from gitcontext_pipeline.errors import GitContextError

WEBHOOK_VARIABLE = "GITCONTEXT_ALERT_WEBHOOK"
"""The address to post to. It is a secret: whoever knows it can post, so it never stands in a log or an error."""
DAGSTER_VARIABLE = "GITCONTEXT_DAGSTER_URL"
"""Where people open Dagster, such as https://dagster.example.org; without it an alert names the run and links none."""

LOOPBACK = ("http://127.0.0.1", "http://localhost", "http://[::1]")
CHECKS_SHOWN = 10
LONGEST = 3000
"""Characters; Slack cuts longer texts at a place of its own choice."""


@dataclass(frozen=True)
class FailedCheck:
    """A check that did not pass: its asset, its name, how bad that is, and what it said."""

    asset: str
    name: str
    severity: str
    told: str


def failed_checks(instance: dg.DagsterInstance, run_id: str) -> list[FailedCheck]:
    """Every check of the run that did not pass, in the order of its evaluation."""
    records = instance.get_records_for_run(run_id, of_type=dg.DagsterEventType.ASSET_CHECK_EVALUATION).records
    found = []
    for record in records:
        event = record.event_log_entry.dagster_event
        if event is None:
            continue
        data: Any = event.event_specific_data
        if not data.passed:
            reasons = data.metadata.get("reasons")
            told = str(reasons.value) if reasons is not None else data.description or ""
            asset = "/".join(data.asset_key.path)
            found.append(FailedCheck(asset, data.check_name, data.severity.value, told))
    return found


def failure_text(run: dg.DagsterRun, message: str, steps: Sequence[str], checks: Sequence[FailedCheck]) -> str:
    """A run failed: which steps, or which checks stopped it, and what they said."""
    lines = [f":x: {_job(run)} failed: {_run_name(run)}"]
    lines += [f"• {_escaped(step)}" for step in steps] or [f"• {_escaped(message)}"]
    return _bounded([*lines, *_check_lines(checks)])


def warning_text(run: dg.DagsterRun, checks: Sequence[FailedCheck]) -> str:
    """A run succeeded, but some checks did not pass."""
    count = f"{len(checks)} check{'s' if len(checks) > 1 else ''} did not pass"
    return _bounded([f":warning: {_job(run)}: {count}: {_run_name(run)}", *_check_lines(checks)])


def deliver(text: str, *, seconds: float = 10.0, tries: int = 3, pause: float = 1.0) -> bool:
    """Post `text` to the webhook; False where none is configured.

    A server that is down or overloaded (5xx, 429) is tried `tries` times with growing pauses. Raises GitContextError,
    without the address in it, when the message was not taken.
    """
    address = os.environ.get(WEBHOOK_VARIABLE, "").strip()
    if not address:
        return False
    for attempt in range(1, tries + 1):
        refused = _post(address, text, seconds)
        if refused is None:
            return True
        why, again = refused
        if not again or attempt == tries:
            raise GitContextError(
                f"the webhook did not take an alert: {why} (tried {attempt} times)", fix=f"Check {WEBHOOK_VARIABLE}."
            )
        time.sleep(pause * 2 ** (attempt - 1))
    return False


class _NoRedirects(HTTPRedirectHandler):
    """A webhook that moved would get the alert by GET, without its text."""

    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        return None


def _post(address: str, text: str, seconds: float) -> tuple[str, bool] | None:
    """None when it was taken; else why not, and whether to try again."""
    if not address.startswith(("https://", "http://")):
        return "its address is no http or https URL", False
    proxies = [ProxyHandler({})] if address.startswith(LOOPBACK) else []
    try:
        request = Request(  # noqa: S310
            address, data=json.dumps({"text": text}).encode(), headers={"Content-Type": "application/json"}
        )
        with build_opener(_NoRedirects, *proxies).open(request, timeout=seconds) as answer:
            answer.read(1024)
    except HTTPError as error:
        error.close()
        return f"it answered {error.code}", error.code == 429 or error.code >= 500
    except URLError as error:
        return f"it cannot be reached: {type(error.reason).__name__}", True
    except OSError as error:
        return f"it did not answer: {type(error).__name__}", True
    except (ValueError, HTTPException) as error:  # its message holds the address
        return f"its address is malformed: {type(error).__name__}", False
    return None


def _check_lines(checks: Sequence[FailedCheck]) -> list[str]:
    lines = []
    for check in checks[:CHECKS_SHOWN]:
        told = f": {_escaped(' '.join(check.told.split()))}" if check.told.strip() else ""
        lines.append(f"• {check.severity} {_escaped(check.asset)} {_escaped(check.name)}{told}")
    return lines + ([f"• and {len(checks) - CHECKS_SHOWN} more"] if len(checks) > CHECKS_SHOWN else [])


def _job(run: dg.DagsterRun) -> str:
    """Materializations run in jobs of Dagster's own, whose names say nothing: there, the corpora."""
    if not run.job_name.startswith("__"):
        return run.job_name
    corpora = sorted({key.path[0] for key in run.asset_selection or ()})
    return f"materialization of {', '.join(corpora)}" if corpora else "a materialization"


def _run_name(run: dg.DagsterRun) -> str:
    home = os.environ.get(DAGSTER_VARIABLE, "").rstrip("/")
    return f"<{home}/runs/{run.run_id}|run {run.run_id[:8]}>" if home else f"run {run.run_id}"


def _escaped(text: str) -> str:
    """As https://api.slack.com/reference/surfaces/formatting#escaping wants it: foreign text mentions nobody."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _bounded(lines: Sequence[str]) -> str:
    text = "\n".join(lines)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
