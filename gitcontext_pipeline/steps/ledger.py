"""Which steps are done, with what input, and what they found: the memory that lets a step return early."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gitcontext_pipeline.storage import read_json, write_json


@dataclass(frozen=True, slots=True)
class StepResult:
    """`facts` are JSON-able: counts, names, reports; the same whether the step ran or was skipped."""

    fingerprint: str
    facts: Mapping[str, Any]
    skipped: bool


class Ledger:
    """One JSON file: `{"steps": {name: {"fingerprint": …, "facts": …}}, …}`, replaced by rename after each step."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> dict[str, Any]:
        found = read_json(self.path)
        return found if isinstance(found, dict) and isinstance(found.get("steps"), dict) else {"steps": {}}

    def entry(self, step: str) -> StepResult | None:
        """What the step recorded when it last finished."""
        found = self.read()["steps"].get(step)
        return StepResult(found["fingerprint"], found["facts"], skipped=True) if found else None

    def record(self, step: str, fingerprint: str, facts: Mapping[str, Any], **identity: Any) -> None:
        """Note that a step is done; `identity` goes to the top of the file."""
        content = self.read()
        content.update(identity)
        content["steps"][step] = {"fingerprint": fingerprint, "facts": dict(facts)}
        write_json(self.path, content)

    def run(
        self,
        step: str,
        fingerprint: str,
        make: Callable[[], Mapping[str, Any]],
        intact: Callable[[], bool],
    ) -> StepResult:
        """Run `make` unless the step already ran on the same input and its output is still `intact`."""
        done = self.entry(step)
        if done is not None and done.fingerprint == fingerprint and intact():
            return done
        facts = make()
        self.record(step, fingerprint, facts)
        return StepResult(fingerprint, facts, skipped=False)
