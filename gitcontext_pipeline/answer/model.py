"""What a language model must be able to do here; everything that explains is written against this."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

Finish = Literal["stop", "length", "timeout", "cancelled"]
"""Why a generation ended: it was complete, too long, too slow, or nobody wanted it any more."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of a prompt. Only where `control` is set do special tokens such as `<|im_end|>` mean anything; in all
    other text they are the characters they consist of."""

    text: str
    control: bool = False


@dataclass(frozen=True, slots=True)
class Limits:
    """When a generation must end: tokens written, seconds since it began, or `cancelled()` saying so."""

    tokens: int = 640
    seconds: float = 120.0
    cancelled: Callable[[], bool] = lambda: False


@dataclass(frozen=True, slots=True)
class Generation:
    """What a model wrote. `reused` of the `prompt_tokens` were still known from the generation before."""

    text: str
    finish: Finish
    prompt_tokens: int
    reused: int
    tokens: int
    prompt_seconds: float
    seconds: float


class LanguageModel(Protocol):
    """One loaded model. Equal prompts, grammars and seeds give equal text."""

    name: str
    digest: str
    """SHA-256 of its file."""
    runtime: str
    """Which library runs it, in which version."""
    marks: tuple[str, ...]
    """The special tokens of its vocabulary that a prompt may be built with."""

    def count(self, text: str) -> int:
        """How many tokens `text` is, special tokens taken as plain text."""

    def generate(
        self,
        prompt: Sequence[Segment],
        grammar: str,
        *,
        ending: str,
        seed: int,
        limits: Limits,
        heard: Callable[[str], None] = lambda text: None,
    ) -> Generation:
        """Write what `grammar` (GBNF) allows, the likeliest token each time.

        A reply that runs in circles, or has nearly used up its tokens, is closed with `ending` as soon as the grammar
        allows that, and its finish is `length`. `heard` is told all that is written so far.
        """

    def close(self) -> None:
        """Give the memory back; the model must not be used afterwards."""
