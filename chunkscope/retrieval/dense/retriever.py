"""Dense retrieval in a sweep: the texts of a cell's chunks become vectors, and cosines rank them.

Two cells that share the text of a chunk share its vector; an edited document embeds what has changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from chunkscope.errors import InputError
from chunkscope.retrieval.dense.cosines import Dense, DenseBlock
from chunkscope.retrieval.dense.embedding import Embedded, Embedder
from chunkscope.retrieval.providers.base import Vectors
from chunkscope.retrieval.retriever import CellIndex, Collection
from chunkscope.spans.intervals import BoolArray, IntArray

MOST_NAMED = 3


class DenseRetriever:
    """A provider of vectors as a retriever of a `RetrievalMeasure`.

    Parameters
    ----------
    embedder : Embedder
    name : str, optional
        What reports call it; by default the provider's id.

    Examples
    --------
    >>> from chunkscope import Document, Question, check_labels, sweep
    >>> from chunkscope.retrieval import RetrievalMeasure
    >>> from chunkscope.retrieval.providers import find_provider
    >>> from chunkscope.retrieval.dense.vector_cache import VectorCache
    >>> corpus = [Document("a.md", "上限は12,000円。"), Document("b.md", "申請は3日前。")]
    >>> labels = check_labels(corpus, [Question.of("q1", "申請はいつ？", doc="b.md", evidence="3日前")])
    >>> retriever = DenseRetriever(Embedder(find_provider("hash"), VectorCache()))
    >>> measure = RetrievalMeasure(labels, [retriever])
    >>> cell = sweep(corpus, labels, sizes=[20], overlaps=[0], measures=[measure]).cells[0]
    >>> cell.retrieval[0]["retriever"], cell.retrieval[0]["strict"]["1"]
    ('hash', [1, 1])
    """

    reads_texts = True

    def __init__(self, embedder: Embedder, name: str | None = None) -> None:
        self.embedder = embedder
        self.name = name or embedder.provider.id

    @property
    def embedders(self) -> tuple[Embedder, ...]:
        """What embeds for it."""
        return (self.embedder,)

    @property
    def settings(self) -> dict[str, Any]:
        """What was held fixed: the space of the vectors, as far as it is known."""
        space = self.embedder.info.spaces["document"]
        named = {
            "endpoint": space.endpoint,
            "model": space.model,
            "revision": space.revision,
            "dimensions": space.dimensions,
        }
        return {"similarity": "cosine", **{name: value for name, value in named.items() if value is not None}}

    def searcher(self, collection: Collection) -> DenseSearcher:
        """Give what searches the chunks of cells."""
        return DenseSearcher(self.embedder, collection)


class DenseSearcher:
    """Dense retrieval over the documents of a collection."""

    def __init__(self, embedder: Embedder, collection: Collection) -> None:
        self.embedder = embedder
        self.collection = collection
        self.facts: dict[str, Any] = {}
        self.left_out: BoolArray = np.empty(0, dtype=np.bool_)

    @cached_property
    def _queries(self) -> Vectors:
        names = [f"question {identity}" for identity in self.collection.question_ids]
        found = self.embedder.embed(self.collection.questions, "query", names)
        if not found.present.all():
            number = int(np.flatnonzero(~found.present)[0])
            reason = next((str(text) for text in found.over_long if text.number == number), None)
            raise InputError(reason or f"{names[number]}: its text is blank, so nothing can be ranked for it")
        return found.vectors

    def blocks(self, index: CellIndex) -> Iterator[DenseBlock]:
        """Score all questions against the chunks of a cell."""
        queries = self._queries
        found = self.embed(index)
        vectors = (
            found.vectors if found.vectors.shape[1] else np.zeros((len(found.vectors), queries.shape[1]), np.float32)
        )
        scores = Dense(queries, vectors, self.collection.question_ids)
        unusable = scores.unusable[found.present[scores.unusable]]
        self.left_out = np.zeros(len(found.present), dtype=np.bool_)
        self.left_out[[text.number for text in found.over_long]] = True
        self.facts = {"over_long_chunks": len(found.over_long), "unusable_vectors": len(unusable)}
        self._tell(unusable, index)
        return scores.blocks()

    def embed(self, index: CellIndex) -> Embedded:
        """Give the vectors of a cell's chunks; those that are not in the index have none."""
        return self.embedder.embed(self.chunk_texts(index), "document", _Names(index))

    def chunk_texts(self, index: CellIndex) -> list[str]:
        """Give the texts to embed; empty for chunks that are not in the index."""
        texts = index.texts.write(self.collection.texts, index.chunks.layout)
        return [text if is_indexed else "" for text, is_indexed in zip(texts, index.indexed.tolist(), strict=True)]

    def _tell(self, unusable: IntArray, index: CellIndex) -> None:
        if len(unusable) and self.embedder.notify:
            names = _Names(index)
            named = ", ".join(names[number] for number in unusable[:MOST_NAMED].tolist())
            more = f" and {len(unusable) - MOST_NAMED} more" if len(unusable) > MOST_NAMED else ""
            self.embedder.notify(f"warning: {named}{more}: a vector of zeros; such chunks are never found")


class _Names(Sequence[str]):
    """What messages call the chunks of a cell, document and number, written when they are asked for."""

    def __init__(self, index: CellIndex) -> None:
        self._names = index.chunks.layout.names
        self._documents = index.documents

    def __len__(self) -> int:
        return len(self._documents)

    def __getitem__(self, number: int) -> str:  # type: ignore[override]  # no slices
        document = int(self._documents[number])
        return f"{self._names[document]}#{number - int(np.searchsorted(self._documents, document))}"
