"""The documentation, executed: files it names are written, its commands run in order, what they must print is looked
for.

A block that is fenced as ```LANGUAGE title="PATH" is written to that path. In a ```console block, a line that begins
with "$ " is a command, which ends with `# exits N` where N is not 0; each line below it must be part of what the
command prints, in that order.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gitcontext_pipeline.cli.app import app
from gitcontext_pipeline.state import State

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = ("gate.md", "golden-sets.md")
BLOCK = re.compile(r"^```(?P<info>[^\n]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
EXITS = re.compile(r"\s+# exits (\d+)$")


@dataclass
class Command:
    text: str
    exits: int = 0
    prints: list[str] = field(default_factory=list)


@dataclass
class File:
    path: str
    text: str


def steps(page: str) -> Iterator[Command | File]:
    for block in BLOCK.finditer((DOCS / page).read_text(encoding="utf-8")):
        title = re.search(r'title="([^"]+)"', block["info"])
        if title is not None:
            yield File(title[1], block["body"])
        elif block["info"].strip() == "console":
            yield from commands(block["body"])


def commands(body: str) -> list[Command]:
    found: list[Command] = []
    for line in body.splitlines():
        if line.startswith("$ "):
            exits = EXITS.search(line)
            found.append(Command(EXITS.sub("", line[2:]), int(exits[1]) if exits else 0))
        elif line.strip():
            found[-1].prints.append(line.strip())
    return found


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
        done = subprocess.run(["bash", "-c", text], capture_output=True, text=True, check=False, timeout=300)
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


@pytest.mark.parametrize("page", PAGES)
def test_every_command_does_what_the_page_says(page: str, terminal: Terminal) -> None:
    for step in steps(page):
        if isinstance(step, File):
            path = terminal.folder / step.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(step.text, encoding="utf-8")
            continue
        code, printed = terminal.run(step.text)
        assert code == step.exits, f"$ {step.text}\n{printed}"
        at = 0
        for wanted in step.prints:
            found = printed.find(wanted, at)
            assert found >= 0, f"$ {step.text}\ndoes not print {wanted!r} there:\n{printed}"
            at = found + len(wanted)


@pytest.mark.parametrize("page", PAGES)
def test_every_command_of_the_pages_is_in_a_block_that_is_run(page: str) -> None:
    text = (DOCS / page).read_text(encoding="utf-8")
    fenced = {match["info"].strip() for match in BLOCK.finditer(text) if "title=" not in match["info"]}
    assert fenced <= {"console", "sh"}
    install = [match["body"] for match in BLOCK.finditer(text) if match["info"].strip() == "sh"]
    assert all("gitcontext eval" not in body for body in install)


def test_links_between_files_lead_somewhere() -> None:
    for page in PAGES:
        text = (DOCS / page).read_text(encoding="utf-8")
        for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", text):
            assert (DOCS / target).exists(), f"{page}: {target}"


def test_the_pages_are_told_from_the_command_that_exists() -> None:
    """Every `eval` subcommand that a page names is one."""
    from gitcontext_pipeline.cli.evaluate import evaluate_app

    known = {command.name for command in evaluate_app.registered_commands}
    for page in PAGES:
        named = set(re.findall(r"\beval ([a-z]+)", (DOCS / page).read_text(encoding="utf-8")))
        assert named <= known, page
