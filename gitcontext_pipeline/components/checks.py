"""The asset checks of one corpus: a few lines each, which return the verdict and the numbers behind it."""

import inspect
from collections.abc import Callable
from pathlib import Path

import dagster as dg

from gitcontext_pipeline.components import metadata
from gitcontext_pipeline.components.listening import workspace_for
from gitcontext_pipeline.corpus.spec import CorpusSpec
from gitcontext_pipeline.evaluation.measures import BY_KEY
from gitcontext_pipeline.evaluation.verdict import Delta
from gitcontext_pipeline.steps import audits, quality
from gitcontext_pipeline.steps.pull_requests import FRESH_DAYS, STOPPED, age_in_days
from gitcontext_pipeline.steps.snapshots import material
from gitcontext_pipeline.steps.workspace import Workspace

NOTHING_MEASURED = "nothing is measured: write a golden set and name it as golden_set"
ERROR, WARN = dg.AssetCheckSeverity.ERROR, dg.AssetCheckSeverity.WARN

Verify = Callable[[Workspace], dg.AssetCheckResult]


def corpus_checks(spec: CorpusSpec, project: Path) -> list[dg.AssetChecksDefinition]:
    """`regression_gate` blocks publication; the others tell what is wrong, or only odd, about the material."""

    def check(asset: str, name: str, verify: Verify, *, blocking: bool = False) -> dg.AssetChecksDefinition:
        told = inspect.cleandoc(verify.__doc__ or "")

        @dg.asset_check(asset=dg.AssetKey([spec.name, asset]), name=name, description=told, blocking=blocking)
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
    """What was checked out is the commit that the specification pins for the origin that answered. A failure stops the
    run: every link would name another commit than the text is from."""
    facts = material(workspace, "repo_checkout").facts
    pinned = workspace.spec.origins[facts["position"]].revision
    return dg.AssetCheckResult(
        passed=facts["revision"] == pinned, metadata={"pinned": pinned, "checked_out": facts["revision"]}
    )


def origin_is_first_choice(workspace: Workspace) -> dg.AssetCheckResult:
    """The first origin answered. Where it did not, links and answers are about the commit of a later one, and
    `not_used` says why; make the first reachable and materialize again."""
    facts = material(workspace, "repo_checkout").facts
    tried = "; ".join(f"{label}: {reason}" for label, reason in facts["attempts"])
    return dg.AssetCheckResult(
        passed=facts["position"] == 0,
        severity=WARN,
        description=None if facts["position"] == 0 else f"{facts['origin']} answered instead of the first choice",
        metadata={"origin": facts["origin"], "revision": facts["revision"], "not_used": tried or "none"},
    )


