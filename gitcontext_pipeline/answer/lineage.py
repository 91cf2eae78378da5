"""Where evidence comes from and what became of it: the changes behind some lines, the lines behind a change."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from gitcontext_pipeline.chunks import table


@dataclass(frozen=True, slots=True)
class ChangeRef:
    """A change by its commit, with its pull request's number if it is one; `url` is immutable."""

    commit: str
    pr: int | None
    title: str
    date: str | None
    url: str

    @property
    def name(self) -> str:
        return f"#{self.pr}" if self.pr is not None else f"commit {self.commit[:12]}"


@dataclass(frozen=True, slots=True)
class Lineage:
    """For lines of a file: the change that the oldest came with, and the last one. For a change: its lines today."""

    introduced: ChangeRef | None = None
    changed: ChangeRef | None = None
    stands: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def lineage_of(snapshot: Path, ids: Collection[str]) -> dict[str, Lineage]:
    """The lineage of some chunks of a snapshot, by their ids; one of an older version has none."""
    import pyarrow as pa

    wanted = ("id", "introduced", "changed", "stands")
    try:
        rows = _rows(snapshot, wanted, "id", ids)
    except (OSError, pa.ArrowException):
        return {}
    if not rows or any(name not in rows[0] for name in wanted):
        return {}
    shas = {row[name] for row in rows for name in ("introduced", "changed")} - {None}
    changes = _changes(snapshot, shas) if shas else {}
    return {
        row["id"]: Lineage(changes.get(row["introduced"]), changes.get(row["changed"]), tuple(row["stands"] or ()))
        for row in rows
    }


def _changes(snapshot: Path, shas: Collection[str]) -> Mapping[str | None, ChangeRef]:
    rows = _rows(snapshot, ("commit", "pr", "signature", "date", "url", "symbol_kind"), "commit", shas)
    # Reviews and discussions carry the commit of the pull request that they are about.
    return {
        row["commit"]: ChangeRef(row["commit"], row["pr"], row["signature"], row["date"], row["url"])
        for row in rows
        if row["symbol_kind"] is None
    }


def _rows(snapshot: Path, columns: Sequence[str], key: str, values: Collection[str]) -> list[dict[str, Any]]:
    """Those columns of the chunks whose `key` is one of `values`."""
    found = table.read(snapshot / "chunks.parquet", columns)
    wanted = frozenset(values)
    return table.rows_at(found, [place for place, value in enumerate(found.column(key).to_pylist()) if value in wanted])
