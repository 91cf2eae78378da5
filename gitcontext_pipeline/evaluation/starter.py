"""A retriever to begin with: replace the body of `retrieve` by your own.

It ranks windows of the files in the current folder by the words they share with the query; rare words count more.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

WINDOW = 30
"""Lines of a window; windows overlap by half."""
SUFFIXES = {".py", ".go", ".rs", ".ts", ".js", ".java", ".c", ".h", ".cpp", ".rb", ".md", ".rst", ".txt"}


def words(text: str) -> set[str]:
    """Lower-case words, identifiers cut at capitals and underscores."""
    return {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+", text)}


@cache
def windows(root: Path) -> list[tuple[str, int, int, set[str]]]:
    """(path, first line, last line, words) of every window of every text file, hidden folders left out."""
    found = []
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.suffix not in SUFFIXES or not path.is_file() or re.search(r"(^|/)\.", name):
            continue
        lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
        for start in range(0, len(lines), WINDOW // 2):
            part = lines[start : start + WINDOW]
            found.append((name, start + 1, start + len(part), words("\n".join(part))))
    return found


def retrieve(query: str, top: int, scope: str | None = None) -> list[dict[str, Any]]:
    """The `top` best windows, best first: what every retriever returns, each row with at least a `path`."""
    everything = windows(Path.cwd())
    spread = Counter(word for *_, held in everything for word in held)
    asked = {word: math.log(1 + len(everything) / spread[word]) for word in words(query) if word in spread}
    found: list[dict[str, Any]] = [
        {"path": path, "start_line": start, "end_line": end, "score": sum(asked[word] for word in shared)}
        for path, start, end, held in everything
        if (shared := held & asked.keys())
    ]
    return sorted(found, key=lambda row: -row["score"])[:top]
