"""The file that holds the rank of each expected result: reading it, writing it, and how far two of them differ.

A line is `LEXICAL HYBRID CORPUS EXPECTED <- QUESTION`: the ranks without and with vectors among the first DEPTH, `-`
where the result is not among them. Lines that begin with `#` say what was measured; the rest of the file is theirs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gitcontext_pipeline.retrieval.result import Result
from gitcontext_pipeline.retrieval.retriever import Retriever
from gitcontext_pipeline.retrieval.weights import DEFAULT

DEPTH = 50
LEXICAL = DEFAULT.without("passage", "summary")

_LINE = re.compile(
    r"\s*(?P<lexical>\d+|-)\s+(?P<hybrid>\d+|-)\s+(?P<corpus>\S+)\s+(?P<expected>\S+)\s+<- (?P<question>.+)"
)


@dataclass(frozen=True)
class Line:
    """One expected result. `expected` is `PATH#SYMBOL` or `pr:NUMBER`."""

    corpus: str
    expected: str
    question: str
    lexical: int | None = None
    hybrid: int | None = None

    def __str__(self) -> str:
        return f"{_rank(self.lexical)} {_rank(self.hybrid)} {self.corpus:<8} {self.expected} <- {self.question}"


def read(path: Path) -> tuple[dict[str, str], list[Line]]:
    """What the header says by name, and the lines."""
    header: dict[str, str] = {}
    lines: list[Line] = []
    for text in path.read_text(encoding="utf-8").splitlines():
        if text.startswith("#"):
            name, colon, value = text.removeprefix("#").partition(":")
            if colon:
                header[name.strip()] = value.strip()
        elif text.strip():
            found = _LINE.fullmatch(text)
            assert found is not None, f"not a line of the ranking: {text!r}"
            ranks = [None if found[name] == "-" else int(found[name]) for name in ("lexical", "hybrid")]
            lines.append(Line(found["corpus"], found["expected"], found["question"], *ranks))
    return header, lines


def written(header: dict[str, str], lines: Sequence[Line]) -> str:
    told = [f"# {name}: {value}" for name, value in header.items()]
    return "\n".join([*told, *(str(line) for line in lines)]) + "\n"


def ranked(retriever: Retriever, line: Line) -> Line:
    """The line with the ranks that its result has now."""
    lexical = retriever.with_weights(LEXICAL).search(line.question, DEPTH)
    hybrid = retriever.search(line.question, DEPTH)
    return replace(line, lexical=rank_of(line.expected, lexical), hybrid=rank_of(line.expected, hybrid))


def rank_of(expected: str, results: Sequence[Result]) -> int | None:
    """The place, from 1, of the first result that is the expected one or lies inside it."""
    for place, result in enumerate(results, 1):
        if expected.startswith("pr:"):
            if f"pr:{result.pr}" == expected:
                return place
            continue
        path, _, symbol = expected.partition("#")
        inside = result.symbol is not None and f"{result.symbol}.".startswith(f"{symbol}.")
        if result.path == path and (inside or not symbol):
            return place
    return None


def drift(before: Sequence[int | None], after: Sequence[int | None]) -> tuple[float, int]:
    """The mean difference of 1/rank, and how many results entered or left the first five."""
    moved = [abs((1 / old if old else 0) - (1 / new if new else 0)) for old, new in zip(before, after, strict=True)]
    crossed = sum((old or DEPTH) > 5 != (new or DEPTH) > 5 for old, new in zip(before, after, strict=True))
    return (sum(moved) / len(moved) if moved else 0.0), crossed


def _rank(rank: int | None) -> str:
    return f"{'-' if rank is None else rank:>3}"
