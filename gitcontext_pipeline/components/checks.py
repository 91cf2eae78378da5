"""The asset checks of one corpus: a few lines each, which return the verdict and the numbers behind it."""

from collections.abc import Callable
from pathlib import Path

import dagster as dg

from gitcontext_pipeline.components import metadata
from gitcontext_pipeline.components.listening import workspace_for
from gitcontext_pipeline.corpus.spec import CorpusSpec
from gitcontext_pipeline.evaluation.verdict import Delta
from gitcontext_pipeline.steps import audits, quality
from gitcontext_pipeline.steps.pull_requests import FRESH_DAYS, STOPPED, age_in_days
from gitcontext_pipeline.steps.snapshots import material
from gitcontext_pipeline.steps.workspace import Workspace

ERROR, WARN = dg.AssetCheckSeverity.ERROR, dg.AssetCheckSeverity.WARN

Verify = Callable[[Workspace], dg.AssetCheckResult]


def corpus_checks(spec: CorpusSpec, project: Path) -> list[dg.AssetChecksDefinition]:
    """`regression_gate` blocks publication; the others tell what is wrong, or only odd, about the material."""

    def check(asset: str, name: str, verify: Verify, *, blocking: bool = False) -> dg.AssetChecksDefinition:
        @dg.asset_check(asset=dg.AssetKey([spec.name, asset]), name=name, description=verify.__doc__, blocking=blocking)
        def verified(context: dg.AssetCheckExecutionContext) -> dg.AssetCheckResult:
            return verify(workspace_for(spec, project, context.log.info))

        return verified

    return [
        check("repo_checkout", "revision_is_pinned", revision_is_pinned, blocking=True),
        check("repo_checkout", "origin_is_first_choice", origin_is_first_choice),
        check("pr_cache", "pull_requests_complete", pull_requests_complete),
        check("pr_cache", "pull_requests_fresh", pull_requests_fresh),
        check("chunks", "permalinks_resolve", permalinks_resolve, blocking=True),
        check("chunks", "provenance_complete", provenance_complete, blocking=True),
        check("chunks", "lines_covered", lines_covered, blocking=True),
        check("bm25_index", "index_rows_equal_chunk_rows", index_rows_equal_chunk_rows, blocking=True),
        check("retrieval_report", "golden_set_answerable", golden_set_answerable),
        check("baseline_comparison", "regression_gate", regression_gate, blocking=True),
        check("baseline_comparison", "improvement_worth_freezing", improvement_worth_freezing),
        *(check("baseline_comparison", name, verify) for name, verify in _metric_checks(spec, project)),
    ]


def revision_is_pinned(workspace: Workspace) -> dg.AssetCheckResult:
    """What was checked out is the revision that the specification pins for the origin that answered."""
    facts = material(workspace, "repo_checkout").facts
    pinned = workspace.spec.origins[facts["position"]].revision
    return dg.AssetCheckResult(
        passed=facts["revision"] == pinned, metadata={"pinned": pinned, "checked_out": facts["revision"]}
    )


def origin_is_first_choice(workspace: Workspace) -> dg.AssetCheckResult:
    """The first origin answered. Where it did not, links and answers are about the revision of a later one."""
    facts = material(workspace, "repo_checkout").facts
    tried = "; ".join(f"{label}: {reason}" for label, reason in facts["attempts"])
    return dg.AssetCheckResult(
        passed=facts["position"] == 0,
        severity=WARN,
        metadata={"origin": facts["origin"], "revision": facts["revision"], "not_used": tried or "none"},
    )


def pull_requests_complete(workspace: Workspace) -> dg.AssetCheckResult:
    """The cache has every pull request that the history names, with GitHub's side of it where GitHub was asked."""
    facts = material(workspace, "pr_cache").facts
    from_github = facts["sources"]["GitHub"]
    told = from_github >= (facts["named"] if from_github else 0) and not facts["github"].startswith(STOPPED)
    return dg.AssetCheckResult(
        passed=0 < facts["named"] <= facts["cached"] and told,
        severity=WARN,
        metadata={
            "named_by_history": facts["named"],
            "cached": facts["cached"],
            "from_github": from_github,
            "github": facts["github"],
            "changes": facts["changes"],
            "newest": facts["newest"] or "none",
        },
    )


def pull_requests_fresh(workspace: Workspace) -> dg.AssetCheckResult:
    """GitHub answered to the end within the last days, if it ever did. What git alone tells cannot grow old."""
    facts = material(workspace, "pr_cache").facts
    age = age_in_days(facts["asked"])
    return dg.AssetCheckResult(
        passed=age is None or age <= FRESH_DAYS,
        severity=WARN,
        metadata={
            "last_complete_answer": facts["asked"] or "never",
            "days_ago": "none" if age is None else round(age, 1),
            "limit_days": FRESH_DAYS,
            "github": facts["github"],
        },
    )


def permalinks_resolve(workspace: Workspace) -> dg.AssetCheckResult:
    """Every permalink names the indexed revision and lines that hold exactly the excerpt."""
    return _finding(audits.permalinks_resolve(workspace))


