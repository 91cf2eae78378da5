"""Each corpus: whether it can be asked, and what of it is old, left over or held by somebody."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from shlex import join, quote
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from gitcontext_pipeline.cli.health.finding import PATIENCE, Finding
from gitcontext_pipeline.corpus.permalinks import GITHUB
from gitcontext_pipeline.corpus.redaction import redact
from gitcontext_pipeline.corpus.spec import CorpusSpec, GitOrigin
from gitcontext_pipeline.errors import GitContextError
from gitcontext_pipeline.state import CorpusState, State
from gitcontext_pipeline.steps.workspace import remembered
from gitcontext_pipeline.storage import BESIDE

if TYPE_CHECKING:
    from gitcontext_pipeline.steps.workspace import Workspace


def corpus_findings(state: State, corpus: CorpusState, *, offline: bool) -> Iterator[Finding]:
    """Whether it is published and readable; revision, pull requests, code version, leftovers, locks."""
    by_address = {each.spec.name: each for each in remembered(state)}.get(corpus.name)
    workspace = by_address or _configured(corpus)
    again = f"gitcontext index {quote(corpus.name)}" if by_address is None else _command(by_address.spec)
    yield from _published(state, corpus, again)
    if workspace is not None and corpus.current is not None:
        yield from _made_as_now(workspace, again)
        yield from _pull_requests(workspace)
        if not offline:
            yield from _origin(workspace, pinned=by_address is None)
    yield from _locks_and_leftovers(corpus, again)


def _published(state: State, corpus: CorpusState, again: str) -> Iterator[Finding]:
    from gitcontext_pipeline.index.vectors import has_copy
    from gitcontext_pipeline.retrieval.retriever import Retriever

    snapshot = corpus.current
    if snapshot is None and corpus.pointer.is_file():
        fix = f"gitcontext rollback {quote(corpus.name)}"
        yield Finding(corpus.name, "published", "broken", "its pointer names no snapshot that is there", fix)
        return
    if snapshot is None:
        yield Finding(corpus.name, "published", "warning", "nothing of it is published", again)
        return
    try:
        opened = Retriever.open(snapshot, state.models)
    except GitContextError as error:
        fix = f"gitcontext rollback {quote(corpus.name)}"
        yield Finding(corpus.name, "published", "broken", f"{snapshot.name}: {error.what}", fix)
        return
    told = f"{snapshot.name} at {opened.revision}, {len(opened.chunks)} chunks"
    yield Finding(corpus.name, "published", "ok", told)
    if not has_copy(snapshot / "lancedb"):
        told = "saved by an older version: the first question of each command takes a second longer"
        yield Finding(corpus.name, "vectors", "warning", told, again)


def _configured(corpus: CorpusState) -> Workspace | None:
    from gitcontext_pipeline.cli.workspaces import workspace_of

    try:
        return workspace_of(corpus.name)
    except GitContextError:
        return None


def _command(spec: CorpusSpec, revision: str | None = None) -> str:
    """The command that indexes what is indexed again, or `revision` of it; passwords in the address are hidden."""
    origin = next(each for each in spec.origins if isinstance(each, GitOrigin))
    words = ["gitcontext", "index", f"{redact(origin.git)}@{revision or origin.revision}", "--name", spec.name]
    words += ["--github", spec.github] if spec.github else []
    words += ["--github-url", spec.github_url] if spec.github_url != GITHUB else []
    words += ["--github-url", spec.github_url] if spec.github and spec.github_url != GITHUB else []
    words += ["--history", str(spec.history)] if spec.history != "all" else []
    words += ["--golden-set", spec.golden_set] if spec.golden_set else []
    for option, globs, default in (("--include", spec.include, ("**",)), ("--exclude", spec.exclude, ())):
        words += [word for glob in globs if tuple(globs) != default for word in (option, glob)]
    return join(words)


def _made_as_now(workspace: Workspace, again: str) -> Iterator[Finding]:
    """Whether this version of the code would make the published snapshot again."""
    from gitcontext_pipeline.index.model_files import is_exported
    from gitcontext_pipeline.index.snapshot import identity_of
    from gitcontext_pipeline.steps.material import chunks_input

    if not is_exported(workspace.spec.embedding_model, workspace.state.models):
        return  # telling would take as long as exporting it
    name, current = workspace.spec.name, workspace.corpus.current
    try:
        _, wanted = chunks_input(workspace)
    except GitContextError as error:
        yield Finding(name, "version", "warning", error.what, again)
        return
    if current is not None and identity_of(current.name) == wanted:
        yield Finding(name, "version", "ok", "made as this version of the code makes it")
    elif (workspace.corpus.snapshots / wanted / "manifest.json").is_file():
        fix = f"gitcontext eval gate --corpus {quote(name)}"
        yield Finding(name, "version", "warning", f"a newer snapshot, {wanted}, was made and not published", fix)
    else:
        told = "made by an older version of the code, or from other material than is on disk"
        yield Finding(name, "version", "warning", told, again)


def _pull_requests(workspace: Workspace) -> Iterator[Finding]:
    from gitcontext_pipeline.steps.pull_requests import FRESH_DAYS, age_in_days

    entry = workspace.ledger.entry("pr_cache")
    if entry is None:
        return
    name, age = workspace.spec.name, age_in_days(entry.facts.get("asked"))
    if age is None:
        named = entry.facts.get("named", 0)
        told = f"{named} from the git history; GitHub: {entry.facts.get('github', 'not asked')}"
        fix = f"gitcontext fetch-prs {quote(name)}" if named and workspace.spec.github else None
        yield Finding(name, "pull requests", "off", told, fix)
    else:
        old = age > FRESH_DAYS
        fix = f"gitcontext fetch-prs {quote(name)}" if old else None
        yield Finding(name, "pull requests", "warning" if old else "ok", f"GitHub was asked {age:.0f} days ago", fix)


def _origin(workspace: Workspace, *, pinned: bool) -> Iterator[Finding]:
    """Whether the branch of the origin has moved on, which a corpus that is pinned in a YAML file may ignore."""
    from gitcontext_pipeline.corpus.transport import Limits, advertised

    origin = next((each for each in workspace.spec.origins if isinstance(each, GitOrigin)), None)
    if origin is None:
        return
    name, address = workspace.spec.name, redact(origin.git)
    try:
        head = advertised(origin.git, Limits(PATIENCE, PATIENCE, 2 * PATIENCE), "HEAD").get("HEAD")
    except GitContextError as error:
        yield Finding(name, "origin", "warning", f"{address}: {error.what}", join(["git", "ls-remote", address]))
        return
    if head is None or head == origin.revision:
        yield Finding(name, "origin", "ok", "its branch is at the indexed revision")
        return
    told = f"its branch is at {head[:12]}, indexed is {origin.revision[:12]}"
    if pinned:
        yield Finding(name, "origin", "ok", f"{told}, as it is pinned")
    else:
        yield Finding(name, "origin", "warning", told, _command(workspace.spec, head))


def _locks_and_leftovers(corpus: CorpusState, again: str) -> Iterator[Finding]:
    if any(_is_held(corpus.directory / place / ".lock") for place in (".", ".run")):
        yield Finding(corpus.name, "lock", "off", "a running process is working on it")
        return
    left = [path for pattern in (f"{BESIDE}*", f"snapshots/{BESIDE}*", f"snapshots/*/{BESIDE}*")
            for path in corpus.directory.glob(pattern)]  # fmt: skip
    if left:
        told = f"{len(left)} half-written, left by a run that was killed: {left[0].relative_to(corpus.directory)}"
        yield Finding(corpus.name, "leftovers", "warning", told, again)


def _is_held(lock: Path) -> bool:
    if not lock.is_file():
        return False
    try:
        with FileLock(lock, timeout=0):
            return False
    except Timeout:
        return True
    except OSError:  # of another user: who holds it cannot be told
        return False
