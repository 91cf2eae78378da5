"""Progress of long work, on a terminal and in a log."""

from __future__ import annotations

import re
import subprocess
import sys

from rich.cells import cell_len

from tests.cli.pseudo_terminal import run_in_terminal

WORK = """
import time
from gitcontext_pipeline.cli.progress import showing_progress

with showing_progress() as listener:
    listener.progress("fetching [bold]everything[/] there is, and a title that is longer than the terminal is wide")
    time.sleep(0.05)
    listener.progress("embedding")
    for done in range(0, 1201, 100):
        listener.advance(done, 1200)
        time.sleep(0.02)
print("done")
"""
PROGRAM = (sys.executable, "-c", WORK)
CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def test_a_terminal_shows_a_bar_with_the_rate_and_keeps_to_its_width() -> None:
    for columns in (80, 60):
        shown = run_in_terminal(PROGRAM, columns=columns)
        assert shown.code == 0
        lines = [line for line in re.split(r"[\r\n]+", CONTROL.sub("", shown.raw)) if line]
        assert max(map(cell_len, lines)) <= columns
        finished = next(line for line in reversed(lines) if "embedding" in line)
        assert re.search(r"1200/1200 +[\d,]+/s +0:00:0\d +00:0\d", finished)
        assert any("fetching [bold]" in line for line in lines)
        assert lines[-1] == "done"


def test_a_log_gets_a_line_for_each_piece_of_work_and_a_pipe_nothing() -> None:
    done = subprocess.run(PROGRAM, capture_output=True, text=True, check=True)
    assert done.stdout == "done\n"
    first, second = done.stderr.splitlines()
    assert first.startswith("  fetching [bold]everything[/] there is")
    assert second == "  embedding"
