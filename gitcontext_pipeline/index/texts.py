"""What of a chunk goes into which index: the lexical fields, and the short texts that are embedded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gitcontext_pipeline.index.tokens import parts, words

TEXTS_VERSION = 4
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
            "body": searched(row),
            "history": "",
        }
    return {
        "symbol": f"{row['symbol'] or ''} {row['signature'] if row['kind'] == 'docs' else ''}",
        "path": row["path"],
        "doc": row["doc"],
        "body": searched(row),
        "history": "\n".join(row["history"]),
    }


def searched(row: Row) -> str:
    """The text that is searched: without templates, quotes and chatter where the chunk table has it so."""
    return str(row["search_text"] or row["text"])


PASSAGE_LINES: Mapping[str, tuple[int, int]] = {"code": (14, 10), "docs": (10, 8)}
"""Lines of one passage, and how far the next one begins: the model reads short texts best, and cuts long ones off."""
MOST_PARAGRAPHS = 5
LONGEST_PARAGRAPH = 700


def passages(row: Row) -> list[str]:
    """The chunk in the short pieces that are embedded one by one, each under the chunk's name; at least one.

    The best of a chunk's passages stands for it: an answer is often a few lines in a long function.
    """
    if row["kind"] in {"commit", "pull_request"}:
        paragraphs = [paragraph for paragraph in searched(row).split("\n\n")[1:] if paragraph.strip()]
        title = row["signature"]
        return [title, *(f"{title}\n{each[:LONGEST_PARAGRAPH]}" for each in paragraphs[:MOST_PARAGRAPHS])]
    name = row["symbol"] or row["path"]
    lines = row["text"].split("\n")
    size, step = PASSAGE_LINES[row["kind"]]
    if len(lines) <= size + 4:
        return [f"{name}\n{row['text']}"]
    starts = range(0, len(lines) - (size - step), step)
    return ["\n".join([name, *lines[start : start + size]]) for start in starts]


def summary_text(row: Row) -> str:
    """The chunk as a person would describe it in one breath: readable name, place, doc comment, what changed it."""
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
