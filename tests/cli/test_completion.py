"""What a shell is told when it completes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gitcontext_pipeline.retrieval.retriever import SCOPES
from gitcontext_pipeline.state import STATE_VARIABLE, State
from gitcontext_pipeline.storage import write_json


def complete(line: str, state: Path) -> list[str]:
    """What bash is offered at the end of `line`, by the protocol that `--show-completion` sets up."""
    words = line.split(" ")
    env = {
        **os.environ,
        STATE_VARIABLE: str(state),
        "_GITCONTEXT_COMPLETE": "complete_bash",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(words) - 1),
    }
    done = subprocess.run(_named_gitcontext(), env=env, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.stdout.split("\n")[:-1] if done.stdout.endswith("\n") else done.stdout.split("\n")


def _named_gitcontext() -> list[str]:
    return [str(Path(sys.executable).parent / "gitcontext")]


@pytest.fixture
def state(tmp_path: Path) -> State:
    state = State(tmp_path / "some state")
    for name in ("flask", "requests", "requests_git"):
        corpus = state.corpus(name)
        for snapshot in ("aaaa00000001", "aaaa00000002", "bbbb00000003"):
            write_json(corpus.snapshots / snapshot / "manifest.json", {"revision": "0" * 40})
        write_json(corpus.directory / "published.json", ["bbbb00000003", "aaaa00000002", "aaaa00000001"])
        corpus.pointer.write_text("bbbb00000003")
    return state


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("gitcontext ask -c ", ["flask", "requests", "requests_git"]),
        ("gitcontext ask question --corpus re", ["requests", "requests_git"]),
        ("gitcontext search -s ", list(SCOPES)),
        ("gitcontext search --scope d", ["docs"]),
        ("gitcontext snapshots f", ["flask"]),
        ("gitcontext eval tune requests_", ["requests_git"]),
        ("gitcontext rollback requests ", ["aaaa00000002", "aaaa00000001"]),
        ("gitcontext rollback requests aaaa00000001", ["aaaa00000001"]),
        ("gitcontext rollback nothing ", []),
        ("gitcontext setup-model ti", ["tiny"]),
        ("gitcontext sho", ["show"]),
        ("gitcontext show x --no-", ["--no-pager"]),
    ],
)
def test_names_that_are_on_disk_are_offered(state: State, line: str, offered: list[str]) -> None:
    assert [name for name in complete(line, state.root) if name] == offered


def test_what_goes_wrong_is_not_told_to_a_shell(tmp_path: Path) -> None:
    not_a_directory = tmp_path / "file"
    not_a_directory.write_text("")
    assert [name for name in complete("gitcontext ask -c ", not_a_directory / "state") if name] == []
    assert [name for name in complete("gitcontext rollback x ", not_a_directory) if name] == []
    assert not (tmp_path / "state").exists()


def test_a_name_that_would_drive_the_shell_is_not_offered(state: State) -> None:
    (state.root / "corpora" / "re\x1b[2J").mkdir()
    assert complete("gitcontext ask -c re", state.root) == ["requests", "requests_git"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_gets_its_script(shell: str, tmp_path: Path) -> None:
    env = {**os.environ, "_GITCONTEXT_COMPLETE": f"source_{shell}", "HOME": str(tmp_path)}
    done = subprocess.run(_named_gitcontext(), env=env, capture_output=True, text=True, check=False)
    assert "gitcontext" in done.stdout
    assert f"complete_{shell}" in done.stdout
