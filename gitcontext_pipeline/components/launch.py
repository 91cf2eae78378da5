"""The asset graph of one corpus, run in this process: what `gitcontext index` does."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import dagster as dg
from dagster._core.instance.ref import InstanceRef

from gitcontext_pipeline.components.assets import corpus_assets
from gitcontext_pipeline.components.checks import corpus_checks
from gitcontext_pipeline.components.corpus import Corpus
from gitcontext_pipeline.components.listening import listening
from gitcontext_pipeline.components.misconfigured import misconfigured
from gitcontext_pipeline.corpus.spec import CorpusSpec
from gitcontext_pipeline.errors import GitContextError, UsageError
from gitcontext_pipeline.evaluation.cases import read_cases
from gitcontext_pipeline.full_disk import NO_ROOM, FullDisk, why_full, writing
from gitcontext_pipeline.state import State, project_directory
from gitcontext_pipeline.steps.workspace import Listener, Workspace, remember
from gitcontext_pipeline.storage import locked

QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}


@dataclass(frozen=True)
class Outcome:
    """A finished run. `failed` names the blocking checks that stopped it; `warned`, other checks that did not pass."""

    workspace: Workspace
    skipped: tuple[str, ...]
    ran: tuple[str, ...]
    failed: tuple[str, ...]
    warned: tuple[tuple[str, str], ...]


def configured(name: str) -> CorpusSpec | None:
    """The specification of the corpus that a YAML file of this project names so.

    Raises:
        UsageError: a YAML file of the project has a mistake.
    """
    project = project_directory()
    if project is None or not name.isidentifier():
        return None
    tree = dg.ComponentTree.for_project(project)
    try:
        specs = [component.spec for component in tree.get_all_components(Corpus)]
    except Exception as error:  # what yaml, pydantic or Dagster raise over what people wrote
        raise misconfigured(error, tree.defs_module_path) from error
    return next((spec for spec in specs if spec.name == name), None)


def launch(spec: CorpusSpec, listener: Listener) -> Outcome:
    """Materialize every asset of `spec` and evaluate its checks; the run is recorded in the state's Dagster history.

    Raises:
        UsageError: its golden set cannot be read, which is told before anything is done.
        GitContextError: whatever a step raised.
    """
    state = State.locate()
    project = project_directory() or Path.cwd()
    workspace = Workspace(spec, state, project, listener.progress, listener.advance)
    if workspace.golden_set is not None:
        read_cases(workspace.golden_set)
    graph = [*corpus_assets(spec, project), *corpus_checks(spec, project)]
    room = writing(workspace.corpus.directory)  # what Dagster records is written there, too
    with room, locked(workspace.corpus.directory / ".run"), listening(listener), _instance(state) as instance:
        # One run of a corpus at a time: two of different revisions would finish each other's steps.
        if configured(spec.name) is None:
            remember(workspace)
        result = dg.materialize(graph, instance=instance, run_config=QUIET, raise_on_error=False)
    _raise_first_error(result, workspace)
    evaluations = result.get_asset_check_evaluations()
    failed = [check for check in evaluations if not check.passed]
    stopping = [check for check in failed if check.blocking and check.severity == dg.AssetCheckSeverity.ERROR]
    made = [event.step_materialization_data.materialization for event in result.get_asset_materialization_events()]
    skipped = {each.asset_key.path[-1]: each.metadata["skipped"].value for each in made}
    return Outcome(
        workspace,
        skipped=tuple(name for name, early in skipped.items() if early),
        ran=tuple(name for name, early in skipped.items() if not early),
        failed=tuple(check.check_name for check in stopping),
        warned=tuple((check.check_name, check.description or "") for check in failed if check not in stopping),
    )


@contextmanager
def _instance(state: State) -> Iterator[dg.DagsterInstance]:
    home = state.root / "dagster"
    home.mkdir(parents=True, exist_ok=True)
    ref = InstanceRef.from_dir(str(home), overrides={"telemetry": {"enabled": False}})
    with dg.DagsterInstance.from_ref(ref) as instance:
        yield instance


def _raise_first_error(result: dg.ExecuteInProcessResult, workspace: Workspace) -> None:
    """Raise what the first failed step raised; a failed blocking check is no error but an outcome."""
    for event in result.all_events:
        if not event.is_step_failure:
            continue
        told, error = event.step_failure_data.user_failure_data, event.step_failure_data.error
        if told is not None:
            raised = told.description or ""
            if "exit_code" in told.metadata and told.metadata["exit_code"].value == UsageError.exit_code:
                raise UsageError(raised)
        elif error is not None and error.cls_name != "DagsterAssetCheckFailedError":
            cause = error.cause or error
            raised = f"{event.step_key} failed: {cause.cls_name}: {cause.message.strip()}"
        else:
            continue
        said = None if NO_ROOM in raised else why_full(raised, workspace.corpus.directory)
        raise GitContextError(raised) if said is None else FullDisk(workspace.corpus.directory, said)
