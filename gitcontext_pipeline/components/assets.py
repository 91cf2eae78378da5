"""The software-defined assets of one corpus: thin calls of the steps, with what they found as metadata."""

from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import dagster as dg

from gitcontext_pipeline.components import definition_metadata, metadata, quality_metadata
from gitcontext_pipeline.components.descriptions import description
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
    origin = "github" if spec.github else "source"
    defined = workspace_for(spec, project, lambda line: None)

    def asset(
        name: str, after: tuple[str, ...], kinds: set[str], step: Step, describe: Describe
    ) -> dg.AssetsDefinition:
        @dg.asset(
            key=[spec.name, name],
            deps=[dg.AssetKey([spec.name, upstream]) for upstream in after],
            group_name=spec.name,
            kinds=kinds,
            owners=list(OWNERS),
            description=description(name),
            metadata=definition_metadata.known(name, defined),
            freshness_policy=freshness(spec) if name == "published_index" else None,
        )
        def materialized(context: dg.AssetExecutionContext) -> dg.MaterializeResult[Any]:
            workspace = workspace_for(spec, project, context.log.info)
            try:
                result = step(workspace)
            except GitContextError as error:  # a message for a person; the stack trace stays in the log
                told = {"exit_code": error.exit_code}
                raise dg.Failure(description=str(error), metadata=told, allow_retries=False) from error
            return dg.MaterializeResult(
                metadata={**describe(workspace, result.facts), "skipped": result.skipped},
                data_version=dg.DataVersion(result.fingerprint),
            )

        return materialized

    return [
        *_external(defined),
        asset("repo_checkout", (), {origin}, material.check_out, metadata.repo_checkout),
        asset(
            "pr_cache", ("repo_checkout",), {origin, "parquet"}, pull_requests.cache_pull_requests, metadata.pr_cache
        ),
        asset("chunks", ("repo_checkout", "pr_cache"), {"table", "parquet"}, material.build_chunks, metadata.chunks),
        asset("vector_index", ("chunks",), {"huggingface", "arrow"}, indexes.build_vectors, metadata.vector_index),
        asset("bm25_index", ("chunks",), {"scipy", "arrow"}, indexes.build_bm25, metadata.bm25_index),
        asset(
            "retrieval_report",
            ("vector_index", "bm25_index", "golden_set"),
            {"report", "matplotlib"},
            quality.measure_retrieval,
            quality_metadata.retrieval_report,
        ),
        asset(
            "baseline_comparison",
            ("retrieval_report", "baseline"),
            {"report", "json"},
            quality.compare_with_baseline,
            quality_metadata.baseline_comparison,
        ),
        asset(
            "published_index", ("baseline_comparison",), {"dataset"}, quality.publish, quality_metadata.published_index
        ),
    ]


def freshness(spec: CorpusSpec) -> dg.FreshnessPolicy | None:
    """A pinned index does not rot, but a pin that nobody has looked at for long describes yesterday's code."""
    if spec.fresh_within_days is None:
        return None
    return dg.FreshnessPolicy.time_window(fail_window=timedelta(days=spec.fresh_within_days))


def _external(workspace: Workspace) -> Iterator[dg.AssetSpec]:
    """What people write and review: the golden set and the frozen baselines."""
    for name in ("golden_set", "baseline"):
        yield dg.AssetSpec(
            key=[workspace.spec.name, name],
            group_name=workspace.spec.name,
            kinds={"json", "source"},
            owners=list(OWNERS),
            description=description(name),
            metadata=definition_metadata.known(name, workspace),
        )
