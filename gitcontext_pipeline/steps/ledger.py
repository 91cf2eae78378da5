"""Which steps are done, with what input, and what they found: the memory that lets a step return early."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gitcontext_pipeline.storage import digest, read_json, write_json


@dataclass(frozen=True, slots=True)
class StepResult:
    """`facts` are JSON-able: counts, names, reports; the same whether the step ran or was skipped."""

    fingerprint: str
    facts: Mapping[str, Any]
    skipped: bool


class Ledger:
    """One JSON file: `{"steps": {name: {"fingerprint": …, "facts": …, "sha256": …}}, …}`, replaced by rename after each
    step. The hash is of what the step wrote."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> dict[str, Any]:
        found = read_json(self.path)
        return found if isinstance(found, dict) and isinstance(found.get("steps"), dict) else {"steps": {}}

    def entry(self, step: str) -> StepResult | None:
        """What the step recorded when it last finished."""
        found = self.read()["steps"].get(step)
        return StepResult(found["fingerprint"], found["facts"], skipped=True) if found else None

    def record(
        self, step: str, fingerprint: str, facts: Mapping[str, Any], output: Path | None = None, **identity: Any
    ) -> None:
        """Note that a step is done and wrote `output`, file or directory; `identity` goes to the top of the file."""
        content = self.read()
        content.update(identity)
        content["steps"][step] = {"fingerprint": fingerprint, "facts": dict(facts)}
        if output is not None:
            content["steps"][step]["sha256"] = digest(output)
        write_json(self.path, content)

    def unchanged(self, step: str, output: Path) -> bool:
        """Whether `output` is, byte for byte, what the step wrote; where no hash was noted, whether it is there."""
        noted = self.read()["steps"].get(step, {}).get("sha256")
        return output.exists() if noted is None else digest(output) == noted

    def run(
        self,
        step: str,
        fingerprint: str,
        make: Callable[[], Mapping[str, Any]],
        intact: Callable[[], bool] = lambda: True,
        output: Path | None = None,
    ) -> StepResult:
        """Run `make` unless the step already ran on the same input, what it wrote to `output` is `unchanged`, and all
        is `intact`."""
        done = self.entry(step)
        same = done is not None and done.fingerprint == fingerprint
        if done is not None and same and (output is None or self.unchanged(step, output)) and intact():
            return done
        facts = make()
        self.record(step, fingerprint, facts, output)
        return StepResult(fingerprint, facts, skipped=False)
