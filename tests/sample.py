"""A small repository with everything the pipeline must cope with, and questions about it."""

from __future__ import annotations

import json
from pathlib import Path

from tests.repositories import BOB, Repository

LIMITER = '''"""Rate limiting."""

import time


class TokenBucket:
    """Lets through a burst, then a steady rate."""

    def __init__(self, rate: float, burst: int) -> None:
        self.rate = rate
        self.tokens = burst

    def refill(self, elapsed: float) -> None:
        """Add what was earned since the last call, never more than one burst."""
        self.tokens = self.tokens + elapsed * self.rate

    def take(self) -> bool:
        """Whether one more request may pass."""
        if self.tokens < 1:
            return False
        self.tokens -= 1
        return True
'''
RETRY = '''"""Trying again."""


def backoff_delay(attempt: int) -> float:
    """Seconds to wait before the given attempt: doubled each time, at most a minute."""
    return min(60.0, 2.0**attempt)


def is_retryable(status: int) -> bool:
    return status in {429, 502, 503, 504}
'''
GUIDE = """# Guide

How to use the client.

## Timeouts

Every call may take ten seconds; then `ReadTimeout` is raised.

## Proxies

Set `HTTP_PROXY` before the first call.
"""
QUESTIONS = [
    ("q1", "Where is it decided whether one more request may pass?", "code", "limiter/bucket.py", "TokenBucket.take"),
    ("q2", "backoff_delay: how long is the wait before an attempt?", "code", "retry.py", "backoff_delay"),
    ("q3", "How long may a call take before ReadTimeout?", "docs", "docs/guide.md", "Timeouts"),
    ("q4", "Which status codes are worth another try?", "code", "retry.py", "is_retryable"),
    ("q5", "Which variable must be set for a proxy?", "docs", "docs/guide.md", "Proxies"),
    (
        "q6",
        "What adds the tokens that were earned since the last call?",
        "code",
        "limiter/bucket.py",
        "TokenBucket.refill",
    ),
]
PULL_REQUEST = 7
PULL_REQUEST_QUESTION = "Which change made the wait double with each attempt?"


def sample_repository(path: Path) -> Repository:
    """Merges, a squash, a rename, a revert, a non-ASCII path, a binary file and a symbolic link."""
    repository = Repository(path)
    repository.commit("First version", {"bucket.py": LIMITER, "docs/guide.md": GUIDE, "README.md": "# Client\n"})
    repository.rename("bucket.py", "limiter/bucket.py", "Move the limiter into a package (#3)")
    repository.branch("backoff")
    repository.commit("Wait a second", {"retry.py": RETRY.replace("2.0**attempt", "1.0")}, author=BOB)
    repository.commit("Wait longer each time", {"retry.py": RETRY}, author=BOB)
    repository.switch("main")
    repository.merge("backoff", number=PULL_REQUEST, title="Exponential backoff between attempts")
    repository.branch("cafe")
    repository.commit("Notes", {"docs/café notes.md": "# Café\n\nNotes on naïve clients.\n", "logo.bin": b"\0\1\2"})
    repository.switch("main")
    repository.squash("cafe", "Notes about naïve clients (#9)\n")
    (repository.path / "link.py").symlink_to("retry.py")
    repository.commit("Link the retry module")
    return repository


def write_questions(path: Path, extra: list[dict[str, object]] | None = None) -> Path:
    """The golden set of the sample repository as JSON Lines."""
    cases: list[dict[str, object]] = [
        {"id": id_, "query": query, "kind": kind, "scope": kind, "gold": [{"path": file, "symbol": symbol}]}
        for id_, query, kind, file, symbol in QUESTIONS
    ]
    cases.append(
        {
            "id": "q7",
            "query": PULL_REQUEST_QUESTION,
            "kind": "history",
            "scope": "history",
            "gold": [{"pr": PULL_REQUEST}],
        }
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(case) + "\n" for case in [*cases, *(extra or [])]), encoding="utf-8")
    return path
