"""One file's text as spans, by the splitter that its name, or the interpreter in its first line, asks for."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Literal

from gitcontext_pipeline.chunks import markup, structured
from gitcontext_pipeline.chunks.code import fill_gaps, split_code
from gitcontext_pipeline.chunks.languages import BY_NAME, LANGUAGES, Language
from gitcontext_pipeline.chunks.lines import file_lines, split_lines
from gitcontext_pipeline.chunks.long_lines import shorten
from gitcontext_pipeline.chunks.notebook import split_notebook
from gitcontext_pipeline.chunks.schema import Omission, Span, Split

SPLITTER_VERSION = 3
"""Raised whenever any splitter's output changes: part of every fingerprint of a chunk table."""

Splitter = Callable[[str], list[Span]]

_DOCUMENTS: tuple[tuple[str, Splitter, tuple[str, ...]], ...] = (
    ("markdown", markup.split_markdown, (".md", ".markdown", ".mdown", ".mkd", ".mkdn", ".mdx", ".qmd", ".rmd")),
    ("rst", markup.split_rst, (".rst", ".rest")),
    ("asciidoc", markup.split_asciidoc, (".adoc", ".asciidoc", ".asc")),
)
_STRUCTURED: tuple[tuple[str, Splitter, tuple[str, ...]], ...] = (
    ("yaml", structured.split_yaml, (".yaml", ".yml")),
    ("json", structured.split_json, (".json", ".jsonc", ".json5", ".webmanifest")),
    ("toml", structured.split_tables, (".toml",)),
    ("ini", structured.split_tables, (".ini", ".cfg", ".conf", ".editorconfig", ".gitconfig", ".desktop", ".service")),
    ("sql", structured.split_sql, (".sql", ".ddl", ".pgsql")),
    ("html", structured.split_html, (".html", ".htm", ".xhtml")),
    ("makefile", structured.split_makefile, (".mk", ".mak", "makefile", "gnumakefile", "justfile")),
    ("dockerfile", structured.split_dockerfile, (".dockerfile", "dockerfile", "containerfile")),
)
_LINES: dict[str, str] = {
    ".css": "css",
    ".scss": "scss",
    ".less": "less",
    ".xml": "xml",
    ".proto": "protobuf",
    ".graphql": "graphql",
    ".vue": "vue",
    ".svelte": "svelte",
    ".tf": "terraform",
    ".scala": "scala",
    ".lua": "lua",
    ".pl": "perl",
    ".r": "r",
    ".ex": "elixir",
    ".exs": "elixir",
    ".erl": "erlang",
    ".hs": "haskell",
    ".dart": "dart",
    ".zig": "zig",
    ".ps1": "powershell",
    ".csv": "csv",
}
_PROSE_SUFFIXES = frozenset({".txt", ".text", ".org", ".textile", ".pod", ".rdoc", ".tex", ".wiki"})
_PROSE_NAME = re.compile(
    r"^(?:readme|licen[cs]e|copying|copyright|changes|changelog|history|news|release[-_ ]?notes|authors|contributors"
    r"|contributing|maintainers|notice|security|support|governance|todo|install|thanks|acknowledge?ments|credits"
    r"|code[-_]of[-_]conduct|patents|roadmap|upgrading|faq)(?:[-_.][\w.-]*)?$",
    re.IGNORECASE,
)
_MACHINE_TEXT = re.compile(r"^(?:(?:.*[-_.])?requirements[\w.-]*|constraints[\w.-]*|cmakelists|robots)\.txt$", re.I)
_SHEBANG = re.compile(r"^#!\s*\S*?([\w.+-]+)(?:[ \t]+(.*))?$")
_CPP_HEADER = re.compile(
    r"^[ \t]*(?:class[ \t]+\w|namespace\b|template[ \t]*<|using[ \t]+\w|(?:public|private|protected)[ \t]*:)|\w::\w",
    re.MULTILINE,
)


def split(path: str, text: str) -> Split:
    """The spans and omissions of one file; the same for the same input, and never an exception."""
    name = PurePosixPath(path).name
    kind, language, spans, omissions = _split(name, text)
    lines = file_lines(text)
    spans, long = shorten(lines, spans)
    return Split(kind, language, tuple(spans), (*omissions, *long))


def _split(name: str, text: str) -> tuple[Literal["code", "docs"], str, list[Span], list[Omission]]:
    suffix = PurePosixPath(name).suffix.lower()
    if suffix == ".ipynb":
        spans, omissions = split_notebook(text)
        return "code", "notebook", spans, omissions
    for document, splitter, suffixes in _DOCUMENTS:
        if suffix in suffixes:
            return "docs", document, splitter(text), []
    language = language_of(name, text)
    if language is not None:
        return "code", language.name, _code(language, text), []
    for data, splitter, suffixes in _STRUCTURED:
        if suffix in suffixes or name.lower() in suffixes or name.lower().split(".")[0] in suffixes[1:]:
            return "code", data, splitter(text), []
    prose = suffix in _PROSE_SUFFIXES or _PROSE_NAME.match(name) is not None
    return (
        "docs" if prose and not _MACHINE_TEXT.match(name) else "code",
        _LINES.get(suffix, "text"),
        split_lines(file_lines(text)),
        [],
    )


def language_of(name: str, text: str) -> Language | None:
    """The programming language of a file by its name, else by its `#!` line."""
    suffix = PurePosixPath(name).suffix.lower()
    for language in LANGUAGES:
        if suffix in language.suffixes or name in language.filenames:
            return BY_NAME["cpp"] if suffix == ".h" and _CPP_HEADER.search(text) else language
    return _by_interpreter(text) if not suffix else None


def _by_interpreter(text: str) -> Language | None:
    match = _SHEBANG.match(text.split("\n", 1)[0].rstrip())
    if match is None:
        return None
    words = [match.group(1), *(match.group(2) or "").split()]
    if words[0] == "env":
        words = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    program = re.sub(r"[\d.]+$", "", words[0].rsplit("/", 1)[-1]) if words else ""
    return next((language for language in LANGUAGES if program in language.interpreters), None)


def _code(language: Language, text: str) -> list[Span]:
    """By syntax; by lines alone where the grammar is not installed or the parser lost."""
    lines = file_lines(text)
    try:
        spans = split_code(language, text)
    except (ImportError, ValueError):
        return split_lines(lines)
    return sorted([*spans, *fill_gaps(lines, spans)], key=lambda span: (span.start_line, -span.end_line))
