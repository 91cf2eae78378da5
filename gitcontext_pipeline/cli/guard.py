"""A second process that watches over a command which runs other people's code.

A retriever may end the process it is in, by `os._exit(0)` or by a fault in a native library: without an answer, and
with a status that a build takes for a pass. So the command runs in a child, which says in so many words how it ended;
whatever ends in silence ends with 3. The child is forked before anything is imported, which costs a millisecond.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import NoReturn

SILENT = 3


def guarded(command: Callable[[], None]) -> NoReturn:
    """Run `command` in a child process and exit as it does; 3 if it is ended by anything but its own return."""
    said, saying = os.pipe()
    alive, living = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(said)
        os.close(living)
        threading.Thread(target=_leave_with_parent, args=(alive,), daemon=True).start()
        _run(command, saying)
    os.close(saying)
    os.close(alive)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal sends it to the child too, which knows what to do
    signal.signal(signal.SIGTERM, lambda number, frame: os.kill(child, number))
    _, status = os.waitpid(child, 0)
    # A process that the retriever forked may still hold the other end open: what was not written by now never is.
    os.set_blocking(said, False)
    try:
        code = os.read(said, 1)
    except BlockingIOError:
        code = b""
    if not code:
        _complain(os.waitstatus_to_exitcode(status))
    os._exit(code[0] if code else SILENT)


def _run(command: Callable[[], None], saying: int) -> NoReturn:
    """In the child: say the exit code once the command has returned. What runs at exit can no longer change it."""
    own = os.getpid()
    code: str | int | None = SILENT
    try:
        command()
        code = 0
    except SystemExit as end:
        code = end.code
    finally:
        if os.getpid() == own:  # not in a process that the retriever forked
            number = code if isinstance(code, int) else int(code is not None)
            os.write(saying, bytes([number & 0xFF]))
    sys.exit(code)


def _leave_with_parent(alive: int) -> None:
    """Nobody is left to tell: a killed command must not go on asking questions."""
    os.read(alive, 1)
    os._exit(SILENT)


def _complain(status: int) -> None:
    how = f"signal {-status}" if status < 0 else f"exit status {status}"
    sys.stderr.write(
        f"error: the process was ended ({how}) before it came to a result: a retriever may have done that\n"
        "  Run it as a program of its own: --retriever 'exec:command'.\n"
    )
    sys.stderr.flush()
