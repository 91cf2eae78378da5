"""One thing that was looked at, what was found, and the command that mends it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

Condition = Literal["ok", "off", "warning", "broken"]
"""`off` is what is not set up, or was not looked at, and need not be."""

PATIENCE = 3.0
"""Seconds that a server may take to connect, and to say anything."""
LONGEST = 15.0
"""Seconds after which a server is given up, whatever it is at: looking up a name has no time limit of its own."""


@dataclass(frozen=True, slots=True)
class Finding:
    """`area` groups findings: installed, machine, reachable, or the name of a corpus. `fix` is a command."""

    area: str
    name: str
    condition: Condition
    told: str
    fix: str | None = None

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


Check = Callable[[], Iterable[Finding]]


def run_check(check: Check, area: str) -> Sequence[Finding]:
    """What `check` finds. What it raises is a finding, too: whoever looks for what is broken must not break."""
    try:
        return list(check())
    except Exception as error:
        told = str(error).splitlines()[0] if str(error) else ""
        return [Finding(area, "check", "broken", f"could not be looked at: {type(error).__name__} {told}".rstrip())]


def start_check(check: Check, area: str) -> Callable[[], Sequence[Finding]]:
    """Run `check` beside everything else; what is returned waits for what it finds, LONGEST seconds at most."""
    found: list[Finding] = []
    running = threading.Thread(target=lambda: found.extend(run_check(check, area)), daemon=True)
    running.start()

    def wait() -> Sequence[Finding]:
        running.join(LONGEST)
        if running.is_alive():
            return [
                Finding(area, "server", "warning", f"no answer within {LONGEST:.0f} s", "gitcontext doctor --offline")
            ]
        return found

    return wait
