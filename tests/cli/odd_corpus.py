"""A repository whose names, code and commits try to drive the terminal, indexed and published."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from gitcontext_pipeline.cli.progress import showing_progress
from gitcontext_pipeline.components.launch import launch
from gitcontext_pipeline.corpus.spec import CorpusSpec
from gitcontext_pipeline.state import STATE_VARIABLE, CorpusState, State
from tests.repositories import Repository
from tests.sample import LIMITER, RETRY

CLEAR, TITLE, C1, BIDI = "\x1b[2J\x1b[31m", "\x1b]0;taken over\x07", "\x9b31m", "\u202e"
ODD_PATH = f"odd {CLEAR}{BIDI}name.py"
ODD_CODE = f'''def take_over(screen: str) -> str:
    """Clear the screen {CLEAR}and set the title {TITLE}of the terminal{C1}."""
    return screen + "{BIDI}"\t# \x08\x08\x08 hidden
'''
OTHER_ODD_CODE = f"""class Cursor:
    # Moves the cursor of the terminal{CLEAR} home, line by line{TITLE}.
    home = "{BIDI}{C1}"
"""
LONG = "".join(f"    step_{number} = refill_step({number})\n" for number in range(120))
LONG_CODE = f'def refill_everything() -> None:\n    """Refill every bucket, one step after the other."""\n{LONG}'


@dataclass(frozen=True)
class OddCorpus:
    """The published corpus `odd`."""

    state: State
    repository: Path
    revision: str

    @property
    def corpus(self) -> CorpusState:
        return self.state.corpus("odd")


def odd_repository(path: Path) -> Repository:
    repository = Repository(path)
    repository.commit("Limit the rate", {"limiter/bucket.py": LIMITER, "retry.py": RETRY, "long.py": LONG_CODE})
    repository.commit(f"Take over {CLEAR}the terminal{TITLE} (#5){C1}", {ODD_PATH: OTHER_ODD_CODE, "odd.py": ODD_CODE})
    return repository


def index_odd_corpus(directory: Path, models: Path) -> OddCorpus:
    """Index it, unless another worker has."""
    state, repository = State(directory / "state"), directory / "repository"
    if state.corpus("odd").current is not None:
        return OddCorpus(state, repository, Repository(repository).head)
    revision = odd_repository(repository).head
    state.root.mkdir(exist_ok=True)
    state.models.symlink_to(models, target_is_directory=True)
    origin = {"git": str(repository), "revision": revision}
    spec = CorpusSpec.model_validate({"name": "odd", "github": "acme/odd", "origins": [origin]})
    with pytest.MonkeyPatch.context() as patch, showing_progress() as listener:
        patch.setenv(STATE_VARIABLE, str(state.root))
        patch.chdir(directory)
        assert not launch(spec, listener).failed
    return OddCorpus(state, repository, revision)
