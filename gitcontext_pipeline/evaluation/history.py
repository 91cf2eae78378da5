"""The metrics of the last commits of the retriever's own repository, measured with one ruler.

Each commit is checked out into a worktree of its own in a temporary folder, and a command evaluates it there. Golden
set and corpus are the command's, and so the same for all commits: only the retriever changes. The repository's own
work tree, index and branch are never touched.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from pydantic import Field

from gitcontext_pipeline.errors import GitContextError, UsageError
from gitcontext_pipeline.evaluation.plots import PlotFormat, Point, trend
from gitcontext_pipeline.evaluation.report import Model, Report, read_report

REPORT, WORKTREE, REVISION = "{report}", "{worktree}", "{revision}"
"""What stands for the report to write, the checked-out folder and the commit in the arguments of the command."""

TOLD = 300
"""Characters of a failed command's last output that are kept."""


class HistoryPoint(Model):
    """One commit; `metrics` is empty and `failure` says why where it could not be measured. Dates are ISO 8601."""

    revision: str
    date: str
    subject: str
    metrics: dict[str, float] = Field(default_factory=dict)
    failure: str | None = None


def history(
    repository: Path,
    command: Sequence[str],
    *,
    commits: int = 10,
    seconds_per_commit: float = 600.0,
    progress: Callable[[HistoryPoint], None] | None = None,
) -> list[HistoryPoint]:
    """Evaluate the last `commits` first-parent commits of HEAD, oldest first.

    `command` is run without a shell, in the worktree (in its folder that `repository` is, where that is a folder inside
    a repository); its arguments may hold REPORT, WORKTREE and REVISION, and it
    must write a report (`gitcontext eval run … --output {report}`) to the path that REPORT stands for. A commit whose
    command fails or takes too long stays in the list with the reason. Raises UsageError when it is no repository, or
    no command names REPORT.
    """
    if commits < 1:
        raise UsageError(f"{commits} commits", fix="Ask for one or more.")
    if not any(REPORT in argument for argument in command):
        raise UsageError(f"the command does not say where {REPORT} goes", fix=f"Add --output {REPORT}.")
    if not _git(repository, "rev-parse", "--git-dir", check=False):
        raise UsageError("is no git repository", where=repository, fix="Name the retriever's repository.")
    inside = _git(repository, "rev-parse", "--show-prefix").strip()
    listed = _git(repository, "log", f"-n{commits}", "--first-parent", "--format=%H%x1f%cI%x1f%s", "HEAD")
    points: list[HistoryPoint] = []
    for line in reversed(listed.splitlines()):
        revision, date, subject = line.split("\x1f", 2)
        metrics, failure = _measured(repository, revision, command, seconds_per_commit, inside)
        point = HistoryPoint(revision=revision, date=date, subject=subject, metrics=metrics, failure=failure)
        points.append(point)
        if progress is not None:
            progress(point)
    return points


def plot(points: Sequence[HistoryPoint], fmt: PlotFormat = "png") -> bytes:
    """The metrics over the commits; a commit that could not be measured is a gap."""
    return trend([Point(label=point.revision[:8], metrics=point.metrics) for point in points], fmt)


def _measured(
    repository: Path, revision: str, command: Sequence[str], seconds: float, inside: str
) -> tuple[dict[str, float], str | None]:
    with tempfile.TemporaryDirectory(prefix="gitcontext-history-") as folder:
        worktree, target = Path(folder) / "worktree", Path(folder) / "report.json"
        _git(repository, "worktree", "add", "--detach", "--quiet", str(worktree), revision)
        try:
            place = worktree / inside
            if not place.is_dir():
                return {}, f"has no folder {inside}"
            failure = _run(_filled(command, target, worktree, revision), place, seconds)
            if failure is not None:
                return {}, failure
            try:
                report = read_report(target)
            except GitContextError as error:
                return {}, f"wrote no report: {error.what}"
            return _values(report), "; ".join(report.errors) or None
        finally:
            _git(repository, "worktree", "remove", "--force", str(worktree), check=False)


def _values(report: Report) -> dict[str, float]:
    return {} if report.errors else {key: found.value for key, found in report.metrics.items()}


def _filled(command: Sequence[str], target: Path, worktree: Path, revision: str) -> list[str]:
    places = {REPORT: str(target), WORKTREE: str(worktree), REVISION: revision}
    filled = list(command)
    for name, value in places.items():
        filled = [argument.replace(name, value) for argument in filled]
    return filled


def _run(command: Sequence[str], folder: Path, seconds: float) -> str | None:
    """Why the command failed; None when it did not."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        done = subprocess.run(
            command, cwd=folder, env=environment, timeout=seconds, capture_output=True, check=False, text=True
        )
    except subprocess.TimeoutExpired:
        return f"took longer than {seconds:g} s"
    except OSError as error:
        return f"{command[0]} cannot be started: {error.strerror}"
    if done.returncode == 0:
        return None
    said = " ".join((done.stderr or done.stdout).split())[-TOLD:]
    return f"ended with status {done.returncode}: {said}"


def _git(repository: Path, *arguments: str, check: bool = True) -> str:
    done = subprocess.run(
        ["git", "-C", str(repository), *arguments],
        capture_output=True,
        check=False,
        text=True,
        encoding=sys.getfilesystemencoding(),
        errors="replace",
    )
    if check and done.returncode != 0:
        raise GitContextError(f"git {arguments[0]}: {done.stderr.strip()}", where=repository)
    return done.stdout if done.returncode == 0 else ""
