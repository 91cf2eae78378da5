"""A reply of the model, read with suspicion: what it claims, and where it says that this can be seen."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from gitcontext_pipeline.answer.grammar import MOST_CLAIMS

_FINISHED = re.compile(r'\{"source":\d{1,9},"from":\d{1,9},"to":\d{1,9},"text":"[^"\\]*"\}')
_TEXTS = re.compile(r'"text":"([^"\\]*)')
LONGEST_REPLY = 20_000
"""Characters of a reply that are read at all."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence, the number of the excerpt it rests on, and the lines; None where the reply did not say."""

    text: str
    source: int | None
    start: int | None
    end: int | None


@dataclass(frozen=True, slots=True)
class Reply:
    """What was read. `problem` says why there is no claim in it; `declined`, that the model had no answer."""

    claims: tuple[Claim, ...]
    problem: str | None = None
    declined: bool = False


def read_reply(text: str) -> Reply:
    """The claims of a reply; those that were finished, when it was cut off in the middle."""
    content = text.strip()
    if not content:
        return Reply((), "the model said nothing")
    if len(content) > LONGEST_REPLY:
        return Reply((), f"the reply has {len(content)} characters")
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        return _unfinished(content)
    if not isinstance(value, dict):
        return Reply((), "the reply is not an object")
    if value.get("answered") is False:
        return Reply((), "the model found no answer in the excerpts", declined=True)
    claims = value.get("claims")
    if not isinstance(claims, list) or not claims:
        return Reply((), "the reply claims nothing")
    if len(claims) > MOST_CLAIMS:
        return Reply((), f"the reply makes {len(claims)} claims, more than {MOST_CLAIMS}")
    if not all(isinstance(claim, dict) for claim in claims):
        return Reply((), "a claim of the reply is not an object")
    return Reply(tuple(_claim(claim) for claim in claims))


def sentences_so_far(text: str) -> list[str]:
    """The sentences of a reply that is still being written, the last one perhaps in its middle."""
    return _TEXTS.findall(text)


def _unfinished(content: str) -> Reply:
    if not content.startswith('{"claims":['):
        return Reply((), "the reply is not JSON")
    found = [json.loads(claim) for claim in _FINISHED.findall(content)]
    if not found:
        return Reply((), "the reply was cut off before its first claim was finished")
    return Reply(tuple(_claim(claim) for claim in found[:MOST_CLAIMS]))


def _claim(value: dict[str, Any]) -> Claim:
    text = value.get("text")
    return Claim(
        text=text if isinstance(text, str) else "",
        source=_whole(value.get("source")),
        start=_whole(value.get("from")),
        end=_whole(value.get("to")),
    )


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
