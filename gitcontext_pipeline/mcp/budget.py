"""How much of a reply fits into the tokens that an agent spends on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mcp_types import CallToolResult, ResourceLink, TextContent
from pydantic import BaseModel

from gitcontext_pipeline.errors import UsageError

BYTES_A_TOKEN = 3
"""Of UTF-8. Tokenizers make fewer tokens of prose and about as many of code and commit ids."""
DEFAULT_TOKENS = 2000
LEAST_TOKENS, MOST_TOKENS = 500, 50_000


def tokens(text: str) -> int:
    """An estimate of the tokens of `text`, rounded up."""
    return -(-len(text.encode()) // BYTES_A_TOKEN)


@dataclass(frozen=True, slots=True)
class Reply:
    """A tool's answer twice, as text and as structure, because some clients show their model one and some the other.

    `links` name resources that have what was cut.
    """

    text: str
    structured: BaseModel
    links: Sequence[ResourceLink] = ()

    @property
    def tokens(self) -> int:
        """Of the longer of the two forms."""
        shown = "\n".join([self.text, *(f"{link.name} {link.uri}" for link in self.links)])
        return max(tokens(shown), tokens(self.structured.model_dump_json(exclude_none=True)))

    def as_result(self) -> CallToolResult:
        return CallToolResult(
            content=[TextContent(text=self.text), *self.links],
            structured_content=self.structured.model_dump(mode="json", exclude_none=True),
        )


def fitted(make: Callable[[int, int], Reply], items: int, max_tokens: int) -> CallToolResult:
    """The reply with as many of its items as fit, and with excerpts as long as they then can be.

    `make(items, room)` makes the reply with the first `items`, each excerpt at most `room` bytes long.

    Raises:
        UsageError: not even the reply without any item or excerpt fits.
    """
    while make(items, 0).tokens > max_tokens:
        if not items:
            raise UsageError(f"nothing of the answer fits into max_tokens={max_tokens}", fix="allow more tokens")
        items -= 1
    room, too_much = 0, max_tokens * BYTES_A_TOKEN + 1
    while too_much - room > 1:
        middle = (room + too_much) // 2
        if make(items, middle).tokens <= max_tokens:
            room = middle
        else:
            too_much = middle
    return make(items, room).as_result()


def first_lines(lines: Sequence[str], room: int) -> list[str]:
    """As many of the first lines as fit into `room` bytes."""
    shown: list[str] = []
    for line in lines:
        room -= len(line.encode()) + 1
        if room < 0:
            break
        shown.append(line)
    return shown
