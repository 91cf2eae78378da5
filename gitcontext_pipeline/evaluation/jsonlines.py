"""Strict JSON Lines: one object a line, UTF-8 without a byte-order mark, lines ended by \\n or \\r\\n and nothing else.

Strict on purpose: Python's `splitlines` also cuts at U+2028 and five other characters, `json` accepts NaN, keeps the
last of two equal keys, and lets half a surrogate pair through; each of these has made an evaluation measure something
else than its file says. The format: https://jsonlines.org, RFC 8259.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

from gitcontext_pipeline.errors import UsageError

ODD_NEWLINES = {
    "\r": "a carriage return without line feed",
    "\v": "a vertical tab",
    "\f": "a form feed",
    "\x1c": "the separator U+001C",
    "\x1d": "the separator U+001D",
    "\x1e": "the separator U+001E",
    "\x85": "the next-line character U+0085",
    "\u2028": "the line separator U+2028",
    "\u2029": "the paragraph separator U+2029",
}
"""What some program takes for the end of a line although it is none here; inside a string it can be written escaped."""

BYTE_ORDER_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")


def read_json_lines(path: Path) -> list[tuple[int, dict[str, Any]]]:
    """The objects of `path`, each with its line number (from 1); blank lines are skipped.

    Raises UsageError, located as `file:line`, for anything that is not a JSON object of plain Unicode text.
    """
    return list(parse_json_lines(_bytes_of(path), str(path)))


def parse_json_lines(data: bytes, name: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """As `read_json_lines`, over the bytes themselves; `name` stands for the file in errors."""
    if data.startswith(BYTE_ORDER_MARKS):
        raise UsageError("starts with a byte-order mark", where=f"{name}:1", fix="Save it as UTF-8 without one.")
    for number, raw in enumerate(data.split(b"\n"), 1):
        where = f"{name}:{number}"
        try:
            line = raw.removesuffix(b"\r").decode("utf-8")
        except UnicodeDecodeError as error:
            raise UsageError(f"byte {error.start + 1} is not UTF-8", where=where, fix="Save it as UTF-8.") from error
        for character, meaning in ODD_NEWLINES.items():
            if character in line:
                raise UsageError(
                    f"column {line.index(character) + 1} is {meaning}, which some programs take for the end of a line",
                    where=where,
                    fix=f"End lines with \\n; inside a string write \\u{ord(character):04x}.",
                )
        if line.strip():
            yield number, _object_of(line, where)


def _bytes_of(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
        raise UsageError("no such file", where=path, fix="Check the path.") from error
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot be read: {error}", where=path, fix="Name a readable file.") from error


def _object_of(line: str, where: str) -> dict[str, Any]:
    try:
        value = json.loads(line, parse_constant=_no_constant, object_pairs_hook=_distinct_keys)
    except json.JSONDecodeError as error:
        raise UsageError(
            f"not JSON: {error.msg} at column {error.colno}", where=where, fix="One object a line."
        ) from error
    except ValueError as error:
        raise UsageError(str(error), where=where, fix="Correct the value.") from error
    except RecursionError as error:
        raise UsageError("nested too deeply", where=where, fix="A case needs two levels.") from error
    if not isinstance(value, dict):
        raise UsageError(
            f"a {type(value).__name__}, not an object", where=where, fix='Write {"query": …, "gold": […]}.'
        )
    if (odd := _unencodable(value)) is not None:
        raise UsageError(f"{odd!r} holds half a surrogate pair", where=where, fix="Write the character itself.")
    return value


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON value")


def _distinct_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the field {key!r} is there twice")
        found[key] = value
    return found


def _unencodable(value: Any) -> str | None:
    """The first string in `value` that has no UTF-8 form."""
    pending = [value]
    while pending:
        match pending.pop():
            case str(text):
                try:
                    text.encode()
                except UnicodeEncodeError:
                    return text
            case list(items):
                pending.extend(items)
            case dict(fields):
                pending.extend(fields)
                pending.extend(fields.values())
    return None