def provenance_complete(workspace: Workspace) -> dg.AssetCheckResult:
    """No chunk is without revision, link and lines; no change without its commit id."""
    return _finding(audits.provenance_complete(workspace))


def lines_covered(workspace: Workspace) -> dg.AssetCheckResult:
    """Every non-blank line of every indexed file is in a chunk, or left out for a reason that the report names."""
    return _finding(audits.lines_covered(workspace))


def index_rows_equal_chunk_rows(workspace: Workspace) -> dg.AssetCheckResult:
    """Both indexes hold exactly the chunks of the table."""
    counts = dict(audits.index_rows(workspace))
    return dg.AssetCheckResult(passed=len(set(counts.values())) == 1, metadata=counts)


def golden_set_answerable(workspace: Workspace) -> dg.AssetCheckResult:
    """Every question of the golden set has its answer in this corpus, or was set aside by name."""
    report = quality.report_of(workspace)
    if report is None:
        return dg.AssetCheckResult(
            passed=False,
            severity=WARN,
            description="nothing is measured: write a golden set and name it as golden_set",
        )
    aside = [f"{case.id}: {case.reason}" for case in report.set_aside]
    return dg.AssetCheckResult(
        passed=not report.errors,
        severity=WARN,
        metadata={
            "measured": len(report.cases),
            "set_aside": len(aside),
            "set_aside_cases": dg.MetadataValue.md("\n".join(f"- {line}" for line in aside) or "none"),
            "errors": "; ".join(report.errors) or "none",
            "audit": dg.MetadataValue.md(metadata.audit_table(report)),
        },
    )


def regression_gate(workspace: Workspace) -> dg.AssetCheckResult:
    """No gated metric fell by more than the tolerance. A failure stops publication; no baseline is a pass with WARN."""
    verdict = quality.verdict_of(workspace)
    told = {
        "outcome": verdict.outcome,
        "reasons": dg.MetadataValue.md(metadata.reasons([*verdict.reasons, *verdict.warnings])),
        "tolerance_pp": verdict.tolerance_pp,
        "deltas": dg.MetadataValue.md(metadata.delta_table(verdict.gated)),
    }
    if verdict.exit_code == 0 and verdict.baseline is None:
        return dg.AssetCheckResult(
            passed=True, severity=WARN, metadata=told, description=metadata.how_to_freeze(workspace.spec.name)
        )
    return dg.AssetCheckResult(passed=verdict.exit_code == 0, severity=ERROR, metadata=told)


def improvement_worth_freezing(workspace: Workspace) -> dg.AssetCheckResult:
    """A metric rose by more than the tolerance: freeze it, or a later fall to the old level goes unnoticed."""
    verdict = quality.verdict_of(workspace)
    risen = [delta for delta in verdict.gated if delta.outcome == "improvement"]
    return dg.AssetCheckResult(
        passed=not risen or verdict.outcome == "regression",
        severity=WARN,
        metadata={"risen": dg.MetadataValue.md(metadata.delta_table(risen))},
        description=metadata.how_to_freeze(workspace.spec.name) if risen else None,
    )


def _metric_checks(spec: CorpusSpec, project: Path) -> list[tuple[str, Verify]]:
    """One check for each gated metric and each gated slice, so that each has its own history in the UI."""
    workspace = workspace_for(spec, project, lambda line: None)
    return [(_check_name(*key), _verify_metric(*key)) for key in quality.gated_numbers(workspace)]


def _check_name(metric: str, label: str | None, value: str | None) -> str:
    named = "_".join(part for part in (metric.replace("@", "_at_"), label, value) if part)
    return "".join(c if c.isalnum() else "_" for c in named)


def _verify_metric(metric: str, label: str | None, value: str | None) -> Verify:
    def verify(workspace: Workspace) -> dg.AssetCheckResult:
        found: Delta | None = next(
            (
                delta
                for delta in quality.verdict_of(workspace).deltas
                if (delta.metric, delta.label, delta.value) == (metric, label, value)
            ),
            None,
        )
        if found is None:
            return dg.AssetCheckResult(passed=True, severity=WARN, description="there was nothing to compare it with")
        return dg.AssetCheckResult(
            passed=found.outcome != "regression",
            severity=ERROR,
            metadata={
                "baseline": found.baseline,
                "current": found.current,
                "delta_pp": found.delta_pp,
                "cases": found.cases,
            },
        )

    verify.__doc__ = f"{metric} {f'of {label} {value} ' if label else ''}did not fall by more than the tolerance."
    return verify


def _finding(finding: audits.Finding) -> dg.AssetCheckResult:
    return dg.AssetCheckResult(
        passed=finding.passed,
        severity=ERROR,
        metadata={
            "checked": finding.checked,
            "wrong": finding.wrong,
            "examples": dg.MetadataValue.md("\n".join(f"- {example}" for example in finding.examples) or "none"),
        },
    )
