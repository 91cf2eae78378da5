"""LangChain and LlamaIndex retrievers as this project's retriever, by what they can do; neither is imported.

Both give back documents with a metadata mapping. The path is looked for under the names that their loaders use; a
document without one is a row without a path, which costs the case and says which names were there.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from gitcontext_pipeline.evaluation.rows import BadAnswer

PATH_NAMES = ("path", "file_path", "source", "filename", "file_name")
"""Metadata names that hold a document's path, in the order of trust: LangChain's loaders say `source`, LlamaIndex's
`file_path`."""

PLACE_NAMES = ("symbol", "start_line", "end_line", "commit", "pr", "kind")


class Retriever(Protocol):
    """Whatever can be asked: rows best first, each a mapping with at least `path` (or `commit`, or `pr`)."""

    def __call__(self, query: str, top: int, scope: str | None, /) -> Sequence[Mapping[str, Any]]: ...


def adapt(thing: Any) -> Retriever | None:
    """`thing` as a retriever: a LangChain or LlamaIndex retriever, an object with `retrieve` or `search`, a callable.

    None when it is none of these.
    """
    for name in ("invoke", "get_relevant_documents"):
        if callable(method := getattr(thing, name, None)):
            return _from_langchain(method)
    for name in ("retrieve", "search"):
        if callable(method := getattr(thing, name, None)):
            if accepts_protocol(method):
                return _bound(method)
            return _from_llamaindex(method) if name == "retrieve" else None
    return _bound(thing) if callable(thing) and accepts_protocol(thing) else None


def accepts_protocol(function: Callable[..., Any]) -> bool:
    """Whether it can be called with (query, top, scope); taken on trust where its signature cannot be read."""
    try:
        inspect.signature(function).bind("query", 10, None)
    except TypeError:
        return False
    except ValueError:
        return True
    return True


def _bound(function: Callable[..., Any]) -> Retriever:
    def retrieve(query: str, top: int, scope: str | None, /) -> Sequence[Mapping[str, Any]]:
        answer: Sequence[Mapping[str, Any]] = function(query, top, scope)
        return answer

    return retrieve


def _from_langchain(method: Callable[[str], Any]) -> Retriever:
    def retrieve(query: str, top: int, scope: str | None, /) -> Sequence[Mapping[str, Any]]:
        return [document_row(document) for document in _listed(method(query))]

    return retrieve


def _from_llamaindex(method: Callable[[str], Any]) -> Retriever:
    def retrieve(query: str, top: int, scope: str | None, /) -> Sequence[Mapping[str, Any]]:
        return [
            document_row(getattr(found, "node", found), getattr(found, "score", None))
            for found in _listed(method(query))
        ]

    return retrieve


def document_row(document: Any, score: Any = None) -> dict[str, Any]:
    """The row that a document with `metadata` stands for; BadAnswer where the metadata tells no place."""
    metadata = getattr(document, "metadata", None)
    if not isinstance(metadata, Mapping):
        raise BadAnswer(f"returned a {type(document).__name__} without metadata")
    row = {name: metadata[name] for name in PLACE_NAMES if name in metadata}
    path = next((metadata[name] for name in PATH_NAMES if metadata.get(name)), None)
    if path is None and "commit" not in row and "pr" not in row:
        names = ", ".join(sorted(map(str, metadata))) or "nothing"
        raise BadAnswer(f"a document's metadata has none of {', '.join(PATH_NAMES)}; it has {names}")
    return row | ({} if path is None else {"path": str(path)}) | ({} if score is None else {"score": score})


def _listed(documents: Any) -> Sequence[Any]:
    if isinstance(documents, (str, bytes, Mapping)) or not isinstance(documents, Sequence):
        raise BadAnswer(f"returned a {type(documents).__name__}, not a list of documents")
    return documents
