"""The real asset graph on a small repository: what is made, skipped, linked, gated and published."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dagster as dg
import pyarrow.parquet as pq
import pytest

from gitcontext_pipeline.answer.opened import open_corpus
from gitcontext_pipeline.chunks import table
from gitcontext_pipeline.components.assets import corpus_assets
from gitcontext_pipeline.components.checks import corpus_checks
from gitcontext_pipeline.components.corpus import Corpus
from gitcontext_pipeline.components.launch import QUIET
from gitcontext_pipeline.corpus.spec import CorpusSpec
from gitcontext_pipeline.errors import GitContextError
from gitcontext_pipeline.evaluation.baseline import freeze
from gitcontext_pipeline.evaluation.report import read_report
from gitcontext_pipeline.index.snapshot import identity_of
from gitcontext_pipeline.state import STATE_VARIABLE, State
from tests.repositories import Repository
from tests.sample import PULL_REQUEST, RETRY, sample_repository, write_questions

STEPS = [
    *("repo_checkout", "pr_cache", "chunks", "vector_index", "bm25_index"),
    *("retrieval_report", "baseline_comparison", "published_index"),
]


class Project:
    """A repository, its golden set, and the state that its graph writes."""

    def __init__(self, directory: Path, state: State) -> None:
        self.directory = directory
        self.state = state
        self.repository = sample_repository(directory / "repository")
        self.golden = write_questions(directory / "evals" / "sample" / "golden.jsonl")

    def spec(self, **changes: Any) -> CorpusSpec:
        origin = {"git": str(self.repository.path), "revision": self.repository.head}
        return CorpusSpec.model_validate(
            {
                "name": "sample",
                "github": "acme/client",
                "origins": [origin],
                "golden_set": "evals/sample/golden.jsonl",
                **changes,
            }
        )

    def run(self, spec: CorpusSpec | None = None, **selection: Any) -> dg.ExecuteInProcessResult:
        spec = spec or self.spec()
        graph = [*corpus_assets(spec, self.directory), *corpus_checks(spec, self.directory)]
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv(STATE_VARIABLE, str(self.state.root))
            return dg.materialize(
                graph, instance=dg.DagsterInstance.ephemeral(), run_config=QUIET, raise_on_error=False, **selection
            )

    @property
    def snapshot(self) -> Path:
        current = self.state.corpus("sample").current
        assert current is not None
        return current

    def rows(self) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = table.read(self.snapshot / "chunks.parquet").to_pylist()
        return rows

    def freeze(self) -> Path:
        return freeze(
            read_report(self.snapshot / "reports" / "retrieval.json"),
            self.golden.parent / "baselines",
            by="a test",
            note="first",
        )


def made(result: dg.ExecuteInProcessResult) -> dict[str, dict[str, Any]]:
    """Metadata values by asset."""
    found = {}
    for event in result.get_asset_materialization_events():
        materialization = event.step_materialization_data.materialization
        values = {name: value.value for name, value in materialization.metadata.items()}
        found[materialization.asset_key.path[-1]] = values
    return found


def checks(result: dg.ExecuteInProcessResult) -> dict[str, dg.AssetCheckEvaluation]:
    return {check.check_name: check for check in result.get_asset_check_evaluations()}


@pytest.fixture
def project(tmp_path: Path, state: State) -> Project:
    return Project(tmp_path, state)


@dataclass(frozen=True)
class Finished:
    """A project whose graph ran once; tests only look at it."""

    project: Project
    result: dg.ExecuteInProcessResult


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory, models: Path) -> Finished:
    directory = tmp_path_factory.mktemp("finished")
    (directory / "state").mkdir()
    (directory / "state" / "models").symlink_to(models, target_is_directory=True)
    project = Project(directory, State(directory / "state"))
    return Finished(project, project.run())


def test_everything_is_made_published_and_found_again(finished: Finished) -> None:
    project, result = finished.project, finished.result
    assert result.success
    assert set(made(result)) == set(STEPS)
    found = open_corpus("sample", state=project.state.root).search(
        "Where is it decided whether one more request may pass?"
    )
    best = found[0]
    assert (best.path, best.symbol) == ("limiter/bucket.py", "TokenBucket.take")
    assert best.url == (
        f"https://github.com/acme/client/blob/{project.repository.head}/limiter/bucket.py"
        f"#L{best.start_line}-L{best.end_line}"
    )
    assert best.text.startswith("    def take")


def test_every_check_passes_but_the_missing_baseline_warns(finished: Finished) -> None:
    found = checks(finished.result)
    assert [name for name, check in found.items() if not check.passed] == []
    gate = found["regression_gate"]
    assert gate.severity == dg.AssetCheckSeverity.WARN
    assert "gitcontext eval freeze" in (gate.description or "")


def test_the_second_run_skips_every_step_and_embeds_nothing(project: Project) -> None:
    project.run()
    again = made(project.run())
    assert {name: metadata["skipped"] for name, metadata in again.items()} == dict.fromkeys(STEPS, True)


def test_only_changed_chunks_are_embedded(project: Project) -> None:
    project.run()
    project.repository.commit("Wait at most half a minute", {"retry.py": RETRY.replace("60.0", "30.0")})
    after = made(project.run())["vector_index"]
    changed = {row["id"] for row in project.rows() if row["path"] == "retry.py" or row["kind"] == "commit"}
    assert 0 < after["embedded_anew"] <= 2 * len(changed)
    assert after["reused"] > 2 * after["embedded_anew"]


def test_merges_and_squashes_become_pull_requests_with_their_merge_commit(finished: Finished) -> None:
    changes = {row["pr"]: row for row in finished.project.rows() if row["kind"] == "pull_request"}
    assert set(changes) == {3, PULL_REQUEST, 9}
    merged = changes[PULL_REQUEST]
    assert merged["signature"] == "Exponential backoff between attempts"
    assert merged["author"] == "Bob Martin"
    assert "Wait longer each time" in merged["text"]
    assert merged["url"] == f"https://github.com/acme/client/commit/{merged['commit']}"


def test_lines_know_the_changes_that_touched_them_across_a_rename(finished: Finished) -> None:
    history = {row["symbol"]: row["history"] for row in finished.project.rows() if row["kind"] == "code"}
    assert history["backoff_delay"][0] == "Exponential backoff between attempts"
    assert history["TokenBucket.take"] == ["First version"]


def test_a_path_beyond_ascii_is_indexed_and_linked(finished: Finished) -> None:
    (row,) = [row for row in finished.project.rows() if row["path"] == "docs/café notes.md"]
    assert "/docs/caf%C3%A9%20notes.md?plain=1#L" in row["url"]
    assert row["text"].startswith("# Café")


def test_what_is_left_out_is_told_with_its_reason(finished: Finished) -> None:
    told = made(finished.result)["chunks"]["skipped_files"]
    assert re.search(r"symbolic link \| 1", told)
    assert re.search(r"binary \| 1", told)


def test_without_a_github_slug_links_name_the_commit_all_the_same(project: Project) -> None:
    project.run(project.spec(github=None))
    assert all(re.match(rf"git:{project.repository.head}:\S+#L\d", row["url"]) for row in project.rows() if row["path"])


def test_a_regression_stops_publication_and_the_old_snapshot_goes_on_answering(project: Project) -> None:
    project.run()
    published = project.snapshot
    baseline = project.freeze()
    # Everything that answers the questions about code goes away, under the same revision: the gate must see it.
    result = project.run(project.spec(include=["docs/**", "README.md"]))
    assert not result.success
    gate = checks(result)["regression_gate"]
    assert not gate.passed
    assert gate.blocking
    assert "published_index" not in made(result)
    assert "retrieval_report" in made(result)
    assert project.snapshot == published
    assert baseline.is_file()
    assert open_corpus("sample", state=project.state.root).search("backoff_delay")[0].symbol == "backoff_delay"


def test_a_regressed_snapshot_is_not_published_by_running_that_asset_alone(project: Project) -> None:
    project.run()
    published = project.snapshot
    project.freeze()
    worse = project.spec(include=["docs/**", "README.md"])
    project.run(worse)
    alone = project.run(worse, selection=[dg.AssetKey(["sample", "published_index"])])
    assert not alone.success
    assert project.snapshot == published


def test_the_same_quality_passes_the_frozen_baseline(project: Project) -> None:
    project.run()
    project.freeze()
    result = project.run()
    assert result.success
    gate = checks(result)["regression_gate"]
    assert gate.passed
    assert gate.severity == dg.AssetCheckSeverity.ERROR
    assert gate.metadata["outcome"].value == "pass"


def test_a_damaged_index_is_made_again(project: Project) -> None:
    project.run()
    shutil.rmtree(project.snapshot / "bm25")
    again = made(project.run())
    assert not again["bm25_index"]["skipped"]
    assert again["chunks"]["skipped"]


@pytest.mark.parametrize(
    "damaged",
    ["chunks.parquet", "manifest.json", "bm25/body/postings.arrow", "lancedb/*/data/*", "reports/retrieval.json"],
)
def test_a_damaged_file_of_what_is_published_is_noticed_and_made_again(
    project: Project, finished: Finished, damaged: str
) -> None:
    shutil.copytree(finished.project.state.root / "corpora", project.state.root / "corpora")
    for file in project.snapshot.glob(damaged):
        file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    assert project.run(finished.project.spec()).success
    assert open_corpus("sample", state=project.state.root).search("backoff_delay")


def test_a_published_snapshot_is_never_taken_away_to_be_made_again(project: Project) -> None:
    project.run()
    published = project.snapshot
    rows = table.read(published / "chunks.parquet")
    pq.write_table(rows.replace_schema_metadata({"not": "as written"}), published / "chunks.parquet")
    left = {path: path.read_bytes() for path in published.rglob("*") if path.is_file()}
    assert project.run().success
    assert project.snapshot != published
    assert identity_of(project.snapshot.name) == published.name
    assert {path: path.read_bytes() for path in published.rglob("*") if path.is_file()} == left


def test_origins_are_tried_in_order_and_the_substitute_is_told(project: Project) -> None:
    gone = {"git": str(project.directory / "gone"), "revision": "1" * 40}
    there = {"git": str(project.repository.path), "revision": project.repository.head}
    result = project.run(project.spec(origins=[gone, there]))
    assert result.success
    assert made(result)["repo_checkout"]["revision"] == project.repository.head
    first = checks(result)["origin_is_first_choice"]
    assert not first.passed
    assert first.severity == dg.AssetCheckSeverity.WARN


def test_no_origin_is_a_message_and_not_a_stack_trace(project: Project) -> None:
    result = project.run(project.spec(origins=[{"git": str(project.directory / "gone"), "revision": "1" * 40}]))
    assert not result.success
    (failure,) = [event.step_failure_data for event in result.all_events if event.is_step_failure]
    assert failure.user_failure_data is not None
    assert "there is no such path" in (failure.user_failure_data.description or "")


def test_a_pull_request_question_is_answered_by_the_pull_request(finished: Finished) -> None:
    found = open_corpus("sample", state=finished.project.state.root).search(
        "Which change made the wait double with each attempt?"
    )
    assert PULL_REQUEST in [result.pr for result in found[:3]]


def test_a_golden_set_that_the_corpus_cannot_answer_is_no_pass(project: Project) -> None:
    impossible = {"id": "q8", "query": "Where is the moon?", "gold": [{"path": "moon.py", "symbol": "Moon"}]}
    write_questions(project.golden, [impossible])
    result = project.run()
    assert not result.success
    assert checks(result)["regression_gate"].metadata["outcome"].value == "error"
    assert project.state.corpus("sample").current is None


def test_the_report_is_the_same_but_for_its_times(project: Project) -> None:
    project.run()
    path = project.snapshot / "reports" / "retrieval.json"
    first = json.loads(path.read_text())
    path.unlink()
    project.run()
    second = json.loads(path.read_text())
    del first["timing"], second["timing"]
    assert first == second


def test_a_repository_without_history_or_code_is_published_too(tmp_path: Path, state: State) -> None:
    repository = Repository(tmp_path / "tiny")
    repository.commit("Only this", {"README.md": "# Tiny\n\nNothing but a readme.\n"})
    spec = CorpusSpec.model_validate(
        {"name": "tiny", "origins": [{"git": str(repository.path), "revision": repository.head}], "history": "none"}
    )
    result = dg.materialize(
        [*corpus_assets(spec, tmp_path), *corpus_checks(spec, tmp_path)],
        instance=dg.DagsterInstance.ephemeral(),
        run_config=QUIET,
        raise_on_error=False,
    )
    assert result.success
    assert [result.path for result in open_corpus("tiny", state=state.root).search("readme")] == ["README.md"]


@pytest.mark.parametrize("wanted", [False, True])
def test_answers_by_a_model_are_part_of_the_graph_only_on_request(project: Project, wanted: bool) -> None:
    context = dg.ComponentTree.for_test().load_context
    made_of = Corpus.load(project.spec(answers=wanted), context).build_defs(context)
    keys = {spec.key.path[-1] for spec in made_of.resolve_all_asset_specs()}
    assert ("answer_report" in keys) == wanted
    assert {"chunks", "published_index", "golden_set"} <= keys


def test_ranking_code_that_changed_is_measured_anew(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.run()
    monkeypatch.setattr("gitcontext_pipeline.steps.quality.code_digest", lambda *packages: "other code")
    again = made(project.run())
    assert not again["retrieval_report"]["skipped"]
    assert again["vector_index"]["skipped"]


def test_reading_makes_nothing_where_an_index_is_gone(project: Project) -> None:
    project.run()
    shutil.rmtree(project.snapshot / "lancedb")
    with pytest.raises(GitContextError, match="cannot be read"):
        open_corpus("sample", state=project.state.root)
    assert not (project.snapshot / "lancedb").exists()
    assert project.run().success
    assert open_corpus("sample", state=project.state.root).search("backoff_delay")
