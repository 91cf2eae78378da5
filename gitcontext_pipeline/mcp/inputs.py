"""The arguments of the tools: their types, bounds and descriptions, which are the published schemas."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from gitcontext_pipeline.mcp.budget import BYTES_A_TOKEN, LEAST_TOKENS, MOST_TOKENS

_ABSENT = BeforeValidator(lambda value: None if value == "" else value)
"""Agents send an empty string for what they leave out."""

CorpusName = Annotated[
    Annotated[str, Field(max_length=100)] | None,
    _ABSENT,
    Field(description="Which corpus, by its name in list_corpora; without it, the one published last"),
]
MaxTokens = Annotated[
    int,
    Field(
        ge=LEAST_TOKENS,
        le=MOST_TOKENS,
        description=f"How long the reply may be, at {BYTES_A_TOKEN} bytes a token; excerpts are cut to fit",
    ),
]
Question = Annotated[
    str,
    Field(
        min_length=1,
        max_length=2000,
        description="A question in plain words, an identifier, or an error message",
        examples=["Where are redirects followed?"],
    ),
]
Scope = Annotated[
    Literal["code", "docs", "history", "tests"] | None,
    _ABSENT,
    Field(description="Only one kind of evidence; without it, all. `history` is commits and pull requests"),
]
Top = Annotated[int, Field(ge=1, le=20, description="How many pieces of evidence, at most")]
TopChanges = Annotated[int, Field(ge=1, le=50, description="How many changes, at most")]
FilePath = Annotated[str, Field(min_length=1, max_length=4096, description="A file, from the top of the repository")]
AnyFilePath = Annotated[
    Annotated[str, Field(max_length=4096)] | None, _ABSENT, Field(description="A file, from the top of the repository")
]
TouchedPath = Annotated[
    Annotated[str, Field(max_length=4096)] | None,
    _ABSENT,
    Field(description="Only changes that touched this file, or this folder"),
]
TouchedSymbol = Annotated[
    Annotated[str, Field(max_length=500)] | None,
    _ABSENT,
    Field(
        description="Only changes that touched this function, method or class: a qualified name or its end",
        examples=["Session.send"],
    ),
]
About = Annotated[
    Annotated[str, Field(max_length=2000)] | None,
    _ABSENT,
    Field(description="What the changes are about, in plain words; without it, the newest come first"),
]
Since = Annotated[
    Annotated[str, Field(max_length=40)] | None,
    _ABSENT,
    Field(description="Not before: 2024, 2024-05, 2024-05-31 or a moment"),
]
Until = Annotated[
    Annotated[str, Field(max_length=40)] | None,
    _ABSENT,
    Field(description="Not after: 2024, 2024-05, 2024-05-31 or a moment"),
]
Author = Annotated[
    Annotated[str, Field(max_length=200)] | None, _ABSENT, Field(description="Part of the author's name, in any case")
]
Commit = Annotated[
    Annotated[str, Field(max_length=40)] | None,
    _ABSENT,
    Field(description="Instead of a file: a change, by its commit or the first 7 digits of it or more"),
]
Line = Annotated[int, Field(ge=1, le=10**9, description="First line, 1-based")]
LastLine = Annotated[int | None, Field(ge=1, le=10**9, description="Last line, inclusive; without it, the same line")]
EndLine = Annotated[int | None, Field(ge=1, le=10**9, description="Last line, inclusive; without it, up to the end")]
Context = Annotated[int, Field(ge=0, le=1000, description="Lines more on either side")]
