"""What a retriever is, and what it searches in: the words of documents with their places, and their texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from chunkscope.chunkers.chunk_set import ChunkSet
from chunkscope.chunkers.prepending import Prependable
from chunkscope.retrieval.bm25.postings import Vocabulary
from chunkscope.retrieval.ranking import Block
from chunkscope.spans.intervals import BoolArray
from chunkscope.spans.layout import Layout


@dataclass(frozen=True)
class Collection:
    """Documents and questions, as retrievers need them.

    Attributes
    ----------
    vocabulary : Vocabulary
        The words that questions ask for, and where the documents have them.
    texts : tuple of str
        Of the documents in the layout's order; empty ones where no retriever reads texts.
    questions, question_ids : tuple of str
    layout : Layout
    prependable : Prependable or None
        What chunks can prepend; None where none does.
    """

    vocabulary: Vocabulary
    texts: tuple[str, ...]
    questions: tuple[str, ...]
    question_ids: tuple[str, ...]
    layout: Layout
    prependable: Prependable | None


class Searcher(Protocol):
    """A retriever that knows the documents. It may have `facts`: what it has to tell of the last cell."""

    def blocks(self, chunks: ChunkSet, indexed: BoolArray) -> Iterator[Block]:
        """Score all questions against the chunks of a cell, of which some are in the index."""


class Retriever(Protocol):
    """Something that scores chunks for questions. It may say `reads_texts`: then it is given those of the documents."""

    @property
    def name(self) -> str:
        """What reports call it."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """What was held fixed."""

    def searcher(self, collection: Collection) -> Searcher:
        """Give what searches the chunks of cells."""
