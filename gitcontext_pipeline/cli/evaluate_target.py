"""From options, `gitcontext.toml` and what is indexed here to what is measured."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from gitcontext_pipeline.evaluation.settings import RunChoices, Settings
    from gitcontext_pipeline.steps.measuring import Target
    from gitcontext_pipeline.steps.workspace import Workspace

RetrieverOption = Annotated[
    str | None,
    typer.Option("--retriever", "-r", help="module:callable (of this folder too), http://host/path or exec:command."),
]
GoldenOption = Annotated[
    Path | None, typer.Option("--golden", "-g", help="Questions with labelled answers, JSON Lines.")
]
CorpusOption = Annotated[
    str | None, typer.Option("--corpus", "-c", help="A corpus indexed here, asked by GitContext's own retriever.")
]
SnapshotOption = Annotated[
    str, typer.Option(help="Of the corpus: candidate (the newest, published or not), published, or an id.")
]
FilesOption = Annotated[
    Path | None,
    typer.Option(help="Folder that a foreign retriever searches: tells where symbols are, checks that gold exists."),
]
ConfigOption = Annotated[
    Path | None, typer.Option("--config", help="Settings to use.", show_default="gitcontext.toml, where there is one")
]
OutputOption = Annotated[
    Path | None, typer.Option("--output", "-o", help="Where the report goes; by default beside the golden set.")
]
TopOption = Annotated[int | None, typer.Option("--top", min=1, help="Rows asked for and looked at.", show_default="10")]
UseScopeOption = Annotated[
    bool | None, typer.Option("--use-scope/--no-use-scope", help="Pass each question's scope to the retriever.")
]
GranularityOption = Annotated[
    str | None,
    typer.Option(help="passage, or file for a retriever that ranks whole files.", show_default="passage"),
]


def settings_here(config: Path | None) -> Settings:
    """The settings in `config`, else in this folder's `gitcontext.toml`, else the defaults."""
    from gitcontext_pipeline.evaluation.settings import SETTINGS, Settings, read_settings

    if config is not None:
        return read_settings(config)
    here = Path(SETTINGS)
    return read_settings(here) if here.is_file() else Settings()


def resolve(
    config: Path | None,
    *,
    snapshot: str = "candidate",
    output: Path | None = None,
    policy: dict[str, Any] | None = None,
    **given: Any,
) -> Target:
    """What the options name; what they leave open is taken from the settings, and at last from the newest corpus.

    A corpus on the command line stands for itself: settings written for something else do not apply to it.
    """
    from gitcontext_pipeline.evaluation.settings import GateChoices, RunChoices

    settings = settings_here(config)
    over = {name: str(value) if isinstance(value, Path) else value for name, value in given.items()}
    over = {name: value for name, value in over.items() if value is not None}
    on_its_own = "corpus" in over
    choices = _checked({**(RunChoices() if on_its_own else settings.run).model_dump(), **over})
    if "retriever" in over:
        choices = choices.model_copy(update={"corpus": None})
    gate = GateChoices() if on_its_own else settings.gate
    if choices.retriever is not None:
        return _foreign(choices, output, gate.policy(**(policy or {})))
    return _of_corpus(choices, snapshot, output, gate, policy or {})


def workspace_of(name: str | None) -> Workspace:
    """The corpus called `name`, else the one worked on last. UsageError when there is none."""
    from gitcontext_pipeline.components.launch import configured
    from gitcontext_pipeline.errors import UsageError
    from gitcontext_pipeline.state import State, project_directory
    from gitcontext_pipeline.steps.workspace import Workspace, remembered

    state = State.locate()
    if name is None:
        worked_on = [(path.stat().st_mtime_ns, path.parent.name) for path in state.root.glob("corpora/*/material.json")]
        if not worked_on:
            raise UsageError(
                "nothing to measure is named: no gitcontext.toml here, and no corpus is indexed",
                fix="gitcontext eval init sets one up",
            )
        name = max(worked_on)[1]
    spec = configured(name)
    if spec is not None:
        return Workspace(spec, state, project_directory() or Path.cwd())
    for workspace in remembered(state):
        if workspace.spec.name == name:
            return workspace
    raise state.unknown(name)


def snapshot_of(workspace: Workspace, which: str) -> Path:
    """The directory of the snapshot that `which` names; UsageError when there is none."""
    from gitcontext_pipeline.errors import UsageError
    from gitcontext_pipeline.steps.snapshots import candidate

    if which == "candidate":
        return candidate(workspace)
    found = workspace.corpus.current if which == "published" else workspace.corpus.snapshots / which
    if found is None or not (found / "manifest.json").is_file():
        raise UsageError(
            f"the corpus {workspace.spec.name!r} has no snapshot {which!r}",
            fix=f"gitcontext snapshots {workspace.spec.name}",
        )
    return found


def shown(path: Path) -> str:
    """The path from here where it lies below, with forward slashes; else as it is."""
    absolute = path.resolve()
    return absolute.relative_to(Path.cwd()).as_posix() if absolute.is_relative_to(Path.cwd()) else str(absolute)


def _checked(fields: dict[str, Any]) -> RunChoices:
    from pydantic import ValidationError

    from gitcontext_pipeline.errors import UsageError
    from gitcontext_pipeline.evaluation.settings import RunChoices

    try:
        return RunChoices.model_validate(fields)
    except ValidationError as error:
        first = error.errors()[0]
        option = "--" + str(first["loc"][0]).replace("_", "-")
        raise UsageError(f"{option}: {first['msg']}", fix="gitcontext eval run --help") from error


def _foreign(choices: RunChoices, output: Path | None, policy: Any) -> Target:
    from gitcontext_pipeline.errors import UsageError
    from gitcontext_pipeline.steps.measuring import REPORT, Target

    if choices.golden is None:
        raise UsageError("no golden set is named", fix="--golden FILE, or gitcontext eval init to make one")
    golden = Path(choices.golden)
    return Target(choices, golden, policy, output or golden.parent / REPORT)


def _of_corpus(choices: RunChoices, which: str, output: Path | None, gate: Any, policy: dict[str, Any]) -> Target:
    from gitcontext_pipeline.errors import UsageError
    from gitcontext_pipeline.evaluation.settings import RunChoices
    from gitcontext_pipeline.steps import quality
    from gitcontext_pipeline.steps.measuring import REPORT, Target
    from gitcontext_pipeline.steps.snapshots import candidate

    workspace = workspace_of(choices.corpus)
    own = workspace.golden_set
    golden = Path(choices.golden) if choices.golden is not None else own
    if golden is None:
        name = workspace.spec.name
        raise UsageError(f"the corpus {name!r} has no golden set", fix=f"gitcontext eval init --corpus {name}")
    snapshot = snapshot_of(workspace, which)
    asked = choices.model_copy(update={"corpus": None, "golden": None})
    same = own is not None and golden.resolve() == own.resolve() and asked == RunChoices()
    as_graph = same and output is None and snapshot == candidate(workspace)
    report = output or (snapshot / quality.REPORT if as_graph else golden.parent / REPORT)
    policy = {"tolerance": workspace.spec.tolerance if gate.tolerance is None else None} | {
        name: value for name, value in policy.items() if value is not None
    }
    return Target(choices, golden, gate.policy(**policy), report, workspace, snapshot, as_graph)
