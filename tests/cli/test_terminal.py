"""What a person sees on a terminal, and what a program reads from a pipe."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.console import Console

from gitcontext_pipeline import open_corpus
from gitcontext_pipeline.answer.evidence import Answer
from gitcontext_pipeline.cli.answer_view import draw_answer
from gitcontext_pipeline.cli.pager import command as pager_command
from gitcontext_pipeline.cli.terminal import Screen, links_work
from gitcontext_pipeline.retrieval.confidence import Confidence
from tests.answer.evidence import FIX, REVISION, STRIP
from tests.cli.odd_corpus import CLEAR, OddCorpus
from tests.cli.pseudo_terminal import Seen, run_in_terminal

COMMAND = (sys.executable, "-m", "gitcontext_pipeline")
WEAK = Answer("why?", "requests", REVISION, (STRIP, FIX), confidence=Confidence(0.1, 0.5))
QUESTION = "What may take over the terminal?"
COLOUR = re.compile(r"\x1b\[(?:\d+;)*(?:3\d|4[0-8]|9\d)(?:;\d+)*m")


def seen(*arguments: str, columns: int = 80, rows: int = 24, keys: str = "", **env: str) -> Seen:
    done = run_in_terminal([*COMMAND, *arguments], columns=columns, rows=rows, keys=keys, env={"PAGER": "cat", **env})
    assert done.code == 0, done.raw
    return done


def piped(*arguments: str, **env: str) -> str:
    done = subprocess.run(
        [*COMMAND, *arguments], capture_output=True, text=True, env={**os.environ, **env}, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_an_answer_has_its_excerpts_in_colour_with_real_line_numbers(odd_corpus: OddCorpus) -> None:
    shown = seen("ask", "What refills the tokens?", "-c", "odd", "-n", "1", "-s", "code")
    assert COLOUR.search(shown.raw)
    assert re.search(r"^ +13 +def refill\(self, elapsed: float\) -> None:$", shown.text, re.MULTILINE)
    assert f"    https://github.com/acme/odd/blob/{odd_corpus.revision}/limiter/bucket.py#L13-L15\n" in shown.text
    assert "introduced in commit" in shown.text


@pytest.mark.parametrize(
    "arguments",
    [
        ("ask", f"{QUESTION} {CLEAR}", "-n", "8"),
        ("search", QUESTION, "-c", "odd"),
        ("show", "odd.py:2", "-c", "odd"),
        ("why", "odd.py:2", "-c", "odd"),
        ("doctor", "--offline"),
    ],
    ids=lambda arguments: arguments[0],
)
@pytest.mark.usefixtures("odd_corpus")
def test_nothing_in_a_repository_drives_the_terminal(arguments: tuple[str, ...]) -> None:
    shown = seen(*arguments, FORCE_HYPERLINK="1")
    assert not shown.controls
    assert "31mthe" not in shown.text.replace("\N{REPLACEMENT CHARACTER}[31m", "")
    assert not {c for c in piped(*arguments) if not c.isprintable() and c not in "\n\t"}


def test_a_pipe_gets_the_markdown_alone(odd_corpus: OddCorpus) -> None:
    markdown = open_corpus("odd", state=odd_corpus.state.root).ask(QUESTION, 5).as_markdown()
    assert piped("ask", QUESTION, "-c", "odd") == markdown
    assert "\x1b" not in markdown
    dumb = seen("ask", QUESTION, "-c", "odd", TERM="dumb")
    assert dumb.raw.replace("\r\n", "\n") == markdown


@pytest.mark.usefixtures("odd_corpus")
def test_an_encoding_without_some_characters_is_no_reason_to_stop() -> None:
    arguments = ("show", "odd.py:1", "-c", "odd", "--context", "9")
    assert "take_over" in piped(*arguments, PYTHONIOENCODING="ascii")
    assert "take_over" in seen(*arguments, PYTHONIOENCODING="latin-1").text


@pytest.mark.usefixtures("odd_corpus")
def test_colours_are_turned_off_and_on() -> None:
    arguments = ("ask", QUESTION, "-c", "odd", "-n", "2")
    assert not COLOUR.search(seen(*arguments, NO_COLOR="1").raw)
    assert COLOUR.search(piped(*arguments, FORCE_COLOR="1"))
    assert not COLOUR.search(piped(*arguments, FORCE_COLOR="0"))


def test_links_can_be_clicked_where_the_terminal_knows_them(odd_corpus: OddCorpus) -> None:
    arguments = ("search", "TokenBucket.take", "-c", "odd", "-n", "1")
    url = f"https://github.com/acme/odd/blob/{odd_corpus.revision}/limiter/bucket.py#L17-L22"
    linked = seen(*arguments, TERM_PROGRAM="WezTerm")
    assert re.search(rf"\x1b\]8;[^;]*;{re.escape(url)}\x1b\\", linked.raw)
    assert url in linked.text
    assert "\x1b]8" not in seen(*arguments).raw


@pytest.mark.parametrize(
    ("environ", "work"),
    [
        ({"TERM": "xterm-256color"}, False),
        ({"TERM": "xterm-kitty"}, True),
        ({"TERM": "xterm-256color", "VTE_VERSION": "7600"}, True),
        ({"TERM": "xterm-256color", "VTE_VERSION": "4205"}, False),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "vscode"}, True),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "Apple_Terminal"}, False),
        ({"TERM": "xterm-kitty", "FORCE_HYPERLINK": "0"}, False),
        ({"TERM": "linux", "FORCE_HYPERLINK": "1"}, True),
    ],
)
def test_terminals_that_know_links(environ: dict[str, str], work: bool) -> None:
    assert links_work(environ) is work


@pytest.mark.usefixtures("odd_corpus")
@pytest.mark.parametrize(("columns", "env"), [(50, {}), (120, {}), (120, {"COLUMNS": "44"}), (3, {})])
def test_lines_keep_to_the_width_of_the_terminal(columns: int, env: dict[str, str]) -> None:
    shown = seen("show", "odd.py:1", "-c", "odd", "--context", "50", columns=columns, **env)
    width = int(env.get("COLUMNS", columns)) or 80
    lines = [line for line in shown.text.splitlines() if "https://" not in line]
    assert max(map(cell_len, lines)) <= max(width, 20)
    assert "take_over" in shown.text


@pytest.fixture
def pager(tmp_path: Path) -> Path:
    """A pager that keeps what it is given, and its arguments."""
    program = tmp_path / "my pager"
    program.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/arguments\ncat > {tmp_path}/paged\n')
    program.chmod(0o755)
    return program


@pytest.mark.usefixtures("odd_corpus")
def test_what_is_longer_than_the_screen_is_paged(pager: Path) -> None:
    arguments = ("show", "long.py:1-100", "-c", "odd")
    command = f"'{pager}' -x 'a b'"
    shown = seen(*arguments, PAGER=command)
    assert shown.text == ""
    assert "step_80" in (pager.parent / "paged").read_text()
    assert (pager.parent / "arguments").read_text() == "-x a b\n"
    (pager.parent / "paged").unlink()
    for not_paged in (
        seen(*arguments, "--no-pager", PAGER=command).text,
        seen(*arguments, rows=400, PAGER=command).text,
        piped(*arguments, PAGER=command),
    ):
        assert "step_80" in not_paged
    assert not (pager.parent / "paged").exists()


@pytest.mark.parametrize("value", ["", " ", "cat", "cat -v", "no-such-pager", "less '"])
def test_paging_is_off(value: str) -> None:
    assert pager_command({"PATH": os.environ["PATH"], "PAGER": value}) is None


HOSTILE = (
    "cat > {}",
    "touch {}; cat",
    "cat && touch {}",
    "$(touch {})",
    "`touch {}`",
    "head | tee {}",
    "cat\ntouch {}",
)


@pytest.mark.parametrize("hostile", HOSTILE)
def test_what_only_a_shell_understands_is_no_pager(hostile: str, tmp_path: Path) -> None:
    assert pager_command({"PATH": os.environ["PATH"], "PAGER": hostile.format(tmp_path / "made")}) is None


@pytest.mark.usefixtures("odd_corpus")
def test_a_pager_is_never_given_to_a_shell(tmp_path: Path) -> None:
    shown = seen("show", "long.py:1-100", "-c", "odd", PAGER=HOSTILE[1].format(tmp_path / "made"))
    assert "step_80" in shown.text
    assert not (tmp_path / "made").exists()


@pytest.mark.skipif(shutil.which("less") is None, reason="less is not installed")
def test_less_is_told_to_let_colours_through() -> None:
    path = os.environ["PATH"]
    assert (pager_command({"PATH": path}) or [])[1:] == ["-R", "-F", "-X"]
    assert (pager_command({"PATH": path, "PAGER": "less -S"}) or [])[1:] == ["-S", "-R"]


@pytest.mark.usefixtures("odd_corpus")
@pytest.mark.parametrize("leaves", ["true", "head -n 1"])
def test_a_reader_may_leave_the_pager_at_once(leaves: str) -> None:
    assert "Error" not in seen("show", "long.py:1-100", "-c", "odd", "--context", "9999", PAGER=leaves).text


@pytest.mark.usefixtures("odd_corpus")
@pytest.mark.skipif(shutil.which("less") is None, reason="less is not installed")
def test_less_pages_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PAGER", raising=False)
    command = [*COMMAND, "show", "long.py:1-100", "-c", "odd"]
    shown = run_in_terminal(command, rows=12, keys="q")
    assert shown.code == 0
    assert "step_3" in shown.text
    assert "step_80" not in shown.text
    assert COLOUR.search(shown.raw)


def test_weak_evidence_is_announced_and_marked() -> None:
    strong = replace(WEAK, confidence=Confidence(0.9, 0.5))
    for width in (40, 100):
        told, strong_told = drawn(WEAK, width), drawn(strong, width)
        assert "No strong evidence" in told
        assert told.count("nearest, not strong") == len(WEAK.evidence)
        assert told.index("No strong evidence") < told.index("[1]")
        assert "strong" not in strong_told.replace("Strongest", "")


def drawn(answer: Answer, width: int) -> str:
    console = Console(file=StringIO(), force_terminal=True, width=width, color_system=None)
    draw_answer(Screen(console, links=False), answer)
    assert isinstance(console.file, StringIO)
    return re.sub(r"\x1b\[[0-9;]*m", "", console.file.getvalue())
