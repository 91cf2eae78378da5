"""What is known of an asset before it is made: where it comes from, its columns, what people wrote and froze."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import dagster as dg

from gitcontext_pipeline.chunks import table
from gitcontext_pipeline.components.metadata import markdown_table, plain, shown_path, tree_url
from gitcontext_pipeline.errors import GitContextError
from gitcontext_pipeline.evaluation.baseline import read_baseline
from gitcontext_pipeline.evaluation.cases import read_cases
from gitcontext_pipeline.steps.workspace import Workspace

SAMPLE = 5
_ARROW_TYPES = {"list<string>": "array<string>"}

Metadata = Mapping[str, Any]


def known(asset: str, workspace: Workspace) -> Metadata:
    return _KNOWN[asset](workspace) if asset in _KNOWN else {}


def _origins(workspace: Workspace) -> Metadata:
    repository = workspace.spec.repository
    rows = []
    for number, origin in enumerate(workspace.spec.origins, 1):
        label = plain(origin.label)
        rows.append((number, f"[{label}]({tree_url(repository, origin.revision)})" if repository else label))
    return {"origins": dg.MetadataValue.md(markdown_table(("", "in order of preference"), rows))}


def _columns(workspace: Workspace) -> Metadata:
    columns = [
        dg.TableColumn(name, type=_ARROW_TYPES.get(kind, kind), description=description)
        for name, (kind, description) in table.COLUMNS.items()
    ]
    return {"dagster/column_schema": dg.TableSchema(columns=columns)}


def _golden_set(workspace: Workspace) -> Metadata:
    file = workspace.golden_set
    if file is None:
        return {"path": "none: name a file as golden_set, and retrieval is measured"}
    found: dict[str, Any] = {"path": shown_path(workspace, file)}
    with suppress(GitContextError):  # told where the set is measured; definitions load all the same
        cases = read_cases(file).cases
        kinds = Counter(case.kind or "other" for case in cases)
        found["questions"] = len(cases)
        found["by_kind"] = dg.MetadataValue.md(
            markdown_table(("kind", "questions"), [(plain(kind), count) for kind, count in kinds.most_common()])
        )
        sample = cases[:: max(1, len(cases) // SAMPLE)][:SAMPLE]
        found["for_example"] = dg.MetadataValue.md("\n".join(f"- {plain(case.query)}" for case in sample))
    return found


def _baselines(workspace: Workspace) -> Metadata:
    rows = []
    for file in sorted(workspace.baselines.glob("*.json")):
        with suppress(GitContextError):
            frozen = read_baseline(file).frozen
            rows.append((file.stem[:12], frozen.at[:10], plain(frozen.by), plain(frozen.note)))
    return {
        "path": shown_path(workspace, workspace.baselines),
        "frozen": dg.MetadataValue.md(markdown_table(("revision", "when", "by", "why"), rows)),
    }


_KNOWN: Mapping[str, Callable[[Workspace], Metadata]] = {
    "repo_checkout": _origins,
    "chunks": _columns,
    "golden_set": _golden_set,
    "baseline": _baselines,
}
