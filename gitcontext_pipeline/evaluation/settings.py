"""`gitcontext.toml`: which retriever a project measures, over which golden set, and which numbers may fall.

With it the commands need no options, on a desk as in a build. Paths in it start from its own folder.
"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from gitcontext_pipeline.errors import UsageError
from gitcontext_pipeline.evaluation.matching import Granularity
from gitcontext_pipeline.evaluation.policy import GatePolicy

SETTINGS = "gitcontext.toml"


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class RunChoices(_Table):
    """The `[eval]` table: the retriever (or a corpus, for the project's own), the golden set, and how it is asked."""

    retriever: str | None = None
    corpus: str | None = None
    golden: str | None = None
    files: str | None = None
    root: str | None = None
    revision: str | None = None
    top: Annotated[int, Field(ge=1)] = 10
    use_scope: bool = False
    granularity: Granularity = "passage"
    seconds_per_query: Annotated[float, Field(gt=0, le=86_400)] = 30.0
    max_failed: Annotated[float, Field(ge=0, le=1)] = 0.1
    allow_impossible: bool = False


class GateChoices(_Table):
    """The `[gate]` table: the fields of `policy.GatePolicy` as TOML writes them; what is left out keeps its default."""

    tolerance: float | int | None = None
    metrics: tuple[str, ...] | None = None
    slice_metrics: tuple[str, ...] | None = None
    slice_labels: tuple[str, ...] | None = None
    min_slice_cases: int | None = None
    must_hit: tuple[str, ...] | None = None
    must_hit_top: int | None = None
    require_baseline: bool | None = None

    def policy(self, **over: Any) -> GatePolicy:
        """The policy; what `over` gives goes before what is written here, and None there means not given."""
        given = {name: value for name, value in over.items() if value is not None}
        written = self.model_dump(exclude_none=True) | given
        if "tolerance" in written:
            written["tolerance_pp"] = written.pop("tolerance")
        return GatePolicy(**written)


class Settings(_Table):
    """One file, with its paths made absolute."""

    run: RunChoices = Field(default_factory=RunChoices, alias="eval")
    gate: GateChoices = Field(default_factory=GateChoices)


def read_settings(path: Path) -> Settings:
    """Raises UsageError naming the file and the first thing in it that does not hold."""
    try:
        written = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise UsageError("no such file", where=path, fix="gitcontext eval init writes one.") from error
    except (OSError, ValueError) as error:  # what is no UTF-8, no TOML, or a number without an end
        raise UsageError(f"cannot be read: {error}", where=path, fix="Write TOML, in UTF-8.") from error
    try:
        settings = Settings.model_validate(written)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise UsageError(f"{place}: {first['msg']}", where=path, fix=f"Known: {_known()}.") from error
    folder = path.resolve().parent
    absolute = {
        name: str(folder / value) for name in ("golden", "files", "root") if (value := getattr(settings.run, name))
    }
    return settings.model_copy(update={"run": settings.run.model_copy(update=absolute)})


def settings_text(**run: str | int | bool | None) -> str:
    """A file to start from, with the given fields of `[eval]`; what is None is left out."""
    lines = [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in run.items() if value is not None]
    return "\n".join(
        [
            "# What `gitcontext eval` measures here, and what fails a build. Paths start from this folder.",
            "[eval]",
            *lines,
            "",
            "[gate]",
            "tolerance = 5  # percentage points that a gated number may fall",
            "must_hit = []  # ids of cases that must be answered, whatever the averages say",
            "",
        ]
    )


def _known() -> str:
    tables = (("eval", RunChoices), ("gate", GateChoices))
    return "; ".join(f"[{name}] {', '.join(table.model_fields)}" for name, table in tables)
