"""A candidate case: a question that was mined rather than asked, with what a reviewer needs to judge it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from gitcontext_pipeline.errors import UsageError
from gitcontext_pipeline.evaluation.gold import Gold
from gitcontext_pipeline.storage import fingerprint, write_atomic

Confidence = Literal["high", "medium", "low"]
CONFIDENCES: tuple[Confidence, ...] = ("high", "medium", "low")
"""How likely a reviewer is to keep the candidate, best first."""

Source = Literal["doc comment", "symbol", "heading", "history"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """`text` is the gold's own text, which a paraphrase is made from and a leak measured against; `flags` say what a
    reviewer should look at; `original` is the mined query where it was paraphrased."""

    query: str
    gold: tuple[Gold, ...]
    source: Source
    confidence: Confidence
    scope: str
    style: str
    text: str = field(default="", repr=False)
    flags: tuple[str, ...] = ()
    original: str | None = None

    @property
    def file(self) -> str:
        return self.gold[0].path or ""

    @property
    def id(self) -> str:
        """Stable: the same query about the same gold has the same id in every run."""
        return f"gen-{fingerprint(self.query, [entry.name for entry in self.gold])[:10]}"

    def to_json(self) -> str:
        """The line of a golden set; fields that begin with `_` are for the reviewer, and no part of the case."""
        fields = {
            "id": self.id,
            "query": self.query,
            "gold": [_gold_fields(entry) for entry in self.gold],
            "scope": self.scope,
            "kind": self.scope,
            "style": self.style,
            "_source": self.source,
            "_confidence": self.confidence,
            "_flags": list(self.flags),
            "_review": "not reviewed",
        }
        if self.original is not None:
            fields["_original"] = self.original
        return json.dumps(fields, ensure_ascii=False)


def write_candidates(path: Path, candidates: Iterable[Candidate]) -> None:
    """Write a new golden set. Raises UsageError when the file is there: somebody may have reviewed it."""
    if path.exists():
        raise UsageError(
            "is there already, and may have been reviewed",
            where=path,
            fix="Write to another file, and move over the lines you want.",
        )
    write_atomic(path, "".join(f"{candidate.to_json()}\n" for candidate in candidates))


def words_of(name: str) -> list[str]:
    """The words of an identifier: `Session.rebuild_authHeaders` → session, rebuild, auth, headers."""
    parts = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W\d_A-Za-z]+", name)
    return [part.lower() for part in parts]


def names_symbol(question: str, symbol: str) -> bool:
    """Whether the question uses the symbol's last name, as one word or as its run of words."""
    last = symbol.rsplit(".", 1)[-1]
    asked = f" {' '.join(words_of(question))} "
    return last.lower() in re.findall(r"\w+", question.lower()) or f" {' '.join(words_of(last))} " in asked


def one_line(text: str) -> str:
    """`text` without line breaks, control characters and doubled blanks."""
    return " ".join("".join(character if character.isprintable() else " " for character in text).split())


def _gold_fields(entry: Gold) -> dict[str, str | int]:
    names = ("path", "symbol", "start_line", "end_line", "pr", "commit")
    return {name: value for name in names if (value := getattr(entry, name)) is not None}
