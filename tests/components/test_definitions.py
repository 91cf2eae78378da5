"""What a person reads in the Dagster UI who never saw the project: every definition says what it is."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from gitcontext_pipeline.components.answers import answer_assets
from gitcontext_pipeline.components.assets import corpus_assets
from gitcontext_pipeline.components.checks import corpus_checks
from gitcontext_pipeline.components.metadata import plain
from gitcontext_pipeline.corpus.spec import DEFAULT_FRESH_WITHIN_DAYS, CorpusSpec
from gitcontext_pipeline.definitions import defs
from tests.sample import write_questions

ENOUGH = 40
"""Characters; a description below that names the thing again and says nothing of it."""
REVISION = "0123456789abcdef0123456789abcdef01234567"


def spec(**changes: Any) -> CorpusSpec:
    origins = [{"git": "https://github.com/acme/client.git", "revision": REVISION}]
    return CorpusSpec.model_validate({"name": "sample", "github": "acme/client", "origins": origins, **changes})


def definitions(tmp_path: Path, **changes: Any) -> dg.Definitions:
    one = spec(**changes)
    parts = [*corpus_assets(one, tmp_path), *corpus_checks(one, tmp_path), *answer_assets(one, tmp_path)]
    checks = [part for part in parts if isinstance(part, dg.AssetChecksDefinition)]
    return dg.Definitions(assets=[part for part in parts if part not in checks], asset_checks=checks)


def asset_specs(made: dg.Definitions) -> dict[str, dg.AssetSpec]:
    return {each.key.path[-1]: each for each in made.resolve_all_asset_specs()}


def described(made: dg.Definitions) -> Iterator[tuple[str, str | None]]:
    """Every definition with its description; the job of all assets is Dagster's own."""
    repository = made.get_repository_def()
    for asset in made.resolve_all_asset_specs():
        yield str(asset.key), asset.description
    for key in repository.asset_graph.asset_check_keys:
        yield str(key), repository.asset_graph.get_check_spec(key).description
    for job in repository.get_all_jobs():
        if not job.name.startswith("__"):
            yield job.name, job.description
            ops = () if job.asset_layer.selected_asset_keys else job.graph.iterate_node_defs()
            yield from ((f"{job.name} {node.name}", node.description) for node in ops)
    for automation in (*repository.schedule_defs, *repository.sensor_defs):
        yield automation.name, automation.description


def test_every_definition_of_the_project_says_what_it_is() -> None:
    told = dict(described(defs()))
    assert {
        "ask",
        "ask answer",
        "ask show",
        "refresh_pull_requests",
        "refresh_pull_requests_daily",
        "alert_on_failure",
    } <= set(told)
    assert [name for name, text in told.items() if len(text or "") < ENOUGH] == []


def test_every_definition_of_a_corpus_says_what_it_is(tmp_path: Path) -> None:
    told = dict(described(definitions(tmp_path)))
    assert [name for name, text in told.items() if len(text or "") < ENOUGH] == []


def test_every_asset_has_an_owner_kinds_and_the_group_of_its_corpus(tmp_path: Path) -> None:
    for name, asset in asset_specs(definitions(tmp_path)).items():
        assert asset.owners, name
        assert asset.kinds, name
        assert asset.group_name == "sample"


def test_loading_the_definitions_warns_of_nothing_that_this_project_wrote() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        defs().get_repository_def()
    assert [str(each.message) for each in caught if "gitcontext_pipeline" in each.filename] == []


def test_everything_automatic_is_off_until_somebody_turns_it_on() -> None:
    repository = defs().get_repository_def()
    assert {each.default_status for each in repository.schedule_defs} == {dg.DefaultScheduleStatus.STOPPED}
    assert {each.default_status for each in repository.sensor_defs} == {dg.DefaultSensorStatus.STOPPED}


@pytest.mark.parametrize(
    ("changes", "days"),
    [({}, DEFAULT_FRESH_WITHIN_DAYS), ({"fresh_within_days": 7}, 7), ({"fresh_within_days": None}, None)],
)
def test_the_published_index_is_fresh_for_as_long_as_the_corpus_says(
    tmp_path: Path, changes: dict[str, Any], days: int | None
) -> None:
    policies = {name: asset.freshness_policy for name, asset in asset_specs(definitions(tmp_path, **changes)).items()}
    published = policies.pop("published_index")
    wanted = None if days is None else dg.FreshnessPolicy.time_window(fail_window=timedelta(days=days))
    assert published == wanted
    assert set(policies.values()) == {None}


def test_the_origins_are_shown_with_links_to_their_pinned_commits(tmp_path: Path) -> None:
    release = {"sdist": "client==1.0", "sha256": "0" * 64, "revision": "f" * 40}
    both = [*spec().model_dump(mode="json")["origins"], release]
    shown = asset_specs(definitions(tmp_path, origins=both))["repo_checkout"].metadata["origins"].value
    assert (
        f"| 1 | [https://github.com/acme/client.git@{REVISION[:12]}](https://github.com/acme/client/tree/{REVISION})"
        in shown
    )
    assert f"| 2 | [sdist client==1.0](https://github.com/acme/client/tree/{'f' * 40})" in shown


def test_the_golden_set_shows_how_many_questions_it_has_and_some_of_them(tmp_path: Path) -> None:
    write_questions(tmp_path / "golden.jsonl")
    shown = asset_specs(definitions(tmp_path, golden_set="golden.jsonl"))["golden_set"].metadata
    assert shown["questions"] > 0
    assert shown["for_example"].value.startswith("- ")


@pytest.mark.parametrize("content", [None, "{"])
def test_a_golden_set_that_cannot_be_read_is_no_reason_not_to_load(tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / "golden.jsonl").write_text(content)
    shown = asset_specs(definitions(tmp_path, golden_set="golden.jsonl"))["golden_set"].metadata
    assert shown["path"].value == "golden.jsonl"
    assert "questions" not in shown


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("Session.__init__", r"Session.\_\_init\_\_"),
        ("should_strip_auth", "should_strip_auth"),
        ("a *b* [c](d) `e` ~~f~~", r"a \*b\* \[c\](d) \`e\` \~\~f\~\~"),
        ("&lt;b>", "&amp;lt;b>"),
    ],
)
def test_foreign_text_is_shown_as_it_was_written(written: str, shown: str) -> None:
    assert plain(written) == shown
