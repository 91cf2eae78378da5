"""A retriever that is a program of its own, with its own interpreter and dependencies, speaking JSON lines.

It is started once, without a shell, and asked on its standard input, one object a line: `{"query": …, "top": 10,
"scope": "code" or null}`. For each it writes one line to its standard output: a list of rows, or an object whose
`results` is that list or whose `error` says what went wrong. Its standard error is passed on. A program that dies,
hangs or writes anything else costs that case and is started again for the next: what is in this process can neither be
hung nor ended by it.
"""

from __future__ import annotations

import atexit
import json
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from typing import Any

from gitcontext_pipeline.errors import UsageError
from gitcontext_pipeline.evaluation.rows import BadAnswer

GRACE = 2.0
"""Seconds that a program has to leave after its standard input was closed."""


class ProcessRetriever:
    """One program, asked one query at a time."""

    def __init__(self, command: str) -> None:
        try:
            self._arguments = shlex.split(command)
        except ValueError as error:
            raise UsageError(f"exec:{command}: {error}", fix="Quote it as for a shell.") from error
        if not self._arguments:
            raise UsageError("exec: names no command", fix="Such as 'exec:python my_retriever.py'.")
        self._process: subprocess.Popen[str] | None = None
        atexit.register(self.close)

    def __call__(self, query: str, top: int, scope: str | None, /) -> Sequence[Mapping[str, Any]]:
        process = self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps({"query": query, "top": top, "scope": scope}) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except (OSError, ValueError) as error:
            self.abandon()
            raise BadAnswer(f"{self._arguments[0]} stopped reading: {error}") from error
        if not line:
            status = process.wait()
            if self._process is process:
                self._process = None
            raise BadAnswer(f"{self._arguments[0]} ended with status {status} instead of answering")
        return self._rows(line)

    def abandon(self) -> None:
        """End the program at once; the next query starts it anew."""
        process, self._process = self._process, None
        if process is not None and process.poll() is None:
            process.kill()
            process.wait()

    def close(self) -> None:
        """Let the program leave by itself, within GRACE seconds."""
        process = self._process
        if process is None:
            return
        if process.stdin is not None:
            try:
                process.stdin.close()
                process.wait(GRACE)
            except (OSError, subprocess.TimeoutExpired):
                pass
        self.abandon()

    def _started(self) -> subprocess.Popen[str]:
        if self._process is None or self._process.poll() is not None:
            try:
                self._process = subprocess.Popen(
                    self._arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
                )
            except OSError as error:
                raise BadAnswer(f"{self._arguments[0]} cannot be started: {error.strerror}") from error
        return self._process

    def _rows(self, line: str) -> Sequence[Mapping[str, Any]]:
        try:
            answer = json.loads(line)
        except ValueError as error:
            self.abandon()
            raise BadAnswer(f"{self._arguments[0]} wrote a line that is not JSON: {line[:80]!r}") from error
        if isinstance(answer, dict) and "error" in answer:
            raise BadAnswer(f"{self._arguments[0]} answered: {answer['error']!s:.200}")
        rows = answer.get("results") if isinstance(answer, dict) else answer
        if not isinstance(rows, list):
            raise BadAnswer(f"{self._arguments[0]} wrote neither a list nor an object with results")
        return rows
