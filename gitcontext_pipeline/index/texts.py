"""What of a chunk goes into which index: the lexical fields, and the two texts that are embedded."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from gitcontext_pipeline.index.tokens import parts, words

TEXTS_VERSION = 1
"""Part of every index's fingerprint; raised whenever a field or an embedded text is made differently."""

Row = Mapping[str, Any]

FIELDS = ("symbol", "path", "doc", "body", "history")


def lexical_fields(row: Row) -> dict[str, str]:
    """The text of each BM25 field of a chunk."""
    if row["kind"] in {"commit", "pull_request"}:
        return {
            "symbol": row["signature"],
            "path": " ".join(row["paths"]),
            "doc": "",
            "body": row["text"],
            "history": "",
        }
    return {
        "symbol": f"{row['symbol'] or ''} {row['signature'] if row['kind'] == 'docs' else ''}",
        "path": row["path"],
        "doc": row["doc"],
        "body": row["text"],
        "history": "\n".join(row["history"]),
    }


def embedded_text(row: Row) -> str:
    """The chunk as the first vector sees it: its own text, under its name."""
    if row["kind"] in {"commit", "pull_request"}:
        return str(row["text"])
    return f"{row['symbol'] or row['path']}\n{row['text']}"


def summary_text(row: Row) -> str:
    """The chunk as a person would describe it: readable name, where it is, doc comment, what changed it."""
    if row["kind"] in {"commit", "pull_request"}:
        return f"{row['signature']}. {readable(' '.join(row['paths'][:5]))}"
    lead = readable(row["symbol"] or "")
    pieces = [lead, readable(row["path"]), row["signature"], row["doc"][:400], "; ".join(row["history"][:4])]
    return ". ".join(piece for piece in pieces if piece)


def readable(name: str) -> str:
    """`SessionRedirectMixin.should_strip_auth` -> `session redirect mixin should strip auth`."""
    return " ".join(piece for word in words(name) for piece in parts(word))


def column_texts(rows: Sequence[Row]) -> dict[str, list[str]]:
    """Every field's texts, in row order."""
    texts: dict[str, list[str]] = {field: [] for field in FIELDS}
    for row in rows:
        for field, text in lexical_fields(row).items():
            texts[field].append(text)
    return texts


def one_line(text: str, limit: int) -> str:
    """`text` with white space collapsed, cut at `limit` characters."""
    flat = re.sub(r"\s+", " ", text).strip()
    return flat if len(flat) <= limit else flat[: limit - 1].rstrip() + "…"
