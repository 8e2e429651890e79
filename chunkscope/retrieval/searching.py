"""What retrievers search in: words with their places, or texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from chunkscope.chunkers.prepending import Prependable
from chunkscope.retrieval.bm25.postings import Vocabulary
from chunkscope.retrieval.fusion import FusedRetriever, FusedSearcher
from chunkscope.spans.layout import Layout


@dataclass(frozen=True)
class Texts:
    """Documents in the layout's order, and questions, as texts.

    Attributes
    ----------
    documents, questions : tuple of str
        The documents are empty where no retriever reads texts.
    question_ids : tuple of str
    """

    documents: tuple[str, ...]
    questions: tuple[str, ...]
    question_ids: tuple[str, ...]


def reads_texts(retriever: object) -> bool:
    """Tell whether a retriever needs the texts of documents, beside the places of their words."""
    if isinstance(retriever, FusedRetriever):
        return any(reads_texts(part) for part in retriever.retrievers)
    return hasattr(retriever, "text_searcher")


def searcher_of(
    retriever: Any, words: Vocabulary, texts: Texts, layout: Layout, prependable: Prependable | None
) -> Any:
    """Give what searches the chunks of cells for a retriever, from words or from texts."""
    if isinstance(retriever, FusedRetriever):
        parts: Sequence[Any] = [searcher_of(part, words, texts, layout, prependable) for part in retriever.retrievers]
        return FusedSearcher(parts, retriever.k, retriever.depth)
    if hasattr(retriever, "text_searcher"):
        return retriever.text_searcher(texts, layout, prependable)
    return retriever.searcher(words, prependable)
