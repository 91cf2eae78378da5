"""Asking GitHub once a day what changed, and indexing anew where something did. Off until somebody turns it on."""

import dagster as dg

EVERY_NIGHT = "17 4 * * *"
"""Not on the hour, when everybody else's schedules ask GitHub too."""

refresh_pull_requests = dg.define_asset_job(
    "refresh_pull_requests",
    # Upstream as well: a cache is of a checkout, which costs nothing when it is there already.
    selection='+key:"*/pr_cache"+',
    description="Bring the pull requests of every corpus up to date, and all that depends on them: chunks, indexes, "
    "measurement, gate, publication. Every step is skipped where nothing changed.",
)

refresh_pull_requests_daily = dg.ScheduleDefinition(
    name="refresh_pull_requests_daily",
    job=refresh_pull_requests,
    cron_schedule=EVERY_NIGHT,
    execution_timezone="UTC",
    description="Every night, the job refresh_pull_requests. It keeps published_index fresh. GitHub is asked "
    "only where there is a token (GITHUB_TOKEN, GH_TOKEN or gh auth login).",
    default_status=dg.DefaultScheduleStatus.STOPPED,
)
