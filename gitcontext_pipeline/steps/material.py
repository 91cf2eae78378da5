"""From the specification to the chunk table: the checkout, then the chunks of its files and of its history."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from gitcontext_pipeline.chunks import table
from gitcontext_pipeline.chunks.changes import CHANGES_VERSION, change_chunks
from gitcontext_pipeline.chunks.collect import COLLECT_VERSION, Collected, Identity, collect_files
from gitcontext_pipeline.chunks.splitter import SPLITTER_VERSION
from gitcontext_pipeline.chunks.table import Chunk
from gitcontext_pipeline.corpus.blame import line_commits, revisions_to_ignore, subjects_by_line_range
from gitcontext_pipeline.corpus.changes import Change
from gitcontext_pipeline.corpus.checkout import Checkout
from gitcontext_pipeline.corpus.lineage import Lineage, Stretch
from gitcontext_pipeline.corpus.noise import TEMPLATE, template_lines
from gitcontext_pipeline.corpus.origins import open_checkout, read_checkout
from gitcontext_pipeline.corpus.pull_request_table import PULL_REQUESTS, read_pull_requests
from gitcontext_pipeline.corpus.selection import select
from gitcontext_pipeline.index.snapshot import unpublished
from gitcontext_pipeline.steps.ledger import StepResult
from gitcontext_pipeline.steps.pull_requests import HISTORY_VERSION, changes_as_cached
from gitcontext_pipeline.steps.snapshots import candidate, embedder_of, ledger_of, material, snapshot_id
from gitcontext_pipeline.steps.workspace import Workspace
from gitcontext_pipeline.storage import building, fingerprint, locked

CHUNKS = "chunks.parquet"


def check_out(workspace: Workspace) -> StepResult:
    """The repository at exactly the pinned commit, from the first origin that answers: a bare clone, or a release."""
    opened = open_checkout(workspace.spec, workspace.corpus.directory, progress=_fetching(workspace))
    files = list(opened.checkout.files())
    facts = {
        "origin": opened.origin.label,
        "position": opened.position,
        "attempts": [list(attempt) for attempt in opened.attempts],
        "revision": opened.checkout.revision,
        "files": len(files),
        "bytes": sum(file.size for file in files),
        "history": opened.checkout.repository is not None,
    }
    input_ = fingerprint(opened.origin.model_dump(), workspace.spec.history)
    with locked(workspace.corpus.directory):
        return workspace.ledger.run("repo_checkout", input_, lambda: facts, lambda: True)


def build_chunks(workspace: Workspace) -> StepResult:
    """The chunk table: every symbol, section and change of the corpus, with its provenance and its permalink."""
    spec = workspace.spec
    input_, identity = chunks_input(workspace)

    def make() -> Mapping[str, Any]:
        chunks, facts = _collect(workspace)
        snapshot = unpublished(workspace.corpus, identity)
        with building(workspace.corpus.snapshots / snapshot) as beside:
            table.write(chunks, beside / CHUNKS)
            ledger_of(beside).record(
                "chunks",
                input_,
                facts,
                beside / CHUNKS,
                corpus=spec.name,
                github=spec.repository,
                revision=facts["revision"],
                embedding_model=spec.embedding_model,
            )
        return {**facts, "snapshot": snapshot}

    def intact() -> bool:
        snapshot = candidate(workspace)
        recorded = ledger_of(snapshot).entry("chunks")
        unchanged = ledger_of(snapshot).unchanged("chunks", snapshot / CHUNKS)
        return recorded is not None and recorded.fingerprint == input_ and unchanged

    with locked(workspace.corpus.directory):
        return workspace.ledger.run("chunks", fingerprint(input_, identity), make, intact)


def chunks_input(workspace: Workspace) -> tuple[str, str]:
    """The fingerprint of all that the chunk table is made from, and the id of the snapshot that it belongs to."""
    spec = workspace.spec
    upstream = [material(workspace, step).fingerprint for step in ("repo_checkout", "pr_cache")]
    versions = (SPLITTER_VERSION, COLLECT_VERSION, CHANGES_VERSION, HISTORY_VERSION)
    input_ = fingerprint(upstream, versions, spec.name, spec.repository, spec.include, spec.exclude)
    return input_, snapshot_id(input_, embedder_of(workspace))


def _fetching(workspace: Workspace) -> Callable[[str], None]:
    """Git counts its objects many times a second: those lines move the bar, the others are shown."""

    def progress(line: str) -> None:
        counted = re.search(r"\((\d+)/(\d+)\)", line)
        if counted:
            workspace.advance(int(counted[1]), int(counted[2]))
        elif not line.startswith("remote:"):
            workspace.progress(line)

    return progress


def _collect(workspace: Workspace) -> tuple[list[Chunk], dict[str, Any]]:
    spec = workspace.spec
    checkout = read_checkout(workspace.corpus.directory)
    identity = Identity(spec.name, spec.repository, checkout.revision)
    chosen = select(checkout.files(), spec.include, spec.exclude)
    pulls = {pull.merge_sha: pull for pull in read_pull_requests(workspace.corpus.directory / PULL_REQUESTS)}
    changes = changes_as_cached(workspace, checkout, pulls)
    template = template_lines(_templates(checkout), [pull.body for pull in pulls.values()])
    lines = _line_changes(workspace, checkout, [file.path for file in chosen.files], changes)
    by_sha = {change.sha: change for change in changes}
    workspace.progress(f"splitting {len(chosen.files)} files")
    collected = collect_files(
        checkout,
        chosen.files,
        identity,
        lambda path, start, end: subjects_by_line_range(lines, by_sha, path, start, end),
        workspace.advance,
    )
    if chosen.excluded:
        collected.skipped["excluded"] += chosen.excluded
    lineage = Lineage(lines, changes)
    files = [_with_lineage(chunk, lineage) for chunk in collected.chunks]
    roles = {chunk.path: chunk.role for chunk in files}

    def standing(sha: str) -> list[Stretch]:
        return sorted(lineage.standing(sha), key=lambda stretch: roles.get(stretch[0]) != "main")

    chunks = [*files, *change_chunks(changes, identity, pulls, template, standing)]
    return chunks, _facts(chunks, collected, checkout.revision)


def _with_lineage(chunk: Chunk, lineage: Lineage) -> Chunk:
    introduced, changed = lineage.of_lines(chunk.path, chunk.start_line, chunk.text)
    return replace(chunk, introduced=introduced, changed=changed)


def _templates(checkout: Checkout) -> list[str]:
    files = [file for file in checkout.files() if TEMPLATE.match(file.path)]
    return [checkout.read(file).decode(errors="replace") for file in files]


def _line_changes(
    workspace: Workspace, checkout: Checkout, paths: Sequence[str], changes: Sequence[Change]
) -> dict[str, list[str]]:
    """The change that last touched each line of each file; none where there is no history."""
    if checkout.repository is None or not changes:
        return {}
    workspace.progress("finding the last change of every line")
    ignore = revisions_to_ignore(checkout.repository, checkout.revision, changes)
    cache = workspace.corpus.directory / "blame"
    return line_commits(checkout.repository, checkout.revision, paths, cache, ignore, changes)


def _facts(chunks: Sequence[Chunk], collected: Collected, revision: str) -> dict[str, Any]:
    return {
        "revision": revision,
        "rows": len(chunks),
        "by_kind": dict(Counter(chunk.kind for chunk in chunks).most_common()),
        "by_language": dict(Counter(chunk.language for chunk in collected.chunks).most_common()),
        "files": collected.files,
        "skipped": dict(collected.skipped.most_common()),
        "skipped_paths": collected.skipped_paths,
        "lines": collected.lines,
        "covered_lines": collected.covered,
        "omitted_lines": dict(collected.omitted.most_common()),
    }
