"""A terminal of so many columns and rows, with a program in it."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

SECONDS = 120
_TAKE_TERMINAL = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execvp(sys.argv[1], sys.argv[1:])
"""
_COLOURS_AND_LINKS = re.compile(r"\x1b\[[0-9;]*m|\x1b\]8;[^\x1b\x07]*\x1b\\")


@dataclass(frozen=True)
class Seen:
    """What the program wrote to the terminal, and how it ended."""

    raw: str
    code: int

    @property
    def text(self) -> str:
        """Without colours and links; every other control character is still there."""
        return _COLOURS_AND_LINKS.sub("", self.raw).replace("\r\n", "\n")

    @property
    def controls(self) -> set[str]:
        """The control and format characters that are neither colours, links, tabs nor line ends."""
        return {c for c in self.text if not c.isprintable() and c not in "\n\t"}


def run_in_terminal(
    command: Sequence[str], *, columns: int = 80, rows: int = 24, keys: str = "", env: Mapping[str, str] | None = None
) -> Seen:
    """Run `command` to its end. `keys` are typed once the program has fallen silent."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(ours, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    child = subprocess.Popen(
        [sys.executable, "-c", _TAKE_TERMINAL, *command],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,  # so that it can take the terminal, which a pager reads its keys from
        env=_environment(env or {}),
    )
    os.close(theirs)
    try:
        raw = _read(ours, child, keys)
        return Seen(raw, child.wait(timeout=SECONDS))
    finally:
        child.kill()
        os.close(ours)


def _environment(env: Mapping[str, str]) -> dict[str, str]:
    """Of a plain terminal, whatever the tester's is."""
    theirs = ("COLUMNS", "FORCE_", "KONSOLE", "LESS", "LINES", "NO_COLOR", "PAGER", "TERM", "TTY_", "VTE_", "WT_")
    kept = {key: value for key, value in os.environ.items() if not key.startswith(theirs)}
    return {**kept, "TERM": "xterm-256color", **env}


def _read(terminal: int, child: subprocess.Popen[bytes], keys: str) -> str:
    content, deadline = b"", time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        if select.select([terminal], [], [], 0.3)[0]:
            try:
                read = os.read(terminal, 1 << 16)
            except OSError:  # how Linux says that nobody has it open any more
                break
            if not read:
                break
            content += read
        elif keys and content:
            os.write(terminal, keys.encode())
            keys = ""
        elif child.poll() is not None:
            break
    return content.decode(errors="replace")
