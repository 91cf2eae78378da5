"""Which lines of which corpus a person means: a file and lines, or a link as it is printed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from gitcontext_pipeline.answer.source import Place
    from gitcontext_pipeline.state import CorpusState

PlaceArgument = Annotated[
    str, typer.Argument(metavar="PLACE", help="FILE:LINE, FILE:FIRST-LAST, FILE#L1-L9, or a link as `ask` prints it.")
]


def located(text: str, corpus: str | None) -> tuple[CorpusState, Place]:
    """The corpus called `corpus` and the lines. Without a name it is the one that a link is of, or the one published
    last.

    Raises:
        UsageError: the text names no lines, or the link is of another repository or revision.
        NotIndexed: nothing is published.
    """
    from gitcontext_pipeline.answer.source import Place
    from gitcontext_pipeline.corpus.permalinks import read_file_url
    from gitcontext_pipeline.errors import UsageError
    from gitcontext_pipeline.state import State

    state = State.locate()
    link = read_file_url(text)
    if link is None:
        if "://" in text:
            raise UsageError("this is no link to lines of a commit", where=text, fix="e.g. src/module.py:12-20")
        place = Place.parse(text)
        return state.choose(corpus), place
    place = Place.of(link.path, link.start_line, link.end_line)
    candidates = [state.choose(corpus)] if corpus is not None else state.corpora()
    for candidate in candidates:
        revision, repository = _published(candidate)
        if revision == link.revision and link.is_of(repository):
            return candidate, place
    whose = f"the corpus {corpus!r} is not" if corpus is not None else "no published corpus is"
    raise UsageError(f"{whose} at the commit {link.revision[:12]} of that link", fix="gitcontext corpora")


def _published(corpus: CorpusState) -> tuple[str | None, str | None]:
    """The revision and the repository of what is published; None for what is not known."""
    from gitcontext_pipeline.storage import read_json

    manifest = read_json(corpus.current / "manifest.json") if corpus.current else None
    return (manifest.get("revision"), manifest.get("github")) if isinstance(manifest, dict) else (None, None)
