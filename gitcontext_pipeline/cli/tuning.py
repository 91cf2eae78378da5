"""`gitcontext eval tune`: learn the ranking's weights and see how they do where they were not learned."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from gitcontext_pipeline.cli.ask import JsonOption
from gitcontext_pipeline.cli.completion import corpus_names

SHOWN = ("hit@1", "hit@3", "hit@5", "mrr", "ndcg@10")


def tune(
    corpora: Annotated[
        list[str],
        typer.Argument(help="Indexed corpora that have golden sets; two or more.", autocompletion=corpus_names),
    ],
    as_json: JsonOption = False,
) -> None:
    """Learn one weight a feature from the golden sets of several corpora, and judge them on corpora left out.

    Prints, for each corpus, the metrics under the weights in force, under weights learned from all corpora, and under
    weights learned from the other corpora alone; then the learned weights, to be put into retrieval/weights.py.

    Example: gitcontext eval tune requests gin hono
    """
    from gitcontext_pipeline.cli.workspaces import workspace_of
    from gitcontext_pipeline.steps.tuning import subject_of
    from gitcontext_pipeline.steps.tuning import tune as learn_and_judge

    tuned = learn_and_judge({name: subject_of(workspace_of(name)) for name in corpora})
    rows = [
        {
            "corpus": name,
            "weights": variant,
            "cases": len(report.cases),
            **{key: report.metrics[key].value for key in SHOWN},
        }
        for name, reports in tuned.reports.items()
        for variant, report in reports.items()
    ]
    if as_json:
        typer.echo(json.dumps({"results": rows, "weights": tuned.weights}, indent=2))
        return
    typer.echo(f"{'corpus':<14} {'weights':<24} {'cases':>5}  " + "  ".join(f"{key:>7}" for key in SHOWN))
    for row in rows:
        values = "  ".join(f"{row[key]:>7.3f}" for key in SHOWN)
        typer.echo(f"{row['corpus']:<14} {row['weights']:<24} {row['cases']:>5}  {values}")
    typer.echo("\nweights learned from all:")
    for name, weight in tuned.weights.items():
        typer.echo(f"  {name:<24} {weight:>6.2f}")
