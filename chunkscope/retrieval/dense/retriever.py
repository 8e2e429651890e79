"""Dense retrieval in a sweep: the texts of a cell's chunks become vectors, and cosines rank them.

Two cells that share the text of a chunk share its vector; an edited document embeds what has changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from chunkscope.chunkers.chunk_set import ChunkSet
from chunkscope.chunkers.prepending import prepended_spans
from chunkscope.errors import InputError
from chunkscope.retrieval.dense.cosines import Dense, DenseBlock
from chunkscope.retrieval.dense.embedding import Embedded, Embedder
from chunkscope.retrieval.providers.base import Vectors
from chunkscope.retrieval.retriever import Collection
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

    @cached_property
    def _queries(self) -> Vectors:
        names = [f"question {identity}" for identity in self.collection.question_ids]
        found = self.embedder.embed(self.collection.questions, "query", names)
        if not found.present.all():
            number = int(np.flatnonzero(~found.present)[0])
            reason = next((str(text) for text in found.over_long if text.number == number), None)
            raise InputError(reason or f"{names[number]}: its text is blank, so nothing can be ranked for it")
        return found.vectors

    def blocks(self, chunks: ChunkSet, indexed: BoolArray) -> Iterator[DenseBlock]:
        """Score all questions against the chunks of a cell."""
        queries = self._queries
        found = self.embed(chunks, indexed)
        vectors = (
            found.vectors if found.vectors.shape[1] else np.zeros((len(found.vectors), queries.shape[1]), np.float32)
        )
        scores = Dense(queries, vectors, self.collection.question_ids)
        unusable = scores.unusable[found.present[scores.unusable]]
        self.facts = {"over_long_chunks": len(found.over_long), "unusable_vectors": len(unusable)}
        self._tell(unusable, chunks)
        return scores.blocks()

    def embed(self, chunks: ChunkSet, indexed: BoolArray) -> Embedded:
        """Give the vectors of a cell's chunks; those that are not in the index have none."""
        return self.embedder.embed(index_texts(self.collection, chunks, indexed), "document", _Names(chunks))

    def _tell(self, unusable: IntArray, chunks: ChunkSet) -> None:
        if len(unusable) and self.embedder.notify:
            names = _Names(chunks)
            named = ", ".join(names[number] for number in unusable[:MOST_NAMED].tolist())
            more = f" and {len(unusable) - MOST_NAMED} more" if len(unusable) > MOST_NAMED else ""
            self.embedder.notify(f"warning: {named}{more}: a vector of zeros; such chunks are never found")


def index_texts(collection: Collection, chunks: ChunkSet, indexed: BoolArray) -> list[str]:
    """Give the text of each chunk as it is embedded, what is prepended in front; empty for chunks not in the index."""
    spans, layout = chunks.spans, chunks.layout
    documents = layout.documents_of(spans[:, 0])
    bases = layout.edges[documents]
    bodies = zip(documents.tolist(), (spans - bases[:, None]).tolist(), indexed.tolist(), strict=True)
    held = [
        collection.texts[document][start:end] if is_indexed else "" for document, (start, end), is_indexed in bodies
    ]
    if collection.prependable is None or not chunks.chunker.prepend:
        return held
    owners, extra = prepended_spans(collection.prependable, chunks.chunker, spans, layout)
    in_front: dict[int, list[str]] = {}
    rows = zip(owners.tolist(), documents[owners].tolist(), (extra - bases[owners, None]).tolist(), strict=True)
    for owner, document, (start, end) in rows:
        in_front.setdefault(owner, []).append(collection.texts[document][start:end])
    for owner, lines in in_front.items():
        if indexed[owner]:
            held[owner] = "\n".join([*lines, held[owner]])
    return held


class _Names(Sequence[str]):
    """What messages call the chunks of a cell, document and number, written when they are asked for."""

    def __init__(self, chunks: ChunkSet) -> None:
        self._names = chunks.layout.names
        self._documents = chunks.layout.documents_of(chunks.spans[:, 0])

    def __len__(self) -> int:
        return len(self._documents)

    def __getitem__(self, number: int) -> str:  # type: ignore[override]  # no slices
        document = int(self._documents[number])
        return f"{self._names[document]}#{number - int(np.searchsorted(self._documents, document))}"
