"""The documentation, executed: files it names are written, its commands run in order, what they must print is looked
for.

A block that is fenced as ```LANGUAGE title="PATH" is written to that path. In a ```console block, a line that begins
with "$ " is a command, which ends with `# exits N` where N is not 0; each line below it must be part of what the
command prints, in that order. A line with nothing but "…" stands for what was left out.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gitcontext_pipeline.cli.app import app
from gitcontext_pipeline.state import STATE_VARIABLE, State
from tests.docs.pages import BLOCK, DOCS, Command, File, steps

FROM_NOTHING = ("gate.md", "golden-sets.md")
"""Pages that are followed in an empty folder."""

ON_REQUESTS = ("ask.md", "mcp.md", "python.md")
"""Pages that are followed where `make demo` was run: psf/requests is indexed. They only read."""


class Terminal:
    """Runs commands in one folder: `gitcontext` in this process, where libraries are loaded once, others in bash."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run(self, text: str) -> tuple[int, str]:
        words = shlex.split(text)
        if words[0] == "gitcontext" and not {"&&", "|", ";"} & set(words):
            before = set(sys.modules)
            result = CliRunner().invoke(app, words[1:])
            self._forget(set(sys.modules) - before)
            return result.exit_code, result.output
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # `python` is the one that runs this
        done = subprocess.run(
            ["bash", "-c", text],
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        return done.returncode, done.stdout + done.stderr

    def _forget(self, names: set[str]) -> None:
        """The next command imports the folder's modules anew, as a new process would."""
        for name in names:
            if str(getattr(sys.modules[name], "__file__", None)).startswith(str(self.folder)):
                del sys.modules[name]


@pytest.fixture
def terminal(tmp_path: Path, state: State, models: Path, monkeypatch: pytest.MonkeyPatch) -> Terminal:
    folder = tmp_path / "folder"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "Ada")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "ada@example.org")
    return Terminal(folder)


def follow(page: str, terminal: Terminal) -> None:
    """Write the page's files, run its commands, and look for what they must print."""
    for step in steps(page):
        if isinstance(step, File):
            path = terminal.folder / step.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(step.text, encoding="utf-8")
        else:
            run(step, terminal)


def run(step: Command, terminal: Terminal) -> None:
    code, printed = terminal.run(step.text)
    assert code == step.exits, f"$ {step.text}\n{printed}"
    at = 0
    for wanted in step.prints:
        found = printed.find(wanted, at)
        assert found >= 0, f"$ {step.text}\ndoes not print {wanted!r} there:\n{printed}"
        at = found + len(wanted)


@pytest.mark.parametrize("page", FROM_NOTHING)
def test_every_command_does_what_the_page_says(page: str, terminal: Terminal) -> None:
    follow(page, terminal)


@pytest.mark.parametrize("page", ON_REQUESTS)
def test_every_command_on_the_corpus_of_the_demo_does_what_the_page_says(
    page: str, release: State, terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(STATE_VARIABLE, str(release.root))
    follow(page, terminal)


@pytest.mark.parametrize("page", FROM_NOTHING)
def test_every_command_of_the_pages_is_in_a_block_that_is_run(page: str) -> None:
    text = (DOCS / page).read_text(encoding="utf-8")
    fenced = {match["info"].strip() for match in BLOCK.finditer(text) if "title=" not in match["info"]}
    assert fenced <= {"console", "sh"}
    install = [match["body"] for match in BLOCK.finditer(text) if match["info"].strip() == "sh"]
    assert all("gitcontext eval" not in body for body in install)
