"""Corpora that `gitcontext index URL_OR_PATH` made: the same graph, shown beside those that have a YAML file."""

import re
from pathlib import Path

import dagster as dg

from gitcontext_pipeline.components.assets import corpus_assets
from gitcontext_pipeline.components.checks import corpus_checks
from gitcontext_pipeline.state import State
from gitcontext_pipeline.steps.workspace import remembered


@dg.definitions
def remembered_corpora() -> dg.Definitions:
    found = [each for each in remembered(State.locate()) if each.spec.name not in _configured_names()]
    return dg.Definitions(
        assets=[asset for each in found for asset in corpus_assets(each.spec, each.project)],
        asset_checks=[check for each in found for check in corpus_checks(each.spec, each.project)],
    )


def _configured_names() -> set[str]:
    """Names in the YAML files; one of them given to an address before must not stand in the graph twice."""
    texts = (path.read_text(encoding="utf-8") for path in (Path(__file__).parent / "corpora").rglob("*.yaml"))
    return {name for text in texts for name in re.findall(r"^\s+name:\s*[\"']?([a-z0-9_]+)", text, re.MULTILINE)}
