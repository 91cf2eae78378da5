"""hitgate's own search engine, over its own index of a checkout, as a retriever that GitContext can measure.

It runs where hitgate is installed (`pip install 'hitgate[hybrid]'`), as a program of its own; GitContext never imports
hitgate. From the project's folder:

    gitcontext eval quality gin --against 'hitgate=exec:hitgate-venv/bin/python examples/hitgate_retriever.py
        --root /path/to/checkout --model /path/to/all-MiniLM-L6-v2'

hitgate names its embedding model in RAG_EMBED_MODEL; `--model` gives both sides the same one. As shipped it indexes
Python, JavaScript, TypeScript and shell files outside of tests, READMEs, Markdown under `docs/`, and the commits of the
last 180 days. `--also .go,.rst` and `--days 36500` widen that, for repositories of which it would see little.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

Search = Callable[..., list[dict[str, Any]]]

SQUASHED = re.compile(r"\(#(\d+)\)\s*$")
"""How the first line of a squashed pull request ends; such a commit counts as the pull request too."""


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, required=True, help="the checkout, at the revision of the golden set")
    parser.add_argument("--index", type=Path, help="where the index is kept (default: beside the checkout)")
    parser.add_argument("--model", help="name or folder of a sentence-transformers model (default: hitgate's)")
    parser.add_argument("--also", default="", help="more file endings to index, such as .go,.rst")
    parser.add_argument("--days", type=int, help="how far back commits are indexed (default: hitgate's 180)")
    return parser.parse_args()


def settings(given: argparse.Namespace) -> dict[str, str]:
    """The variables that hitgate reads when it is imported."""
    found = {"RAG_SOURCE_ROOTS": str(given.root.resolve()), "RAG_QLOG": "off"}
    if given.model is not None:
        found["RAG_EMBED_MODEL"] = given.model
    if given.days is not None:
        found["RAG_GIT_LOG_DAYS"] = str(given.days)
    choices = hashlib.sha256(json.dumps([found, given.also], sort_keys=True).encode()).hexdigest()[:8]
    root = given.root.resolve()
    found["RAG_INDEX_DIR"] = str((given.index or root.parent / f"{root.name}-hitgate-{choices}").resolve())
    return found


def engine(given: argparse.Namespace) -> Search:
    """hitgate's search, its index built first where there is none."""
    os.environ.update(settings(given))
    from ragcore import build, retrieval

    build.CODE_EXTS.update(ending for ending in given.also.split(",") if ending)
    built = Path(os.environ["RAG_INDEX_DIR"]) / "built"
    if not built.is_file():
        sys.argv = ["build"]
        with redirect_stdout(sys.stderr):
            build.main()
        built.touch()
    search: Search = retrieval.search
    return search


def row(found: Mapping[str, Any], root: Path) -> dict[str, Any]:
    """One of hitgate's results in the terms of GitContext: paths from the root, commits by id."""
    if found["source_type"] == "commit":
        squashed = SQUASHED.search(found["text"].split("\n", 1)[0])
        number = int(squashed[1]) if squashed else None
        return {"path": "", "kind": "commit", "commit": found["path"].rpartition("@")[2], "pr": number}
    kind = "code" if found["source_type"] == "code" else "docs"
    symbol = found["symbol"] if found["symbol"] not in {"", "?", "<module>"} else None
    path = Path(found["path"]).resolve().relative_to(root).as_posix()
    lines = {"start_line": max(1, found["start_line"]), "end_line": max(1, found["start_line"], found["end_line"])}
    return {"path": path, "kind": kind, "symbol": symbol, **lines, "score": found["rrf"]}


def retrieve(search: Search, root: Path, query: str, top: int, scope: str | None) -> Sequence[dict[str, Any]]:
    """hitgate's types of source stand for the scopes; it has none for tests, which it does not index."""
    types = {"code": ["code"], "docs": ["repo-readme", "changelog", "spec", "roadmap", "repo-docs"]}
    kinds = None if scope is None else {**types, "history": ["commit"]}.get(scope, [])
    return [row(found, root) for found in search(query, top=top, scope_types=kinds, scope_repos=["all"])]


def main() -> None:
    """Answer JSON lines on standard input with JSON lines on standard output."""
    given = options()
    search = engine(given)
    for line in sys.stdin:
        asked = json.loads(line)
        with redirect_stdout(sys.stderr):
            rows = retrieve(search, given.root.resolve(), asked["query"], asked["top"], asked.get("scope"))
        sys.stdout.write(json.dumps({"results": rows}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
