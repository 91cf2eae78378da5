"""A language model that says what it is told to, and records what it was asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from gitcontext_pipeline.answer.model import Finish, Generation, Limits, Segment


@dataclass(frozen=True)
class Asked:
    """One call of `generate`."""

    prompt: tuple[Segment, ...]
    grammar: str
    seed: int
    limits: Limits

    @property
    def text(self) -> str:
        return "".join(segment.text for segment in self.prompt)

    @property
    def data(self) -> str:
        """The part of the prompt in which special tokens mean nothing."""
        return "".join(segment.text for segment in self.prompt if not segment.control)


@dataclass
class ScriptedModel:
    """Gives `replies` one after the other, the last one again and again; a token is four characters."""

    replies: Sequence[str]
    finish: Finish = "stop"
    name: str = "scripted"
    digest: str = "0" * 64
    runtime: str = "script 1"
    marks: tuple[str, ...] = ("<|im_start|>", "<|im_end|>")
    seconds: float = 0.5
    during: Callable[[], None] = lambda: None
    asked: list[Asked] = field(default_factory=list)
    closed: bool = False

    def count(self, text: str) -> int:
        return -(-len(text) // 4)

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
        self.asked.append(Asked(tuple(prompt), grammar, seed, limits))
        self.during()
        reply = self.replies[min(len(self.asked), len(self.replies)) - 1]
        for end in range(0, len(reply) + 1, 7):
            heard(reply[:end])
        heard(reply)
        tokens = sum(self.count(segment.text) for segment in prompt)
        return Generation(reply, self.finish, tokens, 0, self.count(reply), 0.1, self.seconds)

    def close(self) -> None:
        self.closed = True
