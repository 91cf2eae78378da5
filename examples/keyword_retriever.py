"""A deliberately dumb retriever: it counts how many words of the question stand in each window of each file.

It is here to show what a retriever is, and that the gate judges any of them. Try it from this folder:

    KEYWORD_ROOT=/path/to/repository gitcontext eval run --retriever keyword_retriever:retrieve --cases golden.jsonl

or as a program of its own, which could live in another environment:

    --retriever 'exec:python keyword_retriever.py'
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

WINDOW = 40
"""Lines of a window; windows overlap by half."""
LARGEST = 500_000
"""Bytes; a larger file is data rather than text."""
SUFFIXES = {".py", ".go", ".rs", ".ts", ".js", ".java", ".c", ".h", ".cpp", ".rb", ".md", ".rst", ".txt"}
DOCS = {".md", ".rst", ".txt"}


def words(text: str) -> set[str]:
    """Lower-case words, identifiers cut at capitals and underscores."""
    return {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+", text)}


def windows(root: Path) -> Iterator[tuple[dict[str, Any], set[str]]]:
    """Every window of every text file under `root`, hidden folders aside, as a row and its words."""
    for path in sorted(root.rglob("*")):
        relative = path.relative_to(root)
        hidden = any(part.startswith(".") for part in relative.parts)
        if hidden or path.suffix not in SUFFIXES or not path.is_file() or path.stat().st_size > LARGEST:
            continue
        lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
        for start in range(0, len(lines), WINDOW // 2):
            part = lines[start : start + WINDOW]
            row = {"path": relative.as_posix(), "start_line": start + 1, "end_line": start + len(part)}
            yield row, words("\n".join(part))


@cache
def index(root: Path) -> list[tuple[dict[str, Any], set[str]]]:
    return list(windows(root))


def retrieve(query: str, top: int, scope: str | None = None) -> list[dict[str, Any]]:
    """The `top` windows that share most words with the query; `scope` "docs" or "code" looks at such files only."""
    root = Path(os.environ.get("KEYWORD_ROOT", "."))
    asked = words(query)
    found = []
    for row, held in index(root):
        is_docs = Path(row["path"]).suffix in DOCS
        if scope in {"code", "docs"} and is_docs != (scope == "docs"):
            continue
        if score := len(asked & held):
            found.append(row | {"score": score})
    return sorted(found, key=lambda row: -row["score"])[:top]


def main() -> None:
    """Answer JSON lines on standard input with JSON lines on standard output."""
    for line in sys.stdin:
        asked = json.loads(line)
        rows = retrieve(asked["query"], asked["top"], asked.get("scope"))
        sys.stdout.write(json.dumps({"results": rows}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
