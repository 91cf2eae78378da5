"""How runs are executed."""

import dagster as dg


@dg.definitions
def defaults() -> dg.Definitions:
    """Steps run in the run's own process: it loads the models once, where a process a step would load them for each."""
    return dg.Definitions(executor=dg.in_process_executor)
