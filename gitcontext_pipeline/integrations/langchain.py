"""Evidence as LangChain documents. Needs the extra `langchain`."""

from __future__ import annotations

from gitcontext_pipeline.answer.opened import Corpus
from gitcontext_pipeline.integrations.documents import MissingExtra, metadata_of

try:
    from langchain_core.callbacks import CallbackManagerForRetrieverRun
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
except ImportError as error:
    raise MissingExtra("langchain", error) from error


class GitContextRetriever(BaseRetriever):
    """Finds the `top` strongest pieces of evidence in `corpus`; `ainvoke` searches in a thread."""

    corpus: Corpus
    top: int = 10
    scope: str | None = None
    """code, docs, history, tests, or None for all."""

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        return [
            Document(id=result.id, page_content=result.text, metadata=metadata_of(result, self.corpus.name))
            for result in self.corpus.search(query, self.top, self.scope)
        ]
