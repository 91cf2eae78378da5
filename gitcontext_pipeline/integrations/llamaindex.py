"""Evidence as LlamaIndex nodes. Needs the extra `llamaindex`."""

from __future__ import annotations

import asyncio

from gitcontext_pipeline.answer.opened import Corpus
from gitcontext_pipeline.integrations.documents import MissingExtra, metadata_of

try:
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
except ImportError as error:
    raise MissingExtra("llamaindex", error) from error

SHOWN_TO_MODELS = frozenset({"path", "symbol", "url"})
"""Of the metadata; the rest is for programs."""


class GitContextRetriever(BaseRetriever):
    """Finds the `top` strongest pieces of evidence in `corpus`; `aretrieve` searches in a thread.

    `scope` is code, docs, history, tests, or None for all.
    """

    def __init__(self, corpus: Corpus, top: int = 10, scope: str | None = None) -> None:
        super().__init__()
        self.corpus = corpus
        self.top = top
        self.scope = scope

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        nodes = []
        for result in self.corpus.search(query_bundle.query_str, self.top, self.scope):
            metadata = metadata_of(result, self.corpus.name)
            hidden = [key for key in metadata if key not in SHOWN_TO_MODELS]
            node = TextNode(
                id_=result.id,
                text=result.text,
                metadata=metadata,
                excluded_llm_metadata_keys=hidden,
                excluded_embed_metadata_keys=hidden,
            )
            nodes.append(NodeWithScore(node=node, score=result.score))
        return nodes

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await asyncio.to_thread(self._retrieve, query_bundle)
