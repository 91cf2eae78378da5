"""A question as it is typed, or read from standard input where it is `-`."""

from __future__ import annotations

import sys

from gitcontext_pipeline.errors import UsageError

LONGEST = 100_000
"""Bytes that are read. An error message with its traceback is far shorter."""


def question_from(argument: str) -> str:
    """`argument`, or what standard input says where it is `-`; bytes that are no UTF-8 are replaced.

    Raises:
        UsageError: nothing comes from standard input, or more than LONGEST bytes.
    """
    if argument != "-":
        return argument
    data = sys.stdin.buffer.read(LONGEST + 1) if sys.stdin else b""  # None where it is closed
    if len(data) > LONGEST:
        raise UsageError(f"the question is longer than {LONGEST} bytes", where="standard input", fix="cut it down")
    question = data.decode(errors="replace").strip()
    if not question:
        raise UsageError("there is no question", where="standard input", fix='echo "Where is …?" | gitcontext ask -')
    return question
