from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from gitcontext_pipeline.errors import UsageError
from gitcontext_pipeline.evaluation.history import REPORT, REVISION, WORKTREE, HistoryPoint, history, plot

EVALUATE = """
import sys
from pathlib import Path
from gitcontext_pipeline.evaluation.cases import parse_cases
from gitcontext_pipeline.evaluation.report import write_report
from gitcontext_pipeline.evaluation.retrievers import load_retriever
from gitcontext_pipeline.evaluation.run import evaluate

cases = parse_cases(b'{"query": "a", "gold": [{"path": "a.py"}]}')
write_report(Path(sys.argv[1]), evaluate(load_retriever("mine_h:retrieve"), cases))
"""


def git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Three commits of a retriever: one that misses, one that cannot be imported, one that finds."""
    folder = tmp_path / "retriever"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    for subject, body in (
        ("miss", "return [{'path': 'b.py'}]"),
        ("break", "return ["),
        ("find", "return [{'path': 'a.py'}]"),
    ):
        (folder / "mine_h.py").write_text(f"def retrieve(query, top, scope):\n    {body}\n")
        git(folder, "add", "mine_h.py")
        git(folder, "commit", "-q", "-m", subject)
    return folder


@pytest.fixture
def command(tmp_path: Path) -> list[str]:
    (tmp_path / "evaluate.py").write_text(EVALUATE)
    return [sys.executable, str(tmp_path / "evaluate.py"), REPORT]


def test_the_last_commits_are_measured_where_they_stand(repository: Path, command: list[str]) -> None:
    told: list[str] = []
    points = history(repository, command, commits=3, progress=lambda point: told.append(point.subject))
    assert told == [point.subject for point in points] == ["miss", "break", "find"]
    assert [point.metrics.get("hit@1") for point in points] == [0.0, None, 1.0]
    assert "SyntaxError" in (points[1].failure or "") or "was never closed" in (points[1].failure or "")
    assert points[2].revision == git(repository, "rev-parse", "HEAD")
    assert git(repository, "worktree", "list").count("\n") == 0
    assert git(repository, "status", "--porcelain") == ""
    for fmt in ("png", "svg"):
        assert plot(points, fmt) == plot(points, fmt)  # type: ignore[arg-type]


def test_fewer_commits_than_asked_for_are_all_there_are(repository: Path, command: list[str]) -> None:
    assert [point.subject for point in history(repository, command, commits=1)] == ["find"]


@pytest.mark.parametrize(
    ("program", "seconds", "failure"),
    [
        ("import sys; sys.exit('no index')", 60.0, "ended with status 1: no index"),
        ("import time; time.sleep(60)", 0.5, "took longer than 0.5 s"),
        ("pass", 60.0, "wrote no report: no such file"),
        ("import sys; open(sys.argv[1], 'w').write('{}')", 60.0, "wrote no report: "),
    ],
)
def test_a_commit_that_cannot_be_measured_says_why(
    repository: Path, program: str, seconds: float, failure: str
) -> None:
    command = [sys.executable, "-c", program, REPORT, WORKTREE, REVISION]
    (point,) = history(repository, command, commits=1, seconds_per_commit=seconds)
    assert point.metrics == {}
    assert (point.failure or "").startswith(failure)


def test_the_command_is_told_where_it_is(repository: Path, tmp_path: Path) -> None:
    program = "import sys; from pathlib import Path; Path(sys.argv[4]).write_text('|'.join(sys.argv[2:4]))"
    target = tmp_path / "told"
    (point,) = history(repository, [sys.executable, "-c", program, REPORT, WORKTREE, REVISION, str(target)], commits=1)
    worktree, revision = target.read_text().split("|")
    assert revision == point.revision
    assert not Path(worktree).exists()


def test_a_program_that_is_not_there_says_so(repository: Path) -> None:
    (point,) = history(repository, ["/nowhere/evaluate", REPORT], commits=1)
    assert point.failure == "/nowhere/evaluate cannot be started: No such file or directory"


def test_what_cannot_be_meant_is_refused(repository: Path, tmp_path: Path, command: list[str]) -> None:
    with pytest.raises(UsageError, match="no git repository"):
        history(tmp_path, command)
    with pytest.raises(UsageError, match="does not say where"):
        history(repository, ["true"])
    with pytest.raises(UsageError, match="0 commits"):
        history(repository, command, commits=0)


def test_points_survive_a_file(repository: Path) -> None:
    point = HistoryPoint(revision="a" * 40, date="2026-11-30", subject="s", failure="why")
    assert HistoryPoint.model_validate_json(point.model_dump_json()) == point
