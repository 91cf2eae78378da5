from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gitcontext_pipeline.chunks.code import MAX_LINES
from gitcontext_pipeline.chunks.languages import LANGUAGES
from gitcontext_pipeline.chunks.lines import file_lines
from gitcontext_pipeline.chunks.splitter import language_of, split
from tests.chunks.spans_of import uncovered

SUFFIXES = sorted(
    {suffix for language in LANGUAGES for suffix in language.suffixes}
    | {".md", ".rst", ".adoc", ".yml", ".json", ".toml", ".ini", ".sql", ".html", ".mk", ".dockerfile", ".ipynb"}
    | {".txt", ".css", ""}
)
FRAGMENTS = st.sampled_from(
    r"""def|f():|class|A:|A {|func (a *A) b() {|impl|it('x', () => {|}|)|end|{|(|# a|## b|===|---|```|/*|*/|\"\"\"
    |//|<!--|-->|@x|#[x]|a: b|- a|"a": {|[x]|CREATE TABLE x|$$|BEGIN|;|x:|FROM a|<h1>a</h1>|.. _x:|\|é|<?php|'|"|=>
    |fn b() {|{"cells": [{"cell_type": "code", "source": ["a", "b"]}]}""".split("|")
) | st.sampled_from(["\t", "    ", "", "\r", "\x0c", "\x85", "\u2028", "\ud800", "\x00"])
TEXTS = st.lists(st.lists(FRAGMENTS, max_size=4).map(" ".join), max_size=60).map("\n".join) | st.text(max_size=300)


@settings(max_examples=400, deadline=None)
@given(TEXTS, st.sampled_from(SUFFIXES))
@example("const val A = 3\n/**\n */\n@Serializ", ".kt")
@example("\n\n\n", ".py")
def test_any_text_is_split_without_loss(text: str, suffix: str) -> None:
    found = split(f"a{suffix}", text)
    count = len(file_lines(text))
    assert uncovered(text, found) == []
    for span in found.spans:
        assert 1 <= span.start_line <= span.end_line <= count
        assert span.end_line - span.start_line < MAX_LINES
    assert found == split(f"a{suffix}", text)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "(" * 50_000),
        ("a.py", "\n".join(" " * depth + "if x:" for depth in range(800))),
        ("a.js", "function a() {\n" * 3_000 + "}\n" * 3_000),
        ("a.js", "a(\n" * 5_000),
        ("a.java", "class A {\n" * 1_500 + "}\n" * 1_500),
        ("a.rs", "mod a {\n" * 3_000),
        ("a.c", "*/\n" * 5_000),
        ("a.json", "[" * 50_000),
        ("a.json", '{"a":\n' * 5_000),
        ("a.ipynb", '{"cells":[' * 20_000),
        ("a.yml", "\n".join(" " * depth + "a:" for depth in range(1_000))),
    ],
)
def test_deep_nesting_is_survived(path: str, text: str) -> None:
    assert uncovered(text, split(path, text)) == []


@pytest.mark.parametrize(
    ("path", "kind", "language"),
    [
        ("README.md", "docs", "markdown"),
        ("docs/index.rst", "docs", "rst"),
        ("LICENSE", "docs", "text"),
        ("CHANGELOG", "docs", "text"),
        ("notes.txt", "docs", "text"),
        ("requirements-dev.txt", "code", "text"),
        ("CMakeLists.txt", "code", "text"),
        ("src/a.py", "code", "python"),
        ("a.PY", "code", "python"),
        ("Rakefile", "code", "ruby"),
        ("web/a.css", "code", "css"),
        ("Dockerfile.dev", "code", "dockerfile"),
        (".github/workflows/ci.yml", "code", "yaml"),
        ("unknown.xyz", "code", "text"),
    ],
)
def test_files_go_to_the_splitter_for_their_name(path: str, kind: str, language: str) -> None:
    found = split(path, "text\n")
    assert (found.kind, found.language) == (kind, language)


@pytest.mark.parametrize(
    ("first", "language"),
    [
        ("#!/usr/bin/env python3", "python"),
        ("#!/usr/bin/python3.11 -u", "python"),
        ("#!/usr/bin/env -S FOO=1 node --x", "javascript"),
        ("#!/bin/sh -e", "bash"),
        ("#!/usr/bin/awk -f", None),
        ("# no interpreter", None),
        ("", None),
    ],
)
def test_scripts_are_told_by_their_interpreter(first: str, language: str | None) -> None:
    found = language_of("script", first + "\nx\n")
    assert (found.name if found else None) == language


def test_c_headers_are_told_from_those_of_cpp() -> None:
    in_c, in_cpp = language_of("a.h", "struct a;\n"), language_of("a.h", "class A {};\n")
    assert in_c is not None
    assert in_cpp is not None
    assert (in_c.name, in_cpp.name) == ("c", "cpp")
