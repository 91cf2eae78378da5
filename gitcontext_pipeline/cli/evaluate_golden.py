"""`gitcontext eval generate` and `audit`."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gitcontext_pipeline.cli.ask import JsonOption
from gitcontext_pipeline.cli.evaluate_target import (
    ConfigOption,
    CorpusOption,
    FilesOption,
    GoldenOption,
    SnapshotOption,
    settings_here,
    shown,
    snapshot_of,
    workspace_of,
)
from gitcontext_pipeline.cli.progress import counting, reader_may_leave

if TYPE_CHECKING:
    from gitcontext_pipeline.evaluation.corpus_view import CorpusView
    from gitcontext_pipeline.evaluation.generate import Generated
    from gitcontext_pipeline.evaluation.report import SetAside
    from gitcontext_pipeline.steps.measuring import Advance

CountOption = Annotated[int, typer.Option("--count", min=1, help="How many questions at most.")]
HistoryOption = Annotated[
    int, typer.Option("--history", min=0, help="How many merged changes to mine; 0 for none of the history.")
]


def generate(
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Where the candidates go; never over a file that is there.")
    ] = Path("candidates.jsonl"),
    corpus: CorpusOption = None,
    snapshot: SnapshotOption = "candidate",
    files: FilesOption = None,
    count: CountOption = 50,
    existing: Annotated[
        Path | None, typer.Option(help="A golden set; what it asks already is not proposed again.")
    ] = None,
    min_confidence: Annotated[str, typer.Option(help="high, medium or low.")] = "low",
    history: HistoryOption = 200,
    seed: Annotated[int, typer.Option(help="Another seed chooses other candidates.")] = 0,
    llm: Annotated[
        str | None, typer.Option(metavar="MODEL", help="Paraphrase by this model of an OpenAI-compatible endpoint.")
    ] = None,
    llm_url: Annotated[str | None, typer.Option(help="The endpoint.", show_default="$GITCONTEXT_LLM_URL")] = None,
    as_json: JsonOption = False,
) -> None:
    """Propose questions with their answers, mined from doc comments, symbols, headings and merged changes.

    From --files FOLDER (this one by default), or from a --corpus. They are candidates: people review them.

    Example: gitcontext eval generate --files . --count 40 --output evals/candidates.jsonl
    """
    from gitcontext_pipeline.evaluation.candidates import write_candidates
    from gitcontext_pipeline.evaluation.cases import read_cases
    from gitcontext_pipeline.evaluation.paraphrase import Paraphraser

    if output.exists():
        write_candidates(output, ())  # refuses, before any work is done
    with counting("reading files") as advance:
        source = mining_source(corpus, snapshot, files or Path(), history, advance)
        found = mine(
            source,
            count=count,
            seed=seed,
            existing=read_cases(existing) if existing else None,
            min_confidence=_confidence(min_confidence),
            paraphrase=Paraphraser.from_environment(llm, llm_url).paraphrase if llm else None,
        )
    write_candidates(output, found.candidates)
    if as_json:
        typer.echo(json.dumps(_told(found), indent=2, ensure_ascii=False))
    else:
        print_generated(found, output)


def mining_source(
    corpus: str | None, snapshot: str, files: Path, history: int, advance: Advance
) -> tuple[CorpusView, dict[str, Any]]:
    """What candidates are mined from: a corpus view, and where there is a history its changes and who wrote what."""
    from gitcontext_pipeline.corpus.origins import read_checkout
    from gitcontext_pipeline.evaluation.folder import folder_view, repository_of
    from gitcontext_pipeline.evaluation.mining_history import blame_of, changes_of
    from gitcontext_pipeline.steps.quality import corpus_view

    if corpus is not None:
        workspace = workspace_of(corpus)
        view = corpus_view(snapshot_of(workspace, snapshot))
        checkout = read_checkout(workspace.corpus.directory)
        repository, revision = checkout.repository, checkout.revision
    else:
        view = folder_view(files, advance)
        repository, revision = repository_of(files), "HEAD"
    if repository is None or history == 0:
        return view, {}
    changes = changes_of(repository, revision, history)
    touched = {path for change in changes for path in change.paths if path in view.by_path}
    return view, {"changes": changes, "blame": blame_of(repository, revision, touched)}


def mine(source: tuple[CorpusView, dict[str, Any]], **options: Any) -> Generated:
    """The candidates; GitContextError when there is none."""
    from gitcontext_pipeline.errors import GitContextError
    from gitcontext_pipeline.evaluation.generate import generate as generated

    view, past = source
    found = generated(view, **past, **options)
    if not found.candidates:
        raise GitContextError(
            f"nothing to ask was found ({len(found.rejected)} candidates were rejected)",
            fix="Write questions by hand: one JSON object a line, with query and gold.",
        )
    return found


def print_generated(found: Generated, output: Path) -> None:
    sources = Counter(candidate.source for candidate in found.candidates)
    sure = Counter(candidate.confidence for candidate in found.candidates)
    typer.echo(f"{len(found.candidates)} candidates in {output}")
    typer.echo(f"  from {', '.join(f'{name} {count}' for name, count in sources.most_common())}")
    typer.echo(f"  confidence {', '.join(f'{name} {sure[name]}' for name in ('high', 'medium', 'low') if sure[name])}")
    reasons = Counter(rejection.reason.split(":")[0] for rejection in found.rejected)
    if reasons:
        typer.echo(f"  rejected: {', '.join(f'{count} {reason}' for reason, count in reasons.most_common())}")
    flagged = sum(bool(candidate.flags) for candidate in found.candidates)
    typer.echo(f"  {flagged} have flags: read _flags, mend or remove lines, and set _review")


def audit(
    golden: GoldenOption = None,
    corpus: CorpusOption = None,
    snapshot: SnapshotOption = "candidate",
    files: FilesOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Look for questions that measure nothing: gold that does not exist or is ambiguous, copied text, duplicates.

    Every evaluation does the same. Gold is looked up in --corpus, or in --files FOLDER. Exits 3 when gold is missing.

    Example: gitcontext eval audit --golden evals/golden.jsonl --files .
    """
    from gitcontext_pipeline.errors import UsageError
    from gitcontext_pipeline.evaluation.audit import audit as audited
    from gitcontext_pipeline.evaluation.cases import read_cases
    from gitcontext_pipeline.evaluation.folder import folder_view
    from gitcontext_pipeline.steps.quality import audit_golden_set

    run = settings_here(config).run
    alone = golden is not None
    corpus = corpus or (None if alone or files else run.corpus)
    files = files or (Path(run.files) if run.files and corpus is None else None)
    workspace = workspace_of(corpus) if corpus or not (alone or files or run.golden) else None
    path = golden or (Path(run.golden) if run.golden else workspace.golden_set if workspace else None)
    if path is None:
        raise UsageError("no golden set is named", fix="--golden FILE")
    cases = read_cases(path)
    aside: list[SetAside] = []
    if workspace is not None:
        found, aside = audit_golden_set(workspace, snapshot_of(workspace, snapshot), cases)
    else:
        with counting("reading files") as advance:
            view = None if files is None else folder_view(files, advance)
        found = audited(cases, cases.cases, view)
    errors = [finding for finding in found.findings if finding.severity == "error"]
    with reader_may_leave():
        if as_json:
            typer.echo(found.model_dump_json(indent=2))
        else:
            told = "" if found.checked_corpus else ", gold was not looked up: name --corpus or --files"
            typer.echo(
                f"{shown(path)}: {len(cases.cases)} questions, {len(cases.unanswerable)} without an answer{told}"
            )
            if aside:
                named = ", ".join(case.id for case in aside)
                typer.echo(f"  set aside: {len(aside)} whose answers this corpus's origin lacks: {named}")
            for finding in found.findings:
                typer.echo(f"  {finding.severity}: {finding.problem}: {finding.case or path.name}: {finding.detail}")
            typer.echo(f"{_counted(len(errors), 'error')}, {_counted(len(found.findings) - len(errors), 'warning')}")
    raise typer.Exit(3 if errors else 0)


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _confidence(text: str) -> Any:
    from gitcontext_pipeline.errors import UsageError
    from gitcontext_pipeline.evaluation.candidates import CONFIDENCES

    if text not in CONFIDENCES:
        raise UsageError(f"no confidence {text!r}", fix=f"One of {', '.join(CONFIDENCES)}.")
    return text


def _told(found: Generated) -> dict[str, Any]:
    return {
        "candidates": [json.loads(candidate.to_json()) for candidate in found.candidates],
        "rejected": [{"query": rejection.query, "reason": rejection.reason} for rejection in found.rejected],
    }
