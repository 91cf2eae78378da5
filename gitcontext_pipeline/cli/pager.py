"""The program that pages long output: `$PAGER`, run as a command with arguments and never by a shell."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

DEFAULT = ("less", "-R", "-F", "-X")
LINKS_SINCE = 566
"""The first version of less that passes hyperlinks through."""
_FOR_A_SHELL = re.compile(r"[;&|<>$`(){}*?!\n]")


def command(environ: Mapping[str, str]) -> list[str] | None:
    """The command and its arguments, or None where nothing is to be paged.

    `PAGER` set to nothing or to `cat` turns paging off, and so does what is not there or would need a shell.
    """
    named = environ.get("PAGER")
    try:
        words = list(DEFAULT) if named is None else shlex.split(named)
    except ValueError:  # a quote that is never closed
        return None
    if not words or words[0] == "cat" or _FOR_A_SHELL.search(named or ""):
        return None
    program = shutil.which(words[0], path=environ.get("PATH"))
    if program is None:
        return None
    # Without it less shows colours as the characters that they are made of.
    extra = ["-R"] if _is_less(program) and named is not None else []
    return [program, *words[1:], *extra]


def shows_links(command: Sequence[str]) -> bool:
    """Whether the pager is a less that is new enough to let hyperlinks through."""
    if not _is_less(command[0]):
        return False
    try:
        told = subprocess.run([command[0], "--version"], capture_output=True, timeout=2, check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        return False
    version = re.match(rb"less (\d+)", told)
    return version is not None and int(version[1]) >= LINKS_SINCE


def page(text: str, command: Sequence[str]) -> None:
    """Show `text` in the pager until the reader leaves it; printed as it is where it cannot be started."""
    env = {"LESS": "FRX", "LESSCHARSET": "utf-8", **os.environ}
    try:
        running = subprocess.Popen(command, stdin=subprocess.PIPE, env=env)
    except OSError:
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    assert running.stdin is not None
    with suppress(BrokenPipeError, KeyboardInterrupt):  # the reader has seen enough
        running.stdin.write(text.encode(errors="replace"))
    with suppress(BrokenPipeError, KeyboardInterrupt):
        running.stdin.close()
    while running.poll() is None:
        with suppress(KeyboardInterrupt):  # meant for the pager, which stays on the screen
            running.wait()


def _is_less(program: str) -> bool:
    return Path(program).name == "less"
