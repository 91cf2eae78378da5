"""One piece of evidence, as the retriever returns it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Result:
    """A passage with its provenance. `revision` is the indexed commit, `commit` and `pr` name a change if it is one.

    `score` orders the results of one question and means nothing between questions; `parts` says what it is made of.
    """

    id: str
    kind: str
    path: str
    role: str
    language: str
    symbol: str | None
    symbol_kind: str | None
    signature: str
    start_line: int
    end_line: int
    revision: str
    url: str
    commit: str | None
    pr: int | None
    author: str | None
    date: str | None
    text: str
    score: float
    parts: Mapping[str, float] = field(default_factory=dict)
    copies: tuple[str, ...] = ()
    """Links of near-identical passages that were folded into this one."""
    paths: tuple[str, ...] = ()
    """Files that a change touched, the first 50 of them."""

    def as_row(self) -> dict[str, Any]:
        """A plain mapping: what a retriever returns to an evaluation, and what `--json` prints."""
        return asdict(self)

    @property
    def name(self) -> str:
        """What a person would call it: the symbol, the change's title, or the path."""
        if self.kind in {"commit", "pull_request"}:
            return self.signature
        return self.symbol or self.path

    @property
    def place(self) -> str:
        """`path#L1-L9` for a passage of a file, `#123` or `commit 0123456789ab` for a change."""
        if self.pr is not None:
            return f"pull request #{self.pr}"
        if self.commit is not None:
            return f"commit {self.commit[:12]}"
        return f"{self.path}#L{self.start_line}-L{self.end_line}"
