"""Questions from standard input."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from gitcontext_pipeline.cli.app import app
from gitcontext_pipeline.cli.question import LONGEST
from tests.cli.odd_corpus import OddCorpus

TRACEBACK = 'Traceback (most recent call last):\n  File "retry.py", line 6, in backoff_delay\nOverflowError\n'


def test_a_dash_reads_the_question(odd_corpus: OddCorpus) -> None:
    read = CliRunner().invoke(app, ["ask", "-", "--json"], input=TRACEBACK)
    typed = CliRunner().invoke(app, ["ask", TRACEBACK.strip(), "--json"])
    assert read.exit_code == 0
    assert json.loads(read.stdout) == json.loads(typed.stdout)
    assert json.loads(read.stdout)["evidence"][0]["path"] == "retry.py"
    searched = CliRunner().invoke(app, ["search", "-", "--top", "1"], input=TRACEBACK)
    assert "retry.py" in searched.stdout


def test_bytes_that_are_no_text_are_asked_all_the_same(odd_corpus: OddCorpus) -> None:
    assert CliRunner().invoke(app, ["search", "-"], input=b"refill \xff\xfe tokens").exit_code == 0


def test_a_closed_standard_input_asks_nothing(odd_corpus: OddCorpus) -> None:
    command = [sys.executable, "-m", "gitcontext_pipeline", "ask", "-"]
    done = subprocess.run(["sh", "-c", 'exec "$@" <&-', "sh", *command], capture_output=True, text=True, check=False)
    assert (done.returncode, "there is no question" in done.stderr) == (2, True)


@pytest.mark.parametrize(("content", "reason"), [("", "there is no question"), (" \n\t\n", "there is no question"),
    ("word " * LONGEST, f"longer than {LONGEST} bytes")])  # fmt: skip
@pytest.mark.parametrize("command", ["ask", "search"])
def test_nothing_and_too_much_are_errors_of_use(odd_corpus: OddCorpus, command: str, content: str, reason: str) -> None:
    done = CliRunner().invoke(app, [command, "-"], input=content)
    assert done.exit_code == 2
    assert reason in done.output
