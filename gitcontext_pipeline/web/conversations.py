"""What was said about the pull requests among the evidence: reviews and discussion, from the same snapshot."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gitcontext_pipeline.answer.evidence import printable

LONGEST = 6000
"""Characters that are shown of one piece; the rest is behind its link."""


@dataclass(frozen=True, slots=True)
class Said:
    """A review thread or a piece of a discussion: its heading, and all of its text below that."""

    heading: str
    text: str
    url: str


def conversations(chunks: Any, commits: Collection[str]) -> Mapping[str, Sequence[Said]]:
    """What the chunk table holds of it, by the commit that merged the pull request."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not commits:
        return {}
    wanted = pc.is_in(chunks.column("commit"), value_set=pa.array(sorted(commits), pa.string()))
    rows = chunks.filter(pc.and_(wanted, chunks.column("symbol_kind").is_valid()))
    found: dict[str, list[Said]] = {}
    for row in rows.select(["commit", "text", "url"]).to_pylist():
        heading, _, text = row["text"].partition("\n")
        lines = [printable(line) for line in text.strip()[:LONGEST].split("\n")]
        found.setdefault(row["commit"], []).append(Said(heading, "\n".join(lines), row["url"]))
    return found