def pull_requests_complete(workspace: Workspace) -> dg.AssetCheckResult:
    """The cache has every pull request that the history names, with GitHub's side of it where GitHub was asked. Warns
    where there is no history (a release archive), or GitHub stopped on the way: then materialize `pr_cache` again."""
    facts = material(workspace, "pr_cache").facts
    from_github = facts["sources"]["GitHub"]
    told = from_github >= (facts["named"] if from_github else 0) and not facts["github"].startswith(STOPPED)
    passed = 0 < facts["named"] <= facts["cached"] and told
    why = f"the history names {facts['named']}, the table has {facts['cached']}; GitHub: {facts['github']}"
    return dg.AssetCheckResult(
        passed=passed,
        severity=WARN,
        description=None if passed else why,
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
    """GitHub answered to the end within the last days, if it ever did. What git alone tells cannot grow old. Turn on
    the schedule `refresh_pull_requests_daily`, or materialize `pr_cache`."""
    facts = material(workspace, "pr_cache").facts
    age = age_in_days(facts["asked"])
    passed = age is None or age <= FRESH_DAYS
    return dg.AssetCheckResult(
        passed=passed,
        severity=WARN,
        description=None if passed else f"GitHub's last complete answer is of {facts['asked']}",
        metadata={
            "last_complete_answer": facts["asked"] or "never",
            "days_ago": "none" if age is None else round(age, 1),
            "limit_days": FRESH_DAYS,
            "github": facts["github"],
        },
    )


def permalinks_resolve(workspace: Workspace) -> dg.AssetCheckResult:
    """Every link names the indexed commit and lines that hold exactly the excerpt. A failure stops the run; `examples`
    names the chunks."""
    return _finding(audits.permalinks_resolve(workspace))


def provenance_complete(workspace: Workspace) -> dg.AssetCheckResult:
    """No chunk is without commit, link and lines; no change without its commit id. A failure stops the run."""
    return _finding(audits.provenance_complete(workspace))


def lines_covered(workspace: Workspace) -> dg.AssetCheckResult:
    """Every non-blank line of every indexed file is in a chunk, or left out for a reason that `chunks` names. A failure
    stops the run: a part of the code could not be found by any question."""
    return _finding(audits.lines_covered(workspace))


def index_rows_equal_chunk_rows(workspace: Workspace) -> dg.AssetCheckResult:
    """Both indexes hold exactly the chunks of the table. A failure stops the run; materialize both indexes again."""
    counts = dict(audits.index_rows(workspace))
    return dg.AssetCheckResult(passed=len(set(counts.values())) == 1, metadata=counts)


def golden_set_answerable(workspace: Workspace) -> dg.AssetCheckResult:
    """Every question of the golden set has its answer in this corpus, or was set aside by name, as where a release
    lacks the docs it is about. Warns where nothing is measured, or `audit` found something wrong with a question."""
    report = quality.report_of(workspace)
    if report is None:
        return dg.AssetCheckResult(
            passed=False,
            severity=WARN,
            description=NOTHING_MEASURED,
        )
    aside = [f"{case.id}: {case.reason}" for case in report.set_aside]
    return dg.AssetCheckResult(
        passed=not report.errors,
        severity=WARN,
        description="; ".join(report.errors) or None,
        metadata={
            "measured": len(report.cases),
            "set_aside": len(aside),
            "set_aside_cases": dg.MetadataValue.md("\n".join(f"- {metadata.plain(line)}" for line in aside) or "none"),
            "errors": "; ".join(report.errors) or "none",
            "audit": dg.MetadataValue.md(metadata.audit_table(report)),
        },
    )


def regression_gate(workspace: Workspace) -> dg.AssetCheckResult:
    """No gated number fell by more than the tolerance against the frozen baseline. A failure stops `published_index`,
    so the index published before goes on answering; `reasons` says what fell. No baseline is a pass that warns."""
    verdict = quality.verdict_of(workspace)
    compared = verdict.exit_code != 0 or verdict.baseline is not None
    missing = NOTHING_MEASURED if workspace.golden_set is None else metadata.how_to_freeze(workspace.spec.name)
    return dg.AssetCheckResult(
        passed=verdict.exit_code == 0,
        severity=ERROR if compared else WARN,
        description=metadata.verdict_line(verdict) if compared else missing,
        metadata={
            "outcome": verdict.outcome,
            "reasons": dg.MetadataValue.md(metadata.reasons([*verdict.reasons, *verdict.warnings])),
            "deltas": dg.MetadataValue.md(metadata.delta_table(verdict.gated)),
            "tolerance": f"{verdict.tolerance_pp:g} percentage points",
        },
    )


def improvement_worth_freezing(workspace: Workspace) -> dg.AssetCheckResult:
    """Warns when a number rose by more than the tolerance: freeze it with `gitcontext eval freeze`, or a later fall to
    the old level goes unnoticed."""
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
            description=f"{found.delta_pp:+.2f} points: {found.current:.3f} now, {found.baseline:.3f} in the baseline",
            metadata={
                "current": found.current,
                "baseline": found.baseline,
                "delta_pp": found.delta_pp,
                "cases": found.cases,
            },
        )

    of = f" of the questions whose {label} is {value}" if label else ""
    verify.__doc__ = (
        f"{BY_KEY[metric].name}{of} did not fall by more than the tolerance. One of the numbers behind "
        "`regression_gate`, with its own history and plots."
    )
    return verify


def _finding(finding: audits.Finding) -> dg.AssetCheckResult:
    return dg.AssetCheckResult(
        passed=finding.passed,
        severity=ERROR,
        description=None if finding.passed else f"{finding.wrong} of {finding.checked} are wrong",
        metadata={
            "checked": finding.checked,
            "wrong": finding.wrong,
            "examples": dg.MetadataValue.md(
                "\n".join(f"- {metadata.plain(example)}" for example in finding.examples) or "none"
            ),
        },
    )
