"""What a project's own changelog says of its pull requests: a sentence in the words of those who use it.

An entry is a list item, or a paragraph, that names a number: `#12`, `GH-12`, a link to it, or Sphinx's `:pr:` roles.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

CHANGELOG = re.compile(
    r"^(?:docs?/)?(?:history|change(?:s|log)|news|release[-_ ]?notes|what'?s[-_ ]?new)(?:\.(?:md|rst|txt|markdown))?$",
    re.IGNORECASE,
)
"""Where a changelog usually is."""

MOST_NUMBERS = 5
"""An entry that names more changes than this says little about any of them."""
LONGEST = 800
MOST_ENTRIES = 3

_NUMBER = re.compile(
    r"(?:(?<![\w/&])#|\bGH-|/(?:pull|issues)/|:(?:pr|pull|gh|ghpull|issue|user-pr)s?:`#?)([1-9]\d{0,8})\b",
    re.IGNORECASE,
)
_ITEM = re.compile(r"^\s*(?:[-*+•]|\d+[.)])\s+")
_UNDERLINE = re.compile(r"^\s*([=\-~^\"'`#*+.])\1{2,}\s*$")
_HEADING = re.compile(r"^#{1,6}\s")


def entries_by_number(texts: Iterable[str]) -> dict[int, tuple[str, ...]]:
    """The entries of some changelogs by each number that they name, in their order."""
    found: dict[int, list[str]] = {}
    for text in texts:
        for entry in _entries(text):
            numbers = dict.fromkeys(int(number) for number in _NUMBER.findall(entry))
            if len(entry) > LONGEST or len(numbers) > MOST_NUMBERS:
                continue
            for number in numbers:
                found.setdefault(number, []).append(entry)
    return {number: tuple(dict.fromkeys(entries)) for number, entries in found.items()}


def entries_of(numbers: Iterable[int], entries: Mapping[int, tuple[str, ...]]) -> tuple[str, ...]:
    """What is said of a change that goes by any of `numbers` (its own, and those of the issues that it closes)."""
    return tuple(dict.fromkeys(entry for number in numbers for entry in entries.get(number, ())))[:MOST_ENTRIES]


def _entries(text: str) -> Iterator[str]:
    """Items and paragraphs, each on one line."""
    lines: list[str] = []
    for line in [*text.splitlines(), ""]:
        heading = _UNDERLINE.match(line) or _HEADING.match(line)
        if lines and (not line.strip() or heading or _ITEM.match(line)):
            yield " ".join(_ITEM.sub("", " ".join(lines)).split())
            lines = []
        if line.strip() and not heading:
            lines.append(line)
