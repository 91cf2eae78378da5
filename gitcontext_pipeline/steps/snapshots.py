"""Which snapshot the steps are making: its id is the fingerprint of all that goes into it."""

from __future__ import annotations

from pathlib import Path

from gitcontext_pipeline.errors import NotIndexed
from gitcontext_pipeline.index import texts, tokens
from gitcontext_pipeline.index.embedder import Embedder, load_embedder
from gitcontext_pipeline.steps.ledger import Ledger, StepResult
from gitcontext_pipeline.steps.workspace import Workspace
from gitcontext_pipeline.storage import fingerprint

MANIFEST = "manifest.json"


def embedder_of(workspace: Workspace) -> Embedder:
    return load_embedder(workspace.spec.embedding_model, workspace.state.models, workspace.progress)


def snapshot_id(chunks_fingerprint: str, embedder: Embedder) -> str:
    """12 hex digits. Equal input gives an equal id, so an unchanged corpus is never built twice."""
    return fingerprint(chunks_fingerprint, embedder.digest, texts.TEXTS_VERSION, tokens.TOKENS_VERSION)[:12]


def material(workspace: Workspace, step: str) -> StepResult:
    """What an earlier step found. Raises NotIndexed if it never ran."""
    done = workspace.ledger.entry(step)
    if done is None:
        raise NotIndexed(
            f"{step} has not been materialized for the corpus {workspace.spec.name!r}",
            fix=f"dagster asset materialize --select 'group:{workspace.spec.name}' -m gitcontext_pipeline.definitions",
        )
    return done


def candidate(workspace: Workspace) -> Path:
    """The directory of the snapshot that the last chunk table belongs to."""
    return workspace.corpus.snapshots / str(material(workspace, "chunks").facts["snapshot"])


def ledger_of(snapshot: Path) -> Ledger:
    return Ledger(snapshot / MANIFEST)
