"""From the name of a corpus to its workspace, whether a YAML file or an address made it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gitcontext_pipeline.steps.workspace import Workspace


def workspace_of(name: str) -> Workspace:
    """The workspace of a corpus that is configured or was indexed by its address.

    Raises:
        UsageError: there is no such corpus.
    """
    from gitcontext_pipeline.errors import UsageError
    from gitcontext_pipeline.state import State, project_directory
    from gitcontext_pipeline.steps.workspace import Workspace, remembered

    state = State.locate()
    known = {each.spec.name: each for each in remembered(state)}
    if name in known:
        return known[name]
    from gitcontext_pipeline.components.launch import configured

    spec = configured(name)
    if spec is None:
        raise UsageError(
            f"no corpus {name!r} (indexed: {', '.join(known) or 'none'})",
            fix=f"gitcontext index URL_OR_PATH --name {name}",
        )
    return Workspace(spec, state, project_directory() or Path.cwd())
