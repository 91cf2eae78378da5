"""What the Dagster UI shows of each asset: counts, tables, links and previews."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import dagster as dg

from gitcontext_pipeline.answer.evidence import title
from gitcontext_pipeline.chunks import table
from gitcontext_pipeline.corpus.permalinks import commit_url, pull_request_url
from gitcontext_pipeline.corpus.pull_request_table import PULL_REQUESTS, read_pull_requests
from gitcontext_pipeline.evaluation.report import Report
from gitcontext_pipeline.evaluation.verdict import Delta, Reason, Verdict
from gitcontext_pipeline.steps.snapshots import candidate
from gitcontext_pipeline.steps.workspace import Workspace

PREVIEW_ROWS = 8

Facts = Mapping[str, Any]
Metadata = Mapping[str, Any]


def how_to_freeze(corpus: str) -> str:
    return f"freeze this run as the baseline: gitcontext eval freeze --corpus {corpus} --note 'why'"


def repo_checkout(workspace: Workspace, facts: Facts) -> Metadata:
    return {
        "origin": facts["origin"],
        "revision": facts["revision"],
        **tree_link(workspace, facts["revision"]),
        "files": facts["files"],
        "bytes": facts["bytes"],
        "history": facts["history"],
        "not_used": "; ".join(f"{label}: {reason}" for label, reason in facts["attempts"]) or "none",
    }


def tree_link(workspace: Workspace, revision: str) -> Metadata:
    """The repository's files at that commit on GitHub; nothing where the corpus names no GitHub repository."""
    repository = workspace.spec.repository
    if repository is None:
        return {}
    label = plain(f"{workspace.spec.github} at {revision[:12]}")
    return {"link": dg.MetadataValue.md(f"[{label}]({tree_url(repository, revision)})")}


def shown_path(workspace: Workspace, place: Path) -> dg.PathMetadataValue:
    """Relative to the project where it is in there: a long path would push the UI's table out of the window."""
    inside = place.is_relative_to(workspace.project)
    return dg.MetadataValue.path(place.relative_to(workspace.project) if inside else place)


def tree_url(repository: str, revision: str) -> str:
    return commit_url(repository, revision).replace("/commit/", "/tree/")


def pr_cache(workspace: Workspace, facts: Facts) -> Metadata:
    limit = facts["limit_left"]
    return {
        "dagster/row_count": facts["rows"],
        "newest_pull_requests": dg.MetadataValue.md(_newest(workspace)),
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
        "table": shown_path(workspace, workspace.corpus.directory / PULL_REQUESTS),
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
        "table": shown_path(workspace, candidate(workspace) / "chunks.parquet"),
    }


def vector_index(workspace: Workspace, facts: Facts) -> Metadata:
    return {
        "dagster/row_count": facts["rows"],
        "embedded_anew": facts["embedded"],
        "reused": facts["reused"],
        "seconds": facts["seconds"],
        "model": f"{facts['model']} ({facts['digest']}, {facts['dimension']} dimensions)",
        "index": shown_path(workspace, candidate(workspace) / "lancedb"),
    }


def bm25_index(workspace: Workspace, facts: Facts) -> Metadata:
    return {
        "dagster/row_count": facts["rows"],
        "vocabulary": dg.MetadataValue.md(_counts("field", facts["vocabulary"])),
        "index": shown_path(workspace, candidate(workspace) / "bm25"),
    }


def audit_table(report: Report) -> str:
    rows = [(finding.problem, plain(finding.case or ""), plain(finding.detail)) for finding in report.audit.findings]
    return markdown_table(("problem", "case", "detail"), rows)


def delta_table(deltas: Iterable[Delta]) -> str:
    rows = [
        (delta.name, f"{delta.baseline:.3f}", f"{delta.current:.3f}", f"{delta.delta_pp:+.2f}", delta.outcome)
        for delta in deltas
    ]
    return markdown_table(("metric", "baseline", "now", "points", ""), rows)


def verdict_line(verdict: Verdict) -> str:
    """The outcome and why; without a reason, how far the number moved that fared worst."""
    if verdict.reasons or not verdict.gated:
        return f"{verdict.outcome}: {'; '.join(reason.what for reason in verdict.reasons)}".removesuffix(": ")
    lowest = min(verdict.gated, key=lambda delta: delta.delta_pp)
    allowed = f"a fall of up to {verdict.tolerance_pp:g} passes"
    return f"{verdict.outcome}: {lowest.name} fared worst, with {lowest.delta_pp:+.2f} points; {allowed}"


def reasons(told: Sequence[Reason]) -> str:
    return (
        "\n".join(f"- {_cell(reason.what)}" + (f" ({_cell(reason.fix)})" if reason.fix else "") for reason in told)
        or "none"
    )


def _counts(name: str, counts: Mapping[str, int]) -> str:
    return markdown_table((name, "count"), [(plain(key), count) for key, count in counts.items()])


def _preview(workspace: Workspace) -> str:
    chunk_table = table.read(candidate(workspace) / "chunks.parquet")
    step = max(1, len(chunk_table) // PREVIEW_ROWS)
    picked = chunk_table.take(list(range(0, len(chunk_table), step))[:PREVIEW_ROWS]).to_pylist()
    rows = [
        (
            row["kind"],
            plain(title(row["symbol"] or row["signature"])),
            f"[{plain(title(row['path'] or row['commit'][:12]))}]({row['url']})",
        )
        for row in picked
    ]
    return markdown_table(("kind", "name", "place"), rows)


def _newest(workspace: Workspace) -> str:
    pulls = read_pull_requests(workspace.corpus.directory / PULL_REQUESTS)
    newest = sorted(pulls, key=lambda pull: pull.merged, reverse=True)[:PREVIEW_ROWS]
    repository = workspace.spec.repository
    rows = [
        (
            f"[#{pull.number}]({pull_request_url(repository, pull.number)})" if repository else f"#{pull.number}",
            plain(title(pull.title)),
            plain(title(pull.author)),
            pull.merged[:10],
        )
        for pull in newest
    ]
    return markdown_table(("", "title", "author", "merged"), rows)


def plain(text: str) -> str:
    """Foreign text as Markdown that is shown as it was written: `__init__` is a name and not bold."""
    escaped = re.sub(r"([\\`*~\[\]])", r"\\\1", text.replace("&", "&amp;"))
    return re.sub(r"(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])", r"\\_", escaped)


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    if not rows:
        return "none"
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(_cell(str(value)) for value in line) + " |" for line in lines)


def _cell(text: str) -> str:
    """Markdown that stays in its cell, without any HTML."""
    return " ".join(text.replace("|", "\\|").replace("<", "&lt;").split())
