"""What the command says about itself, and the page that is made of it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
from rich.cells import cell_len
from typer.cli import app as typer_command
from typer.testing import CliRunner

from gitcontext_pipeline import __version__
from gitcontext_pipeline.cli.app import app
from tests.cli.conftest import Command

PAGE = Path(__file__).resolve().parents[2] / "docs" / "cli.md"
RENEW = 'typer gitcontext_pipeline.cli.app utils docs --name gitcontext --title "Commands" --output docs/cli.md'


def commands(group: typer.Typer = app, before: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for command in group.registered_commands:
        yield (*before, str(command.name))
    for each in group.registered_groups:
        assert each.typer_instance is not None
        yield from commands(each.typer_instance, (*before, str(each.name)))


@pytest.mark.parametrize("command", [*commands(), (), ("eval",)], ids=" ".join)
def test_every_help_has_an_example_and_fits_80_columns(
    gitcontext: Command, command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for option in ("--help", "-h"):
        done = gitcontext(*command, option)
        assert done.exit_code == 0
        assert "Example: gitcontext " in " ".join(done.output.split())
        assert max(map(cell_len, done.output.splitlines())) <= 80


def test_without_a_command_the_help_is_printed(gitcontext: Command) -> None:
    assert "Usage: gitcontext" in gitcontext().output.replace("root", "gitcontext")
    assert "│ ask " in gitcontext().output


def test_the_version_is_printed_without_a_command(gitcontext: Command) -> None:
    done = gitcontext("--version")
    assert (done.exit_code, done.output) == (0, f"gitcontext {__version__}\n")


@pytest.mark.parametrize(("typed", "meant"), [("serach", "search"), ("aks", "ask"), ("docter", "doctor")])
def test_a_mistyped_command_gets_the_one_that_is_near(gitcontext: Command, typed: str, meant: str) -> None:
    done = gitcontext(typed, "something")
    assert done.exit_code == 2
    assert f"No such command '{typed}'. Did you mean '{meant}'?" in done.output
    assert "Did you mean 'gate'?" in gitcontext("eval", "gaet").output


def test_the_page_of_commands_says_what_their_help_says(tmp_path: Path) -> None:
    written = tmp_path / "cli.md"
    arguments = RENEW.split(" ", 1)[1].replace('"', "").replace("docs/cli.md", str(written)).split()
    done = CliRunner().invoke(typer_command, arguments)
    assert done.exit_code == 0, done.output
    assert PAGE.read_text(encoding="utf-8") == written.read_text(encoding="utf-8"), f"renew it: {RENEW}"


def test_help_needs_nothing_heavy() -> None:
    program = """
import sys
from gitcontext_pipeline.cli.app import app
heavy = {"torch", "lancedb", "pandas", "pyarrow", "numpy", "dagster", "git", "httpx", "starlette", "mcp", "pygments"}
print(sorted(heavy & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.usefixtures("odd_corpus")
def test_asking_imports_neither_the_store_nor_the_graph() -> None:
    program = """
import sys
from gitcontext_pipeline.cli.app import app
app(["ask", "What refills the tokens?"], standalone_mode=False)
print(sorted({"torch", "lancedb", "pandas", "dagster", "pyarrow.dataset"} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "TokenBucket.refill" in done.stdout
    assert done.stdout.splitlines()[-1] == "[]"
