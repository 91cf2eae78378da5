"""Where evidence comes from and what became of it: the changes behind some lines, the lines behind a change."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from gitcontext_pipeline.chunks import table

if TYPE_CHECKING:
    import pyarrow as pa


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


class Lineages:
    """The lineage of the chunks of one table: read through once, so that each question only looks up its own."""

    def __init__(self, chunks: pa.Table) -> None:
        self._known = {"introduced", "changed", "stands"} <= set(chunks.column_names)  # an older version has none
        self._chunks = chunks
        self._rows = {id_: row for row, id_ in enumerate(chunks.column("id").to_pylist())}
        # Reviews and discussions carry the commit of the pull request that they are about.
        own = zip(chunks.column("commit").to_pylist(), chunks.column("symbol_kind").to_pylist(), strict=True)
        self._changes = {commit: row for row, (commit, kind) in enumerate(own) if commit and kind is None}

    def of(self, ids: Iterable[str]) -> dict[str, Lineage]:
        """The lineage of some chunks, by their ids, as far as the table tells."""
        if not self._known:
            return {}
        found = self._read(
            ("id", "introduced", "changed", "stands"), [self._rows[id_] for id_ in ids if id_ in self._rows]
        )
        changes = self._changes_of({row[name] for row in found for name in ("introduced", "changed")})
        return {
            row["id"]: Lineage(changes.get(row["introduced"]), changes.get(row["changed"]), tuple(row["stands"] or ()))
            for row in found
        }

    def _changes_of(self, commits: Collection[str | None]) -> Mapping[str | None, ChangeRef]:
        places = [self._changes[commit] for commit in commits if commit in self._changes]
        rows = self._read(("commit", "pr", "signature", "date", "url"), places)
        return {
            row["commit"]: ChangeRef(row["commit"], row["pr"], row["signature"], row["date"], row["url"])
            for row in rows
        }

    def _read(self, columns: Sequence[str], places: Sequence[int]) -> list[dict[str, Any]]:
        return table.rows_at(self._chunks.select(list(columns)), places)
