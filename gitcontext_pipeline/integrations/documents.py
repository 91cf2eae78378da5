"""What the forms of all libraries share: the metadata of a document, and the error of a library that is missing."""

from __future__ import annotations

from gitcontext_pipeline.errors import GitContextError
from gitcontext_pipeline.retrieval.result import Result

_KEYS = ("kind", "path", "language", "symbol", "start_line", "end_line", "revision", "url", "commit", "pr", "author")


class MissingExtra(GitContextError, ImportError):
    """A library that comes with an extra of this package is not installed."""

    def __init__(self, extra: str, error: ImportError) -> None:
        super().__init__(
            f"{error.name or extra} cannot be imported: {error.msg}", fix=f"pip install 'gitcontext-pipeline[{extra}]'"
        )


def metadata_of(result: Result, corpus: str) -> dict[str, str | int | float | None]:
    """Flat, as vector stores and prompts want it; `url` is what to cite, `score` orders results of one question."""
    return {
        "corpus": corpus,
        **{key: getattr(result, key) for key in _KEYS},
        "date": result.date,
        "score": result.score,
    }
