"""The commands that people and CI run, as they run them: exit codes, skipping, one answer from job and command."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from gitcontext_pipeline.evaluation.baseline import freeze
from gitcontext_pipeline.evaluation.report import read_report
from gitcontext_pipeline.state import STATE_VARIABLE, State
from tests.release import MATERIALIZE, ROOT
from tests.sample import sample_repository, write_questions

BIN = Path(sys.executable).parent
QUESTION = "Where does Requests strip redirect authorization?"
REVISION = "6e83187b8feb273ed4c6cdab5efd8d54901dfab3"

DEFINITIONS = """
import dagster as dg
from pathlib import Path
from gitcontext_pipeline.components.assets import corpus_assets
from gitcontext_pipeline.components.checks import corpus_checks
from gitcontext_pipeline.corpus.spec import CorpusSpec

here = Path(__file__).parent
spec = CorpusSpec.model_validate_json((here / "spec.json").read_text())
defs = dg.Definitions(
    assets=corpus_assets(spec, here), asset_checks=corpus_checks(spec, here), executor=dg.in_process_executor
)
"""


def run(*command: str, cwd: Path, state: State) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, STATE_VARIABLE: str(state.root), "PYTHONWARNINGS": "ignore"}
    return subprocess.run(
        [str(BIN / command[0]), *command[1:]], cwd=cwd, env=env, capture_output=True, text=True, timeout=600
    )


def test_materialize_exits_1_when_the_gate_fails_and_publishes_nothing(tmp_path: Path, state: State) -> None:
    repository = sample_repository(tmp_path / "repository")
    golden = write_questions(tmp_path / "evals" / "sample" / "golden.jsonl")
    spec = {
        "name": "sample",
        "origins": [{"git": str(repository.path), "revision": repository.head}],
        "golden_set": "evals/sample/golden.jsonl",
    }
    (tmp_path / "definitions.py").write_text(DEFINITIONS)
    materialize = ("dagster", "asset", "materialize", "--select", "*", "-f", "definitions.py")

    (tmp_path / "spec.json").write_text(json.dumps(spec))
    assert run(*materialize, cwd=tmp_path, state=state).returncode == 0
    published = state.corpus("sample").current
    assert published is not None
    freeze(
        read_report(published / "reports" / "retrieval.json"), golden.parent / "baselines", by="a test", note="first"
    )

    (tmp_path / "spec.json").write_text(json.dumps({**spec, "include": ["docs/**"]}))
    failed = run(*materialize, cwd=tmp_path, state=state)
    assert failed.returncode == 1
    assert "regression_gate" in failed.stderr
    assert state.corpus("sample").current == published


def test_the_release_answers_with_the_two_symbols_first(release: State) -> None:
    answer = run("gitcontext", "ask", "--json", QUESTION, cwd=ROOT, state=release)
    first, second, *_ = json.loads(answer.stdout)["evidence"]
    blob = f"https://github.com/psf/requests/blob/{REVISION}/src/requests/sessions.py"
    assert (first["symbol"], first["url"]) == ("SessionRedirectMixin.should_strip_auth", f"{blob}#L154-L184")
    assert (second["symbol"], second["url"]) == ("SessionRedirectMixin.rebuild_auth", f"{blob}#L309-L332")
    assert first["text"].splitlines()[0].strip().startswith("def should_strip_auth(")


def test_the_job_prints_what_the_command_prints(release: State, tmp_path: Path) -> None:
    config = tmp_path / "ask.yaml"
    config.write_text(json.dumps({"ops": {"answer": {"config": {"question": QUESTION, "corpus": "requests"}}}}))
    job = run(
        *("dagster", "job", "execute", "-m", "gitcontext_pipeline.definitions", "-j", "ask", "-c", str(config)),
        cwd=ROOT,
        state=release,
    )
    command = run("gitcontext", "ask", "--corpus", "requests", QUESTION, cwd=ROOT, state=release)
    assert job.returncode == 0, job.stderr[-4000:]
    assert command.stdout
    assert command.stdout in job.stdout


def test_materialized_again_every_asset_says_skipped(release: State) -> None:
    before = {path: path.stat().st_mtime_ns for path in (release.root / "corpora").rglob("*.parquet")}
    again = run(*MATERIALIZE, cwd=ROOT, state=release)
    assert again.returncode == 0
    assert "embedding" not in again.stderr
    assert {path: path.stat().st_mtime_ns for path in before} == before


def test_questions_whose_answers_the_release_lacks_are_set_aside_by_name(release: State) -> None:
    snapshot = release.corpus("requests").current
    assert snapshot is not None
    report = read_report(snapshot / "reports" / "retrieval.json")
    aside = {case.id: case.reason for case in report.set_aside}
    assert "history" in aside["rq058"]
    assert "docs/user/advanced.rst" in aside["rq047"]
    assert not {case.id for case in report.cases} & set(aside)
    assert len(report.cases) + len(aside) == report.dataset.cases


def test_help_comes_without_loading_what_is_slow() -> None:
    told = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", "from gitcontext_pipeline.cli.app import app"],
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = {line.rsplit("|", 1)[-1].strip() for line in told.stderr.splitlines() if "|" in line}
    assert not loaded & {"dagster", "torch", "lancedb", "pandas", "numpy", "pyarrow", "git", "sentence_transformers"}
