"""The chunk: one passage of the corpus that can be found, cited and linked."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["code", "docs", "commit", "pull_request"]
KINDS: tuple[Kind, ...] = ("code", "docs", "commit", "pull_request")


@dataclass(frozen=True, slots=True)
class Span:
    """A passage of one file, as a splitter finds it: lines are 1-based and inclusive, as git and GitHub count them.

    `symbol` is the qualified name (`Session.send`, a heading path's last heading for docs), `symbol_kind` what it is
    (function, method, class, module, section, ...). `signature` is the definition's header on one line, `doc` its doc
    comment without comment markers. `text` is None where the passage is exactly its lines of the file; a splitter that
    reads through a container format (a notebook) sets it.
    """

    start_line: int
    end_line: int
    symbol: str | None = None
    symbol_kind: str | None = None
    signature: str = ""
    doc: str = ""
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Omission:
    """Lines of an indexed file that are left out on purpose, and why."""

    start_line: int
    end_line: int
    reason: str


@dataclass(frozen=True, slots=True)
class Split:
    """What a splitter makes of one file: every non-blank line lies in a span or in an omission."""

    kind: Literal["code", "docs"]
    language: str
    spans: tuple[Span, ...]
    omissions: tuple[Omission, ...] = field(default=())
