"""Jupyter notebooks: the sources of the cells as spans; outputs, attachments and metadata are left out.

The JSON is read token by token to know the lines that each cell's source stands on
(https://nbformat.readthedocs.io/en/latest/format_description.html), which also makes a damaged file give what it has.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from gitcontext_pipeline.chunks.lines import file_lines, is_blank, pieces
from gitcontext_pipeline.chunks.markup import split_markdown
from gitcontext_pipeline.chunks.schema import Omission, Span

CELL_LINES = 100
LEFT_OUT = "notebook outputs and metadata"

_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)
_EMBEDDED = re.compile(r"data:[\w.+/-]+;base64,[A-Za-z0-9+/=\s]*|[A-Za-z0-9+/]{400,}={0,2}")
_EMBEDDED_MARK = "[embedded data left out]"


@dataclass(slots=True)
class _Cell:
    """A cell's source: one (text, 1-based line) for each string of the JSON array."""

    kind: str = "code"
    strings: list[tuple[str, int]] = field(default_factory=list)


def split_notebook(text: str) -> tuple[list[Span], list[Omission]]:
    spans: list[Span] = []
    trail = ""
    for cell in _cells(text):
        made, trail = _spans_of(cell, trail)
        spans += made
    return spans, _omissions(file_lines(text), spans)


def _spans_of(cell: _Cell, trail: str) -> tuple[list[Span], str]:
    """The spans of one cell, and the heading path that holds for the cells after it."""
    written = _EMBEDDED.sub(_EMBEDDED_MARK, "".join(string for string, _ in cell.strings))
    lines = file_lines(written)
    if all(is_blank(line) for line in lines):
        return [], trail
    symbol = trail.rsplit(" > ", 1)[-1] or None
    if cell.kind == "markdown":
        made = split_markdown(written)
        trail = next((span.signature for span in reversed(made) if span.symbol), trail)
        parts = [
            (one.start_line, one.end_line, one.symbol or symbol, "section", one.signature or trail) for one in made
        ]
    else:
        kind = "cell" if cell.kind == "code" else cell.kind
        parts = [(first, last, symbol, kind, trail) for first, last in pieces(lines, 1, len(lines), CELL_LINES)]
    spans = []
    one_line_a_string = len(lines) == len(cell.strings)
    for first, last, name, kind, path in parts:
        start = cell.strings[first - 1][1] if one_line_a_string else cell.strings[0][1]
        end = cell.strings[last - 1][1] if one_line_a_string else cell.strings[-1][1]
        spans.append(Span(start, end, name, kind, path, text="\n".join(lines[first - 1 : last])))
    return spans, trail


def _omissions(lines: Sequence[str], spans: Sequence[Span]) -> list[Omission]:
    covered = [False] * (len(lines) + 2)
    for span in spans:
        covered[span.start_line : span.end_line + 1] = [True] * (span.end_line + 1 - span.start_line)
    omissions: list[Omission] = []
    start = 1
    for number in range(1, len(lines) + 2):
        if number > len(lines) or covered[number]:
            if start < number:
                omissions.append(Omission(start, number - 1, LEFT_OUT))
            start = number + 1
    return omissions


def _cells(text: str) -> Iterator[_Cell]:
    """The cells in order: objects of an array called `cells`, their type and the strings of their source."""
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    path: list[str | None] = []
    key: str | None = None
    depth_of_cell = 0
    cell: _Cell | None = None
    expects_key = False
    for match in _TOKEN.finditer(text):
        piece = match.group()
        if piece in "{[":
            if piece == "{" and cell is None and len(path) >= 2 and path[-1] == "cells":
                cell, depth_of_cell = _Cell(), len(path) + 1
            path.append(key if piece == "[" else None)
            key, expects_key = None, piece == "{"
        elif piece in "}]":
            if path:
                path.pop()
            if cell is not None and len(path) < depth_of_cell:
                yield cell
                cell = None
            key, expects_key = None, False
        elif piece == ",":
            key, expects_key = None, bool(path) and path[-1] is None
        elif piece == ":":
            expects_key = False
        elif piece.startswith('"'):
            string = _decoded(piece)
            if expects_key:
                key = string
            elif cell is not None:
                field_ = key if len(path) == depth_of_cell else path[-1] if len(path) == depth_of_cell + 1 else None
                if field_ == "cell_type":
                    cell.kind = string
                elif field_ in {"source", "input"}:
                    cell.strings.append((string, bisect_right(starts, match.start())))
    if cell is not None:
        yield cell


def _decoded(piece: str) -> str:
    try:
        return str(json.loads(piece, strict=False)).encode("utf-8", "replace").decode("utf-8")
    except ValueError:
        return piece.strip('"')
