"""What an agent reads: the text of each kind of answer, of errors, and of the calls that lead on."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from gitcontext_pipeline.answer.evidence import code_span, printable, printable_lines
from gitcontext_pipeline.errors import GitContextError
from gitcontext_pipeline.mcp.outputs import (
    ChangesFound,
    CorporaListed,
    EvidenceFound,
    ExcerptRead,
    LineExplained,
    Piece,
    Touch,
)
from gitcontext_pipeline.retrieval.result import Result

WEAK = "No strong evidence: what follows came nearest, and is not likely to answer the question."
QUOTE = "| "
"""Before every line that is quoted from the repository, so that none can pass for the tool's own words."""


def message(error: GitContextError) -> str:
    """What, where and what to do about it; whatever a user or a repository put into it, it drives no terminal."""
    return "\n".join(printable_lines(str(error)))


def call(tool: str, **arguments: Any) -> str:
    """How a tool is called; arguments that are None are left out."""
    given = (
        f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in arguments.items() if value is not None
    )
    return printable(f"{tool}({', '.join(given)})")


def change_text(said: Sequence[Result]) -> str:
    """A change and what was said about it, as one text."""
    return "\n\n".join(result.text for result in said)


def evidence_text(found: EvidenceFound) -> str:
    head = [] if found.strong else [WEAK]
    head += [found.summary, f"Corpus {found.corpus} at {found.revision}", *([found.note] if found.note else [])]
    nearest = "" if found.strong else "nearest, not strong: "
    pieces = ["\n".join(_piece(piece, nearest)) for piece in found.evidence]
    return _page("\n".join(head), *pieces, found.left_out)


def changes_text(found: ChangesFound) -> str:
    number = len(found.changes)
    count = f"{number} change{'s' if number > 1 else ''}, {found.order}" if number else "No change fits."
    pieces = ["\n".join(_piece(piece)) for piece in found.changes]
    return _page(f"{count}\nCorpus {found.corpus} at {found.revision}", *pieces, found.left_out)


def explained_text(found: LineExplained) -> str:
    head = [f"{printable(found.path)}#L{found.start_line}-L{found.end_line} at {found.revision}", found.url]
    introduced = "older than the history that was fetched"
    if found.introduced:
        introduced = "introduced in " + "\n".join(_touch(found.introduced))
    changed = "last changed in " + "\n".join(_touch(found.changed)) if found.changed else None
    touched = ["\n".join(["also touched by", *("\n".join(_touch(touch)) for touch in found.touched)])]
    lines = "\n".join([*_quoted(found.excerpt), *_rest(found.rest)])
    return _page("\n".join(head), introduced, changed, *(touched if found.touched else []), lines, found.left_out)


def read_text(found: ExcerptRead) -> str:
    what = printable(found.path) if found.path else f"commit {found.commit}"
    head = (
        f"{what}, lines {found.start_line}-{found.end_line} of {found.lines}, corpus {found.corpus} at {found.revision}"
    )
    return "\n".join([head, found.url, "", *_quoted(found.excerpt), *_rest(found.rest)])


def corpora_text(found: CorporaListed) -> str:
    lines = [
        f"{corpus.name}: "
        + (f"{corpus.chunks or 'no'} chunks at {corpus.revision}" if corpus.revision else "nothing is published yet")
        + (f", {printable(corpus.github)}" if corpus.github else "")
        + (", answers where no corpus is named" if corpus.default else "")
        for corpus in found.corpora
    ]
    return _page("\n".join(lines) or "No corpus yet: gitcontext index URL_OR_PATH[@REV] --name NAME", found.left_out)


def _page(*parts: str | None) -> str:
    return "\n\n".join(part for part in parts if part)


def _piece(piece: Piece, nearest: str = "") -> Iterator[str]:
    place = f"pull request #{piece.pr}" if piece.pr is not None else f"commit {(piece.commit or '')[:12]}"
    if piece.path is not None:
        place = f"{piece.kind}, {printable(piece.path)}#L{piece.start_line}-L{piece.end_line}"
    yield f"[{piece.number}] {nearest}{code_span(piece.name)} ({place})"
    yield printable(piece.url)
    yield from piece.provenance
    if piece.files:
        yield f"files: {printable(', '.join(piece.files))}"
    yield from _quoted(piece.excerpt)
    yield from _rest(piece.rest)


def _touch(touch: Touch) -> Iterator[str]:
    name = f"#{touch.pr}" if touch.pr is not None else f"commit {touch.commit[:12]}"
    issues = f", closes {', '.join(f'#{issue}' for issue in touch.issues)}" if touch.issues else ""
    by = f" by {printable(touch.author)}" if touch.author else ""
    yield f"{name}, {touch.title}, {touch.date[:10]}{by}{issues}{', reformatting' if touch.reformatting else ''}"
    yield touch.url
    yield from _quoted(touch.message or "")
    yield from _rest(touch.rest)


def _quoted(text: str) -> list[str]:
    return [QUOTE + line for line in text.split("\n")] if text else []


def _rest(rest: str | None) -> list[str]:
    return [f"… {rest}"] if rest else []
