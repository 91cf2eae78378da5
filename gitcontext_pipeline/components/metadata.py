"""What the Dagster UI shows of each asset: counts, tables, links and previews."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import dagster as dg

from gitcontext_pipeline.chunks import table
from gitcontext_pipeline.corpus.permalinks import commit_url
from gitcontext_pipeline.evaluation.report import Report
from gitcontext_pipeline.evaluation.verdict import Delta, Reason
from gitcontext_pipeline.steps.snapshots import candidate
from gitcontext_pipeline.steps.workspace import Workspace

PREVIEW_ROWS = 8

Facts = Mapping[str, Any]
Metadata = Mapping[str, Any]

_ARROW_TYPES = {"list<string>": "array<string>"}


def how_to_freeze(corpus: str) -> str:
    return f"freeze this run as the baseline: gitcontext eval freeze --corpus {corpus} --note 'why'"


def static(asset: str) -> Metadata:
    """What is known of an asset before it is made."""
    if asset != "chunks":
        return {}
    columns = [
        dg.TableColumn(name, type=_ARROW_TYPES.get(kind, kind), description=description)
        for name, (kind, description) in table.COLUMNS.items()
    ]
    return {"dagster/column_schema": dg.TableSchema(columns=columns)}


def repo_checkout(workspace: Workspace, facts: Facts) -> Metadata:
    slug = workspace.spec.repository
    link = commit_url(slug, facts["revision"]).replace("/commit/", "/tree/") if slug else ""
    return {
        "origin": facts["origin"],
        "revision": facts["revision"],
        "files": facts["files"],
        "bytes": facts["bytes"],
        "history": facts["history"],
        "not_used": "; ".join(f"{label}: {reason}" for label, reason in facts["attempts"]) or "none",
        **({"link": dg.MetadataValue.url(link)} if slug else {}),
    }


def pr_cache(workspace: Workspace, facts: Facts) -> Metadata:
    limit = facts["limit_left"]
    return {
        "dagster/row_count": facts["rows"],
        "sources": dg.MetadataValue.json(facts["sources"]),
        "changes": facts["changes"],
        "review_threads": facts["threads"],
        "comments": facts["comments"],
        "routine": dg.MetadataValue.json(facts["noise"]),
        "oldest": facts["oldest"] or "none",
        "newest": facts["newest"] or "none",
        "github": facts["github"],
        "token": facts["token"] or "none",
        "calls": facts["calls"],
        "rate_limit_left": "unknown" if limit is None else limit,
        "last_complete_answer": facts["asked"] or "never",
    }


def chunks(workspace: Workspace, facts: Facts) -> Metadata:
    lines, covered = facts["lines"], facts["covered_lines"]
    return {
        "dagster/row_count": facts["rows"],
        "snapshot": facts["snapshot"],
        "rows_by_kind": dg.MetadataValue.md(_counts("kind", facts["by_kind"])),
        "rows_by_language": dg.MetadataValue.md(_counts("language", facts["by_language"])),
        "line_coverage": round(covered / lines, 4) if lines else 1.0,
        "lines_left_out": dg.MetadataValue.md(_counts("reason", facts["omitted_lines"])),
        "skipped_files": dg.MetadataValue.md(_counts("reason", facts["skipped"])),
        "preview": dg.MetadataValue.md(_preview(workspace)),
    }


def vector_index(workspace: Workspace, facts: Facts) -> Metadata:
    return {
        "dagster/row_count": facts["rows"],
        "embedded_anew": facts["embedded"],
        "reused": facts["reused"],
        "seconds": facts["seconds"],
        "model": f"{facts['model']} ({facts['digest']}, {facts['dimension']} dimensions)",
    }


def bm25_index(workspace: Workspace, facts: Facts) -> Metadata:
    return {
        "dagster/row_count": facts["rows"],
        "vocabulary": dg.MetadataValue.md(_counts("field", facts["vocabulary"])),
    }


def published_index(workspace: Workspace, facts: Facts) -> Metadata:
    return {"snapshot": facts["snapshot"], "previous": facts["previous"] or "none"}


def audit_table(report: Report) -> str:
    rows = [(finding.problem, finding.case or "", finding.detail) for finding in report.audit.findings]
    return markdown_table(("problem", "case", "detail"), rows)


def delta_table(deltas: Iterable[Delta]) -> str:
    rows = [
        (delta.name, f"{delta.baseline:.3f}", f"{delta.current:.3f}", f"{delta.delta_pp:+.2f}", delta.outcome)
        for delta in deltas
    ]
    return markdown_table(("metric", "baseline", "now", "points", ""), rows)


def reasons(told: Sequence[Reason]) -> str:
    return (
        "\n".join(f"- {_cell(reason.what)}" + (f" ({_cell(reason.fix)})" if reason.fix else "") for reason in told)
        or "none"
    )


def _counts(name: str, counts: Mapping[str, int]) -> str:
    return markdown_table((name, "count"), list(counts.items()))


def _preview(workspace: Workspace) -> str:
    chunk_table = table.read(candidate(workspace) / "chunks.parquet")
    step = max(1, len(chunk_table) // PREVIEW_ROWS)
    picked = chunk_table.take(list(range(0, len(chunk_table), step))[:PREVIEW_ROWS]).to_pylist()
    rows = [
        (row["kind"], row["symbol"] or row["signature"], f"[{row['path'] or row['commit'][:12]}]({row['url']})")
        for row in picked
    ]
    return markdown_table(("kind", "name", "place"), rows)


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    if not rows:
        return "none"
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(_cell(str(value)) for value in line) + " |" for line in lines)


def _cell(text: str) -> str:
    """Text that stays in its cell and is shown as written."""
    return " ".join(text.replace("|", "\\|").replace("<", "&lt;").split())
