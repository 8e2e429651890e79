"""What a retriever is, and what it searches in: the words and texts of documents, and the chunks of a cell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from chunkscope.chunkers.chunk_set import ChunkSet
from chunkscope.chunkers.index_text import IndexTexts
from chunkscope.retrieval.bm25.postings import Vocabulary
from chunkscope.retrieval.ranking import Block
from chunkscope.spans.intervals import BoolArray, IntArray, SpanArray


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
    other_ids : frozenset of str
        Of questions that are not asked: those with label problems, and those without a text.
    """

    vocabulary: Vocabulary
    texts: tuple[str, ...]
    questions: tuple[str, ...]
    question_ids: tuple[str, ...]
    other_ids: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Returns:
    """What is returned for each chunk: itself, or something around it.

    Attributes
    ----------
    spans : int64 (n, 2)
        Without what is prepended.
    numbers : int64 (n,) or None
        Chunks with the same number return the same; None: each returns itself.
    prepended : int64 (n,)
        Characters that it prepends.
    sizes : int64 (n,)
        What it takes of the budget.
    """

    spans: SpanArray
    numbers: IntArray | None
    prepended: IntArray
    sizes: IntArray


@dataclass(frozen=True)
class CellIndex:
    """The chunks of a cell as they stand in the index.

    Attributes
    ----------
    chunks : ChunkSet
    texts : IndexTexts
    documents : int64 (n,)
    indexed : bool (n,)
        Neither blank nor of a document that may not be found.
    place : int64 (n,) or None
        Place in ties; None: the chunks stand in that order.
    returns : Returns
    """

    chunks: ChunkSet
    texts: IndexTexts
    documents: IntArray
    indexed: BoolArray
    place: IntArray | None
    returns: Returns

    @property
    def spans(self) -> SpanArray:
        """The chunks themselves, without what they prepend: int64 (n, 2)."""
        return self.texts.bodies


class Searcher(Protocol):
    """A retriever that knows the documents.

    It may have what there is to tell of the last cell: `facts`, and `left_out`, bool (n,), the chunks of the index that
    it cannot rank because they are above the limit of its model. One that gets lists of chunks is told the cell, and
    how many are wanted, before their scores are asked for (`prepare`, see `chunkscope.retrieval.listed`).
    """

    def blocks(self, index: CellIndex) -> Iterator[Block]:
        """Score all questions against the chunks of a cell."""


def left_out(searcher: Searcher, index: CellIndex) -> BoolArray:
    """Tell which chunks of the last cell are above the limit of the retriever's model: bool (n,)."""
    found: BoolArray = getattr(searcher, "left_out", np.zeros(len(index.spans), dtype=np.bool_))
    return found


class Retriever(Protocol):
    """Something that scores chunks for questions.

    It may say `reads_texts`: then it is given those of the documents. Or `of_one_cell`: it knows the chunks of one cell
    by their ids, and can rank no others.
    """

    @property
    def name(self) -> str:
        """What reports call it."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """What was held fixed."""

    def searcher(self, collection: Collection) -> Searcher:
        """Give what searches the chunks of cells."""
