"""Noticing that a model has stopped saying anything, so that it can be stopped from going on."""

from __future__ import annotations

CIRCLE = (3, 24)
"""Shortest and longest piece of text, in bytes, whose repetition counts as running in circles."""

LONGEST_WORD = 120
"""Bytes without a space from which a reply is no prose any more: more than a reply's first braces and a long name."""


def runs_in_circles(content: bytes) -> bool:
    """Whether `content` ends in one piece of text many times over, or in an endless word, as a small model's does when
    it is at a loss."""
    if len(content) >= LONGEST_WORD and b" " not in content[-LONGEST_WORD:]:
        return True
    shortest, longest = CIRCLE
    for size in range(1, longest + 1):
        times = 4 if size >= shortest else 12
        piece = content[-size:]
        if len(content) >= size * times and content.endswith(piece * times):
            return True
    return False
