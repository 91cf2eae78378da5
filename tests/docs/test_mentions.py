"""Whatever the pages tell people to type exists: subcommands, options, targets of make, variables."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from gitcontext_pipeline.cli.app import app
from tests.docs.pages import BLOCK, ROOT, SPAN, mentions, name_of, pages

PAGES = pages()
OF_OTHER_PROGRAMS = {"--select", "--partition"}
"""Options of Dagster that the pages name without the command."""


def options(command: Any) -> set[str]:
    return {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)} | {
        "--help",
        "-h",
    }


def all_options(command: Any) -> set[str]:
    inner = getattr(command, "commands", {}).values()
    return options(command).union(*(all_options(one) for one in inner))


def wrong(words: list[str]) -> str | None:
    """What of a call of `gitcontext` does not exist."""
    command = get_command(app)
    for word in words:
        if word.startswith("-") and not re.fullmatch(r"-+|-\d+", word):
            if word.partition("=")[0] not in options(command):
                return f"{command.name} has no option {word}"
        elif hasattr(command, "commands"):
            if word.isupper():  # OPTIONS or COMMAND, as usage lines have them
                continue
            if word not in command.commands:
                return f"{command.name} has no command {word}"
            command = command.commands[word]
    return None


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_command_and_option_exists(page: Path) -> None:
    for words in mentions(page.read_text(encoding="utf-8"), "gitcontext"):
        assert wrong(words) is None, f"{name_of(page)}: gitcontext {' '.join(words)}"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_options_that_are_named_alone_are_those_of_some_command(page: Path) -> None:
    known = all_options(get_command(app)) | OF_OTHER_PROGRAMS
    named = {span.split()[0] for span in SPAN.findall(BLOCK.sub("", page.read_text("utf-8"))) if span.startswith("--")}
    assert {name.partition("=")[0] for name in named} <= known


def test_a_command_that_does_not_exist_would_be_found() -> None:
    text = (
        "`gitcontext aks`\n\n    gitcontext ask --tpo 3 x\n\n```sh\nX=1 gitcontext eval \\\n  run --nope && true\n```\n"
    )
    assert [wrong(words) is None for words in mentions(text, "gitcontext")] == [False, False, False]
    assert wrong(["ask", "--top=3", "a question"]) is None


def test_targets_of_make_exist() -> None:
    known = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    for page in PAGES:
        named = {words[0] for words in mentions(page.read_text("utf-8"), "make") if words}
        assert named <= known, name_of(page)


def test_variables_are_read_somewhere() -> None:
    code = [ROOT / "action.yml", *(ROOT / "gitcontext_pipeline").rglob("*.py"), *(ROOT / "examples").iterdir()]
    known = {name for path in code for name in re.findall(r"GITCONTEXT_[A-Z_]+", path.read_text("utf-8"))}
    for page in PAGES:
        named = set(re.findall(r"GITCONTEXT_[A-Z_]+", page.read_text("utf-8")))
        assert named <= known, name_of(page)
