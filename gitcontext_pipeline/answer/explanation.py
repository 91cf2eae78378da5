"""What came of asking for prose: cited sentences that hold, or the reasons why there are none."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from gitcontext_pipeline.retrieval.result import Result

Status = Literal["passed", "repaired", "withheld", "off"]
"""`passed` at the first attempt, `repaired` at the second, `withheld` with reasons, `off` without a model."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A rule of the contract that was failed, by name, and how."""

    rule: str
    reason: str


@dataclass(frozen=True, slots=True)
class CitedSentence:
    """A sentence that holds. `source` numbers the evidence from 1; `url` leads to the cited lines."""

    text: str
    source: int
    start_line: int
    end_line: int
    place: str
    url: str


@dataclass(frozen=True, slots=True)
class DroppedSentence:
    """A sentence that does not hold, the first rule it failed, and how."""

    text: str
    rule: str
    reason: str
    attempt: int


@dataclass(frozen=True, slots=True)
class Attempt:
    """One generation, with all that is needed to repeat it. Times are in seconds."""

    prompt_sha256: str
    grammar_sha256: str
    reply: str
    finish: str
    prompt_tokens: int
    reused_tokens: int
    tokens: int
    prompt_seconds: float
    seconds: float
    failures: tuple[Failure, ...]
    """Every failed rule of every claim, and why the whole was withheld, if it was."""

    @property
    def tokens_per_second(self) -> float:
        return self.tokens / self.seconds if self.seconds > 0 else 0.0


@dataclass(frozen=True, slots=True)
class Explanation:
    """The outcome for one question. `shown` gives the runs of lines of each excerpt that the model saw."""

    status: Status
    sentences: tuple[CitedSentence, ...] = ()
    dropped: tuple[DroppedSentence, ...] = ()
    reasons: tuple[Failure, ...] = ()
    attempts: tuple[Attempt, ...] = ()
    shown: Mapping[int, list[tuple[int, int]]] = field(default_factory=dict)
    prompt_tokens: int = 0
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Model, its file's hash, runtime, seed, temperature, template, versions, rules applied."""

    @property
    def seconds(self) -> float:
        """Time the model took, both attempts together."""
        return sum(attempt.prompt_seconds + attempt.seconds for attempt in self.attempts)

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "seconds": round(self.seconds, 3)}

    def as_markdown(self) -> str:
        """The sentences with their links, or why there are none, as the part of an answer above its evidence."""
        if self.status == "off":
            return f"_{self.reasons[0].reason}_\n"
        lines = []
        for sentence in self.sentences:
            lines += [f"- {sentence.text} [{sentence.source}]", f"    {sentence.url}"]
        if self.sentences:
            lines += ["", f"_{self._checked}_"]
        else:
            why = "; ".join(failure.reason for failure in self.reasons)
            lines.append(f"_No explanation: what the model wrote was withheld ({why})._")
        told = Counter(f"_Dropped by the rule {dropped.rule}: {dropped.reason}" for dropped in self.dropped)
        lines += [f"{line}{f' ({times} times)' if times > 1 else ''}._" for line, times in told.items()]
        return "\n".join(lines) + "\n"

    @property
    def _checked(self) -> str:
        told = f"Written by {self.settings.get('model', 'a model')}, each sentence checked against the lines it cites"
        dropped = len({sentence.text for sentence in self.dropped})
        again = ", at the second attempt" if self.status == "repaired" else ""
        return told + again + (f"; {dropped} dropped." if dropped else ".")


def turned_off(why: str) -> Explanation:
    """The explanation where there is no model: one line that says how to turn it on."""
    return Explanation("off", reasons=(Failure("off", why),))


def line_url(result: Result, start: int, end: int) -> str:
    """The permalink of a passage, narrowed to the lines from `start` to `end`; a change has no lines to link to."""
    lines = f"#L{start}" if start == end else f"#L{start}-L{end}"
    return re.sub(r"#L\d+(?:-L\d+)?$", lines, result.url)


def line_place(result: Result, start: int, end: int) -> str:
    """As `Result.place`, of those lines alone."""
    return re.sub(r"#L\d+-L\d+$", f"#L{start}-L{end}", result.place)
