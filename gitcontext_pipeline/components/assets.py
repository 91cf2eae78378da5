"""The software-defined assets of one corpus: thin calls of the steps, with what they found as metadata."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import dagster as dg

from gitcontext_pipeline.components import metadata, quality_metadata
from gitcontext_pipeline.components.listening import workspace_for
from gitcontext_pipeline.corpus.spec import CorpusSpec
from gitcontext_pipeline.errors import GitContextError
from gitcontext_pipeline.steps import indexes, material, pull_requests, quality
from gitcontext_pipeline.steps.ledger import StepResult
from gitcontext_pipeline.steps.workspace import Workspace

OWNERS = ("team:retrieval",)

Step = Callable[[Workspace], StepResult]
Describe = Callable[[Workspace, Mapping[str, Any]], Mapping[str, Any]]


def corpus_assets(spec: CorpusSpec, project: Path) -> list[dg.AssetsDefinition | dg.AssetSpec]:
    """The graph of one corpus; every key is `[corpus, step]`, every asset in the group named like the corpus."""

    def asset(
        name: str, after: tuple[str, ...], kinds: set[str], step: Step, describe: Describe
    ) -> dg.AssetsDefinition:
        @dg.asset(
            key=[spec.name, name],
            deps=[dg.AssetKey([spec.name, upstream]) for upstream in after],
            group_name=spec.name,
            kinds=kinds,
            owners=list(OWNERS),
            description=step.__doc__,
            metadata=metadata.static(name),
        )
        def materialized(context: dg.AssetExecutionContext) -> dg.MaterializeResult[Any]:
            workspace = workspace_for(spec, project, context.log.info)
            try:
                result = step(workspace)
            except GitContextError as error:  # a message for a person; the stack trace stays in the log
                told = {"exit_code": error.exit_code}
                raise dg.Failure(description=str(error), metadata=told, allow_retries=False) from error
            return dg.MaterializeResult(
                metadata={"skipped": result.skipped, **describe(workspace, result.facts)},
                data_version=dg.DataVersion(result.fingerprint),
            )

        return materialized

    return [
        *_external(spec, project),
        asset("repo_checkout", (), {"git"}, material.check_out, metadata.repo_checkout),
        asset("pr_cache", ("repo_checkout",), {"git", "parquet"}, pull_requests.cache_pull_requests, metadata.pr_cache),
        asset(
            "chunks", ("repo_checkout", "pr_cache"), {"treesitter", "parquet"}, material.build_chunks, metadata.chunks
        ),
        asset("vector_index", ("chunks",), {"lancedb", "huggingface"}, indexes.build_vectors, metadata.vector_index),
        asset("bm25_index", ("chunks",), {"arrow"}, indexes.build_bm25, metadata.bm25_index),
        asset(
            "retrieval_report",
            ("vector_index", "bm25_index", "golden_set"),
            {"python", "json"},
            quality.measure_retrieval,
            quality_metadata.retrieval_report,
        ),
        asset(
            "baseline_comparison",
            ("retrieval_report", "baseline"),
            {"python", "json"},
            quality.compare_with_baseline,
            quality_metadata.baseline_comparison,
        ),
        asset("published_index", ("baseline_comparison",), {"lancedb"}, quality.publish, metadata.published_index),
    ]


def _external(spec: CorpusSpec, project: Path) -> Iterator[dg.AssetSpec]:
    """What people write and review: the golden set and the frozen baselines."""
    workspace = workspace_for(spec, project, lambda line: None)
    golden = workspace.golden_set
    yield dg.AssetSpec(
        key=[spec.name, "golden_set"],
        group_name=spec.name,
        kinds={"json"},
        owners=list(OWNERS),
        description="The questions with their labelled answers, one JSON object a line; reviewed by people.",
        metadata={"path": dg.MetadataValue.path(golden or "none")},
    )
    yield dg.AssetSpec(
        key=[spec.name, "baseline"],
        group_name=spec.name,
        kinds={"json"},
        owners=list(OWNERS),
        description="Frozen measurements, one file a revision; moved by `gitcontext eval freeze` and by nothing else.",
        metadata={"path": dg.MetadataValue.path(workspace.baselines)},
    )
