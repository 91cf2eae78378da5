"""From golden set to exit code with retrievers that are not ours, and with the example that the repository ships."""

from __future__ import annotations

import shlex
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from gitcontext_pipeline.evaluation.baseline import find_baseline, freeze
from gitcontext_pipeline.evaluation.cases import read_cases
from gitcontext_pipeline.evaluation.gate import judge
from gitcontext_pipeline.evaluation.retrievers import load_retriever
from gitcontext_pipeline.evaluation.run import evaluate
from tests.evaluation.builders import write_lines

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "keyword_retriever.py"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Three small files in which different words stand."""
    folder = tmp_path / "repository"
    (folder / "docs").mkdir(parents=True)
    (folder / ".git").mkdir()
    (folder / ".git" / "redirect.py").write_text("# redirect credentials host\n")
    (folder / "auth.py").write_text(
        "def should_strip_auth(old, new):\n    # drop credentials on redirect\n    return True\n"
    )
    (folder / "pool.py").write_text("def close_pool():\n    # connections are closed\n    pass\n")
    (folder / "docs" / "timeouts.md").write_text("# Timeouts\n\nHow long to wait for a server.\n")
    return folder


@pytest.fixture
def golden(tmp_path: Path) -> Path:
    return write_lines(
        tmp_path / "golden.jsonl",
        {"query": "why are credentials lost on redirect", "gold": [{"path": "auth.py"}], "scope": "code"},
        {"query": "when is the connection pool closed", "gold": [{"path": "pool.py"}], "scope": "code"},
        {"query": "how long to wait for the server", "expect_path_contains": "timeouts.md", "expect_scope": "docs"},
    )


def test_the_example_is_judged_in_this_process_and_as_a_program(
    repository: Path, golden: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(EXAMPLE.parent)
    monkeypatch.setenv("KEYWORD_ROOT", str(repository))
    baselines = tmp_path / "baselines"
    for text in ("keyword_retriever:retrieve", f"exec:{shlex.join([sys.executable, str(EXAMPLE)])}"):
        report = evaluate(load_retriever(text), read_cases(golden), fingerprints={"corpus_revision": "r1"})
        assert [case.rank for case in report.cases] == [1, 1, 1]
        assert report.errors == []
        assert judge(report, find_baseline(baselines, "r1")).exit_code == 0
        freeze(report, baselines, by="Ada", note="measured")


def test_a_retriever_elsewhere_with_its_own_dependencies_is_gated(
    repository: Path, golden: Path, tmp_path: Path
) -> None:
    """Its interpreter has a module that ours lacks, and not this package; a change that breaks it is a regression."""
    place = tmp_path / "elsewhere"
    venv.create(place / "env", with_pip=False, symlinks=True)
    python = place / "env" / "bin" / "python"
    purelib = "import sysconfig; print(sysconfig.get_path('purelib'))"
    site = Path(subprocess.run([python, "-c", purelib], capture_output=True, text=True, check=True).stdout.strip())
    (site / "own_dependency.py").write_text("def best(query):\n    return {'why': 'auth.py', 'when': 'pool.py'}")
    program = place / "serve.py"
    program.write_text(
        "import json, sys\nfrom own_dependency import best\n"
        "try:\n    import gitcontext_pipeline\n    sys.exit('not on its own')\nexcept ImportError:\n    pass\n"
        "for line in sys.stdin:\n"
        "    asked = json.loads(line)\n"
        "    path = best(asked['query']).get(asked['query'].split()[0], 'docs/timeouts.md')\n"
        "    print(json.dumps([{'path': path}]), flush=True)\n"
    )
    text = f"exec:{shlex.join([str(python), str(program)])}"
    cases = read_cases(golden)
    first = evaluate(load_retriever(text), cases, fingerprints={"corpus_revision": "r1"})
    assert [case.rank for case in first.cases] == [1, 1, 1]
    path = freeze(first, tmp_path / "baselines", by="Ada", note="first")
    assert path.name == "r1.json"

    (site / "own_dependency.py").write_text("def best(query):\n    return {'why': 'pool.py', 'when': 'pool.py'}")
    worse = evaluate(load_retriever(text), cases, fingerprints={"corpus_revision": "r1"})
    verdict = judge(worse, find_baseline(tmp_path / "baselines", "r1"))
    assert (verdict.outcome, verdict.exit_code) == ("regression", 1)
    assert [case.query for case in verdict.lost] == ["why are credentials lost on redirect"]

    (site / "own_dependency.py").write_text("import os\nos._exit(0)\n")
    dead = evaluate(load_retriever(text), cases, fingerprints={"corpus_revision": "r1"})
    assert judge(dead, find_baseline(tmp_path / "baselines", "r1")).exit_code == 3


def test_importing_the_evaluation_loads_nothing_heavy() -> None:
    modules = "baseline, cases, compare, diff, gate, generate, history, plots, retrievers, run, trec, verdict_formats"
    heavy = "dagster, ir_measures, matplotlib, numpy, pandas, scipy, torch, httpx"
    program = (
        f"import sys\nfrom gitcontext_pipeline.evaluation import {modules}\n"
        f"print([name for name in '{heavy}'.split(', ') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
