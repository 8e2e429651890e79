"""Dense retrieval in a sweep: the texts of a cell's chunks become vectors, and cosines rank them.

Two cells that share the text of a chunk share its vector; an edited document embeds what has changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chunkscope.errors import InputError
from chunkscope.retrieval.dense.embedding import Embedded, Embedder
from chunkscope.retrieval.providers.base import Vectors
from chunkscope.retrieval.ranking import FloatArray, RoughBlock
from chunkscope.retrieval.retriever import CellIndex, Collection
from chunkscope.spans.intervals import BoolArray, IntArray
from chunkscope.splitters.dump import as_index

BLOCK_SCORES = 1 << 23
"""Scores in a block of dense vectors: 32 MB of float32."""

UNIT = 4 * float(np.finfo(np.float32).eps)
"""Lengths that differ from 1 by less are those of unit vectors in float32."""

QUANTUM = 2.0**-32
"""Cosines are rounded to multiples of this, so that vectors of one direction tie whatever their length."""


@dataclass(frozen=True)
class DenseBlock(RoughBlock):
    """Cosines of some questions, from a matrix product in float32; exact ones pair by pair in float64."""

    scores: Dense = field(kw_only=True)

    def complete(self, rows: IntArray, columns: IntArray) -> FloatArray:
        """Give exact cosines; the same in any batch."""
        return self.scores.exact(self.questions[rows], columns)


class Dense:
    """Cosines of question vectors with chunk vectors.

    Parameters
    ----------
    queries : float (q, d)
    vectors : float (n, d)
    query_ids : sequence of str, optional
        Names of the questions, for messages.

    Attributes
    ----------
    unusable : int64 (u,)
        Chunks whose vector is zero or not finite: they never rank.

    Raises
    ------
    InputError
        A question's vector is zero or not finite, or the widths differ.

    Examples
    --------
    >>> from chunkscope.retrieval.ranking import rank_block
    >>> scores = Dense(np.array([[0.0, 2.0]]), np.array([[0, 0], [0, 3], [1, 1], [np.nan, 1]]))
    >>> scores.unusable.tolist()
    [0, 3]
    >>> [rank_block(block, np.array([[2]]), k=2).top.tolist() for block in scores.blocks()]
    [[[1, 2]]]
    """

    def __init__(self, queries: NDArray[Any], vectors: NDArray[Any], query_ids: Sequence[str] | None = None) -> None:
        if queries.ndim != 2 or vectors.ndim != 2 or queries.shape[1] != vectors.shape[1]:
            raise InputError(f"vectors of questions {queries.shape} and chunks {vectors.shape} do not fit together")
        query_norms, norms = _norms(queries), _norms(vectors)
        bad = np.flatnonzero(query_norms == 0)
        if len(bad):
            name = query_ids[bad[0]] if query_ids is not None else bad[0]
            raise InputError(f"question {name}: its vector is zero or not finite, so nothing can be ranked for it")
        self.unusable = np.flatnonzero(norms == 0)
        self.queries = queries / query_norms[:, None]
        self.vectors = vectors
        self.norms = np.where(norms == 0, 1.0, norms)
        usable = norms[norms > 0]
        self._unit = bool(len(usable)) and len(usable) == len(norms) and float(np.abs(usable - 1).max()) < UNIT
        self._plain = bool(len(usable)) and usable.min() > 1e-15 and usable.max() < 1e15
        # rounding in a sum (and UNIT) of d products of unit vectors, with room for the roundings of the factors
        self.error = float((vectors.shape[1] + 16) * np.finfo(np.float32).eps)

    def exact(self, questions: IntArray, chunks: IntArray) -> FloatArray:
        """Give cosines pair by pair: a sum whose order depends on nothing but the width."""
        found = np.empty(len(questions))
        step = max(1, (1 << 21) // max(self.vectors.shape[1], 1))
        for first in range(0, len(questions), step):
            some = slice(first, first + step)
            with np.errstate(invalid="ignore", over="ignore"):
                products = self.queries[questions[some]] * self.vectors[chunks[some]].astype(np.float64)
                found[some] = products.sum(axis=1) / self.norms[chunks[some]]
        found = np.rint(found / QUANTUM) * QUANTUM
        unusable = np.zeros(len(self.norms), dtype=np.bool_)
        unusable[self.unusable] = True
        found[unusable[chunks]] = -np.inf
        return found

    def blocks(self, size: int | None = None) -> Iterator[DenseBlock]:
        """Score the questions, some at a time; `size` is how many, by default as memory allows."""
        n_queries, n_chunks = len(self.queries), len(self.vectors)
        size = size or max(1, BLOCK_SCORES // max(n_chunks, 1))
        queries = self.queries.astype(np.float32)
        with np.errstate(over="ignore"):
            inverse = (1.0 / self.norms).astype(np.float32)
        for first in range(0, n_queries, size):
            some = queries[first : first + size]
            rough = self._product(some, inverse)
            rough[:, self.unusable] = -np.inf
            numbers = np.arange(first, first + len(some))
            yield DenseBlock(numbers, rough, self.error, -np.inf, scores=self)

    def _product(self, queries: NDArray[np.float32], inverse: NDArray[np.float32]) -> NDArray[np.float32]:
        if self._plain and self.vectors.dtype == np.float32:
            with np.errstate(invalid="ignore"):
                rough: NDArray[np.float32] = queries @ self.vectors.T
                if not self._unit:
                    rough *= inverse
            return rough
        rough = np.empty((len(queries), len(self.vectors)), dtype=np.float32)
        step = max(1, (1 << 22) // max(self.vectors.shape[1], 1))
        for first in range(0, len(self.vectors), step):
            some = slice(first, first + step)
            with np.errstate(invalid="ignore", over="ignore"):
                unit = (self.vectors[some] / self.norms[some, None]).astype(np.float32)
                rough[:, some] = queries @ unit.T
        return rough


def _norms(vectors: NDArray[Any]) -> FloatArray:
    """Give lengths; 0 for vectors that are zero or not finite."""
    norms = np.empty(len(vectors))
    step = max(1, (1 << 22) // max(vectors.shape[1], 1))
    for first in range(0, len(vectors), step):
        some = vectors[first : first + step].astype(np.float64)
        # squares of the largest and smallest floats are none, so lengths are measured in units of the largest entry
        largest = np.abs(some).max(axis=1, initial=0.0)
        usable = np.isfinite(largest) & (largest > 0)
        some = np.where(usable[:, None], some, 1.0) / np.where(usable, largest, 1.0)[:, None]
        norms[first : first + step] = np.where(usable, np.sqrt((some * some).sum(axis=1)) * largest, 0.0)
    norms[~np.isfinite(norms)] = 0.0
    return norms


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
        if found.vectors.shape[1] not in (0, queries.shape[1]):  # those of an index
            raise InputError(
                f"{index.chunks.chunker}: its vectors have {found.vectors.shape[1]:,} numbers, those of "
                f"{self.embedder.provider.id} {queries.shape[1]:,}; name the model that made the index"
            )
        vectors = (
            found.vectors if found.vectors.shape[1] else np.zeros((len(found.vectors), queries.shape[1]), np.float32)
        )
        scores = Dense(queries, vectors, self.collection.question_ids)
        unusable = scores.unusable[found.present[scores.unusable]]
        self.left_out = np.zeros(len(found.present), dtype=np.bool_)
        self.left_out[[text.number for text in found.over_long]] = True
        self.facts = {"over_long_chunks": len(found.over_long), "unusable_vectors": len(unusable)}
        if found.are_given:
            self.facts["index_vectors"] = len(found.vectors) - len(unusable)
        self._tell(unusable, index)
        return scores.blocks()

    def embed(self, index: CellIndex) -> Embedded:
        """Give the vectors of a cell's chunks; those that are not in the index have none."""
        if (given := _given(index)) is not None:
            return Embedded(given, index.indexed, (), 0, are_given=True)
        return self.embedder.embed(self.chunk_texts(index), "document", _Names(index))

    def chunk_texts(self, index: CellIndex) -> list[str]:
        """Give the texts to embed; empty for chunks that are not in the index, none where these have vectors."""
        if _given(index) is not None:
            return []
        texts = index.texts.write(self.collection.texts, index.chunks.layout)
        return [text if is_indexed else "" for text, is_indexed in zip(texts, index.indexed.tolist(), strict=True)]

    def _tell(self, unusable: IntArray, index: CellIndex) -> None:
        if len(unusable) and self.embedder.notify:
            names = _Names(index)
            named = ", ".join(names[number] for number in unusable[:MOST_NAMED].tolist())
            more = f" and {len(unusable) - MOST_NAMED} more" if len(unusable) > MOST_NAMED else ""
            self.embedder.notify(f"warning: {named}{more}: a vector of zeros; such chunks are never found")


def _given(index: CellIndex) -> Vectors | None:
    """Give the vectors that stand in an index, if the chunks of the cell are those of one that has some."""
    dump, pieces = as_index(index.chunks.chunker), index.chunks.pieces
    return None if dump is None or pieces is None else dump.vectors_of(pieces.ids)


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
