"""`gitcontext eval` on a corpus of our own: the report and verdict of its asset graph, and comparisons beside it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from gitcontext_pipeline.cli.progress import showing_progress
from gitcontext_pipeline.components.launch import launch
from gitcontext_pipeline.corpus.spec import CorpusSpec
from gitcontext_pipeline.evaluation.report import Report, read_report, stable_content
from gitcontext_pipeline.state import STATE_VARIABLE, State
from gitcontext_pipeline.steps.quality import REPORT
from tests.cli.conftest import Command
from tests.sample import sample_repository, write_questions


class Indexed:
    """The sample repository as an indexed corpus with a golden set; tests leave it as they found it."""

    def __init__(self, directory: Path, models: Path) -> None:
        self.directory = directory
        self.state = State(directory / "state")
        self.state.root.mkdir()
        self.state.models.symlink_to(models)
        self.golden = write_questions(directory / "evals" / "golden.jsonl")
        self.repository = sample_repository(directory / "repository")
        origin = {"git": str(self.repository.path), "revision": self.repository.head}
        self.spec = CorpusSpec.model_validate(
            {"name": "sample", "github": "acme/client", "origins": [origin], "golden_set": str(self.golden)}
        )

    @property
    def report(self) -> Path:
        snapshot = self.state.corpus("sample").current
        assert snapshot is not None
        return snapshot / REPORT

    @property
    def baselines(self) -> Path:
        return self.golden.parent / "baselines"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, models: Path) -> Indexed:
    indexed = Indexed(tmp_path_factory.mktemp("indexed"), models)
    with pytest.MonkeyPatch.context() as patch, showing_progress() as listener:
        patch.setenv(STATE_VARIABLE, str(indexed.state.root))
        patch.chdir(indexed.directory)
        outcome = launch(indexed.spec, listener)
    assert not outcome.failed
    return indexed


@pytest.fixture
def indexed(made: Indexed, monkeypatch: pytest.MonkeyPatch, here: Path) -> Iterator[Indexed]:
    monkeypatch.setenv(STATE_VARIABLE, str(made.state.root))
    yield made
    for path in made.baselines.glob("*.json"):
        path.unlink()


def without_times(report: Report) -> str:
    return json.dumps(stable_content(report), sort_keys=True)


def test_the_command_measures_what_the_graph_measured(gitcontext: Command, indexed: Indexed) -> None:
    graph = read_report(indexed.report)
    result = gitcontext("eval", "run", "--corpus", "sample")
    assert result.exit_code == 0, result.output
    again = read_report(indexed.report)
    assert without_times(again) == without_times(graph)
    assert again.model_copy(update={"timing": graph.timing}).to_json() == graph.to_json()
    assert graph.timing != again.timing


def test_without_any_option_the_corpus_worked_on_last_is_meant(gitcontext: Command, indexed: Indexed) -> None:
    assert "corpus sample" in gitcontext("eval", "run").output
    assert gitcontext("eval", "gate").exit_code == 0
    assert gitcontext("eval", "freeze", "--note", "why").exit_code == 0
    (baseline,) = indexed.baselines.iterdir()
    assert baseline.name == f"{indexed.repository.head}.json"
    assert "gate: pass" in gitcontext("eval", "gate").output


def test_a_baseline_of_another_revision_is_incomparable_for_the_command(gitcontext: Command, indexed: Indexed) -> None:
    """The graph passes such a revision with a warning, because a corpus may fall back to another origin; a person who
    asks for the gate is told that nothing was compared."""
    gitcontext("eval", "freeze", "--corpus", "sample", "--note", "why")
    (baseline,) = indexed.baselines.iterdir()
    frozen = json.loads(baseline.read_text())
    frozen["fingerprints"]["corpus_revision"] = "b" * 40
    (indexed.baselines / f"{'b' * 40}.json").write_text(json.dumps(frozen))
    baseline.unlink()
    result = gitcontext("eval", "gate", "--corpus", "sample")
    assert result.exit_code == 3
    assert "another corpus revision" in result.output


def test_variants_are_compared_with_what_people_get(gitcontext: Command, indexed: Indexed) -> None:
    told = json.loads(gitcontext("eval", "compare", "--corpus", "sample", "--json").stdout)
    names = [contender["name"] for contender in told["contenders"]]
    assert names[0] == "hybrid"
    assert {"bm25", "dense"} <= set(names)
    Path("dumb.py").write_text("def retrieve(query, top, scope):\n    return [{'path': 'retry.py'}]\n")
    result = gitcontext("eval", "compare", "--corpus", "sample", "hybrid", "dumb=dumb:retrieve")
    assert result.exit_code == 0, result.output
    assert "dumb" in result.output
    assert max(map(len, result.output.splitlines())) <= 80
    assert gitcontext("eval", "compare", "--corpus", "sample", "nonesuch").exit_code == 2


def test_another_setting_is_measured_beside_the_graph(gitcontext: Command, indexed: Indexed) -> None:
    before = indexed.report.read_bytes()
    result = gitcontext("eval", "run", "--corpus", "sample", "--top", 3, "-o", "top3.json", "--snapshot", "published")
    assert result.exit_code == 0, result.output
    assert read_report(Path("top3.json")).settings.top == 3
    assert indexed.report.read_bytes() == before
    gitcontext("eval", "freeze", "--corpus", "sample", "--note", "why")
    gate = gitcontext("eval", "gate", "top3.json", "--corpus", "sample")
    assert gate.exit_code == 3
    assert "another top: 3, the baseline has 10" in gate.output


def test_unknown_corpora_and_snapshots_exit_2(gitcontext: Command, indexed: Indexed) -> None:
    assert gitcontext("eval", "run", "--corpus", "nonesuch").exit_code == 2
    result = gitcontext("eval", "run", "--corpus", "sample", "--snapshot", "123456789012")
    assert result.exit_code == 2
    assert "gitcontext snapshots sample" in result.output


def test_a_golden_set_is_mined_audited_and_measured_for_a_corpus(gitcontext: Command, indexed: Indexed) -> None:
    generated = gitcontext("eval", "generate", "--corpus", "sample", "--count", 6, "-o", "more.jsonl")
    assert generated.exit_code == 0, generated.output
    audited = gitcontext("eval", "audit", "--corpus", "sample", "-g", "more.jsonl", "--json")
    assert json.loads(audited.stdout)["checked_corpus"] is True
    assert gitcontext("eval", "run", "--corpus", "sample", "-g", "more.jsonl").exit_code == 0
    assert Path("report.json").is_file()


def test_init_leads_a_corpus_to_a_gated_run(gitcontext: Command, indexed: Indexed) -> None:
    result = gitcontext("eval", "init", "--corpus", "sample", "--count", 5)
    assert result.exit_code == 0, result.output
    assert 'corpus = "sample"' in Path("gitcontext.toml").read_text()
    assert Path("evals/sample/golden.jsonl").is_file()
    assert gitcontext("eval", "freeze", "--note", "first measurement").exit_code == 0
    assert Path(f"evals/sample/baselines/{indexed.repository.head}.json").is_file()
    assert gitcontext("eval", "gate").exit_code == 0
