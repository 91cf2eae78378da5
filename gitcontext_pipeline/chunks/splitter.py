"""One file's text as spans, by the splitter that its name, or the interpreter in its first line, asks for."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import PurePosixPath

from gitcontext_pipeline.chunks import code, markup
from gitcontext_pipeline.chunks.languages import LANGUAGES, Language, by_name
from gitcontext_pipeline.chunks.lines import file_lines, split_lines
from gitcontext_pipeline.chunks.schema import Span, Split

SPLITTER_VERSION = 1
"""Raised whenever any splitter's output changes: part of every fingerprint of a chunk table."""

_CPP_HEADER = re.compile(
    r"^\s*(class\s+\w|namespace\b|template\s*<|using\s+\w|(public|private|protected)\s*:)|\w::\w", re.M
)
_DOCUMENTS: dict[str, tuple[str, Callable[[str], list[Span]]]] = {
    ".md": ("markdown", markup.split_markdown),
    ".markdown": ("markdown", markup.split_markdown),
    ".mdown": ("markdown", markup.split_markdown),
    ".mkd": ("markdown", markup.split_markdown),
    ".mdx": ("markdown", markup.split_markdown),
    ".qmd": ("markdown", markup.split_markdown),
    ".rst": ("rst", markup.split_rst),
    ".rest": ("rst", markup.split_rst),
    ".adoc": ("asciidoc", markup.split_asciidoc),
    ".asciidoc": ("asciidoc", markup.split_asciidoc),
}


def split(path: str, text: str) -> Split:
    """The spans and omissions of one file; the same for the same input, and never an exception."""
    name = PurePosixPath(path).name
    suffix = PurePosixPath(name).suffix.lower()
    if suffix in _DOCUMENTS:
        language, splitter = _DOCUMENTS[suffix]
        return Split("docs", language, tuple(splitter(text)))
    known = language_of(name, text)
    if known is not None:
        return Split("code", known.name, tuple(code.split_code(known, text)))
    return Split(
        "docs" if suffix == ".txt" or "." not in name else "code", "text", tuple(split_lines(file_lines(text)))
    )


def language_of(name: str, text: str) -> Language | None:
    """The programming language of a file by its name, else by its `#!` line."""
    suffix = PurePosixPath(name).suffix.lower()
    for language in LANGUAGES:
        if suffix in language.suffixes or name in language.filenames:
            if suffix == ".h" and _CPP_HEADER.search(text):
                return by_name()["cpp"]
            return language
    return None
