from __future__ import annotations

import dagster as dg

from gitcontext_pipeline.definitions import defs


def test_the_daily_refresh_covers_every_corpus_and_is_off_until_turned_on() -> None:
    repository = defs().get_repository_def()
    (schedule,) = [each for each in repository.schedule_defs if each.name == "refresh_pull_requests_daily"]
    assert schedule.default_status == dg.DefaultScheduleStatus.STOPPED
    selected = repository.get_job(schedule.job_name).asset_layer.selected_asset_keys
    caches = {key for key in repository.asset_graph.get_all_asset_keys() if key.path[-1] == "pr_cache"}
    assert caches
    assert caches <= selected
    assert {key.path[0] for key in caches} == {key.path[0] for key in selected if key.path[-1] == "published_index"}
