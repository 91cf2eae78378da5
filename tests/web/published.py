"""A small published corpus, part of which was written by somebody who wishes the page ill."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from gitcontext_pipeline.components.launch import launch
from gitcontext_pipeline.components.listening import Listener
from gitcontext_pipeline.corpus.spec import CorpusSpec
from gitcontext_pipeline.state import STATE_VARIABLE, State
from tests.repositories import Repository
from tests.sample import sample_repository, write_questions

CORPUS = "sample"
QUESTION = "Where is it decided whether one more request may pass?"
SCRIPT = "<script>window.harmed = 1</script>"
IMAGE = "<img src=x onerror=window.harmed=1>"
HOSTILE_FILE = f"{IMAGE} & 'quotes'.py"
HOSTILE_CODE = f'''def render_banner(name: str) -> str:
    """Close the page </code></pre></article>{SCRIPT} and go on.\u202e\x1b[31m"""
    return "{IMAGE}" + name + "</title>" + "javascript:window.harmed=1"
'''
HOSTILE_QUESTION = "How does render_banner close the page?"
HOSTILE_CHANGE = f"Render a banner {SCRIPT} (#12)"
HOSTILE_CHANGE_QUESTION = "Which change added the banner?"


def hostile_repository(path: Path) -> Repository:
    """The sample repository, and a file whose name, text and commit try to become part of the page."""
    repository = sample_repository(path)
    message = f"{HOSTILE_CHANGE}\n\n{IMAGE}\n</pre>{SCRIPT}\n"
    repository.commit(message, {f"banners/{HOSTILE_FILE}": HOSTILE_CODE}, author="Mallory & Co")
    return repository


def publish(base: Path, models: Path) -> State:
    """Two snapshots of it, of its last two revisions, published one after the other."""
    repository = hostile_repository(base / "repository")
    state = State(base / "state")
    state.root.mkdir(parents=True)
    link_models(state, models)
    golden = write_questions(base / "evals" / "sample" / "golden.jsonl")
    for revision in (repository.git("rev-parse", "HEAD~1"), repository.head):
        spec = CorpusSpec.model_validate(
            {
                "name": CORPUS,
                "github": "acme/client",
                "origins": [{"git": str(repository.path), "revision": revision}],
                "golden_set": str(golden),
            }
        )
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv(STATE_VARIABLE, str(state.root))
            outcome = launch(spec, Listener(lambda line: None, lambda done, total: None))
        assert outcome.failed == ()
    return state


def link_models(state: State, models: Path) -> None:
    """The embedding models of the whole test run, without a language model that a test may have chosen."""
    state.models.mkdir(parents=True, exist_ok=True)
    for model in models.iterdir():
        if model.is_dir() and model.name != "language":
            (state.models / model.name).symlink_to(model, target_is_directory=True)


def copied(state: State, to: Path, models: Path) -> State:
    """The same corpora in a state directory of its own, for a test that publishes."""
    copy = State(to)
    shutil.copytree(state.root / "corpora", copy.root / "corpora", symlinks=True)
    link_models(copy, models)
    return copy
