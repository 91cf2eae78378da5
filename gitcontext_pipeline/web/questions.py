"""A question as it stands in an address, so that every answer has a link of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from gitcontext_pipeline.errors import UsageError
from gitcontext_pipeline.retrieval.retriever import SCOPES

TOP = 5
MOST = 50


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked of which corpus. `snapshot` is the one that a link was made at, if it was made at one."""

    question: str = ""
    corpus: str | None = None
    scope: str | None = None
    top: int = TOP
    explain: bool = False
    snapshot: str | None = None

    @classmethod
    def read(cls, parameters: Mapping[str, str]) -> Asked:
        """From the parameters of an address; empty ones count as missing, so that a form can always send them.

        Raises:
            UsageError: `top` or `scope` is none.
        """
        top, scope = parameters.get("top") or str(TOP), parameters.get("scope") or None
        if not (top.isascii() and top.isdigit() and 1 <= int(top[:9]) <= MOST):
            raise UsageError(f"top is {top!r}", fix=f"ask for 1 to {MOST} results")
        if scope is not None and scope not in SCOPES:
            raise UsageError(f"no scope {scope!r}", fix=f"one of {', '.join(SCOPES)}")
        return cls(
            question=parameters.get("q", "").strip(),
            corpus=parameters.get("corpus") or None,
            scope=scope,
            top=int(top),
            explain=bool(parameters.get("explain")),
            snapshot=parameters.get("snapshot") or None,
        )

    def link(self, path: str = "/", **names: str) -> str:
        """The address of `path` for this question; `names` are further parameters."""
        shown = {
            "q": self.question,
            "corpus": self.corpus,
            "scope": self.scope,
            "top": str(self.top) if self.top != TOP else None,
            "explain": "1" if self.explain else None,
            "snapshot": self.snapshot,
            **names,
        }
        return path + "?" + urlencode({name: value for name, value in shown.items() if value}, errors="replace")

    def anywhere(self) -> str:
        """The address of the same question without a scope."""
        return replace(self, scope=None).link()
