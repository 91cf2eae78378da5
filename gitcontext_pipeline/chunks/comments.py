"""Doc comments and docstrings without their markers."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable

from gitcontext_pipeline.chunks.lines import LONGEST_LINE

_MARKERS = re.compile(r"^\s*(?:/\*[*!]*|\*+/|\*(?!\*)|//[/!]*|#+!?|--+|;+)(?:(?<=\*/)|[ \t]?)")
_CLOSING = re.compile(r"\s*\*+/\s*$")
_RULE = re.compile(r"^[\s\-=*#/~_+]*$")
_STRING = re.compile(r"^[A-Za-z]*(\"\"\"|'''|\"|')(.*?)(?:\1)?$", re.DOTALL)


def clean_comment(lines: Iterable[str]) -> str:
    """The text of adjacent comment lines, whatever the language's comment markers; rules like `# ----` are dropped."""
    cleaned = [_MARKERS.sub("", _CLOSING.sub("", line[:LONGEST_LINE])).rstrip() for line in lines]
    kept = ["" if _RULE.match(line) else line for line in cleaned]
    return inspect.cleandoc("\n" + "\n".join(kept)).strip()


def clean_docstring(literal: str) -> str:
    """The text of a Python string literal used as a docstring (escape sequences are left as they are written)."""
    match = _STRING.match(literal.strip())
    return inspect.cleandoc(match.group(2)).strip() if match else ""
