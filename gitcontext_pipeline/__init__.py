"""Evidence-first answers about a pinned git repository, with retrieval quality gated like a test.

from gitcontext_pipeline import open_corpus

for result in open_corpus("requests").search("Where are redirects followed?", top=3):
    print(result.url)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gitcontext_pipeline.answer.evidence import Answer
    from gitcontext_pipeline.answer.opened import Corpus, open_corpus
    from gitcontext_pipeline.errors import GitContextError
    from gitcontext_pipeline.retrieval.result import Result

__all__ = ["Answer", "Corpus", "GitContextError", "Result", "open_corpus"]

__version__ = "0.1.0"

_HOMES = {
    "Answer": "gitcontext_pipeline.answer.evidence",
    "Corpus": "gitcontext_pipeline.answer.opened",
    "GitContextError": "gitcontext_pipeline.errors",
    "Result": "gitcontext_pipeline.retrieval.result",
    "open_corpus": "gitcontext_pipeline.answer.opened",
}


def __getattr__(name: str) -> Any:
    """The public names, imported when first used: the command's `--help` needs none of what they import."""
    from importlib import import_module

    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
