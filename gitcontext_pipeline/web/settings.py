"""What a server of the page is started with."""

from __future__ import annotations

from dataclasses import dataclass

from gitcontext_pipeline.listening import LOOPBACK_NAMES


@dataclass(frozen=True, slots=True)
class Settings:
    """`hosts` are the names that a request may call the server by; without a `token` anybody who reaches it may ask."""

    hosts: frozenset[str] = LOOPBACK_NAMES
    token: str | None = None
    requests_a_minute: int = 600
    """By one client, 0 for any number; a burst may have `burst` of them at once."""
    burst: int = 120
    workers: int = 4
    """Threads that search; more than a few only wait for each other."""
    waiting: int = 64
    """Requests that may wait for a thread."""
    question_characters: int = 4000
    grace: int = 30
    """Seconds that requests have to finish when the server is told to stop."""
