"""Asking GitHub once a day what changed, and indexing anew where something did. Off until somebody turns it on."""

import dagster as dg

EVERY_NIGHT = "17 4 * * *"
"""Not on the hour, when everybody else's schedules ask GitHub too."""

refresh_pull_requests = dg.define_asset_job(
    "refresh_pull_requests",
    # Upstream as well: a cache is of a checkout, which costs nothing when it is there already.
    selection='+key:"*/pr_cache"+',
    description="Bring every corpus's pull requests up to date; what depends on them is skipped where nothing changed.",
)

refresh_pull_requests_daily = dg.ScheduleDefinition(
    name="refresh_pull_requests_daily",
    job=refresh_pull_requests,
    cron_schedule=EVERY_NIGHT,
    execution_timezone="UTC",
    default_status=dg.DefaultScheduleStatus.STOPPED,
)
