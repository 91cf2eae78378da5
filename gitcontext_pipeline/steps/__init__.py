"""The steps from a corpus specification to a published snapshot, as plain functions; Dagster's assets call them."""
