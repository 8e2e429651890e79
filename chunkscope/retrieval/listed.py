"""Retrievers that score no chunks but list the best by their ids: a search of one's own, or what it once gave.

A list is judged as it stands: by its order, whatever its scores are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from chunkscope.chunkers.chunk_set import ChunkSet
from chunkscope.errors import InputError
from chunkscope.retrieval.hits import Hits, first_names
from chunkscope.retrieval.ranking import Block, FloatArray, Pairs
from chunkscope.retrieval.retriever import CellIndex
from chunkscope.spans.intervals import BoolArray, IntArray


@dataclass(frozen=True)
class Listing:
    """What is listed in a cell.

    Attributes
    ----------
    depth : int
        The most things that it returns for a question.
    unlisted : int64 (u,)
        The questions of which nothing is said, not even that nothing is found.
    """

    depth: int
    unlisted: IntArray


@dataclass(frozen=True)
class ListedBlock:
    """Chunks that are listed for questions; what is not listed is not ranked.

    Attributes
    ----------
    questions : int64 (b,)
    rows, columns : int64 (m,)
        Pairs of a question and a chunk, in this order.
    order : float (m,)
        The larger, the better.
    scores : float (m,)
        As they were given.
    n_chunks : int

    Examples
    --------
    >>> from chunkscope.retrieval.ranking import rank_block
    >>> block = ListedBlock(np.array([0]), np.array([0, 0]), np.array([2, 5]), np.array([-2.0, -1.0]), np.ones(2), 9)
    >>> found = rank_block(block, np.array([[2, 7]]), k=3)
    >>> found.top.tolist(), found.ranks.tolist()
    ([[5, 2, -1]], [[2, 0]])
    """

    questions: IntArray
    rows: IntArray
    columns: IntArray
    order: FloatArray
    scores: FloatArray
    n_chunks: int
    floor: float = -np.inf

    def complete(self, rows: IntArray, columns: IntArray) -> FloatArray:
        """Give the places of pairs in the order of their lists; -inf where they are not listed."""
        return self._looked_up(self.order, rows, columns)

    def own_scores(self, rows: IntArray, columns: IntArray) -> FloatArray:
        """Give the scores that were given."""
        return self._looked_up(self.scores, rows, columns)

    def bar(self, k: int) -> FloatArray:
        """Give what all reach: lists are short."""
        return np.full(len(self.questions), -np.inf)

    def reaching(self, least: FloatArray, bar: FloatArray, scores: FloatArray) -> Pairs:
        """Give all pairs."""
        return Pairs(self.rows, self.columns, self.order)

    def _looked_up(self, values: FloatArray, rows: IntArray, columns: IntArray) -> FloatArray:
        keys, wanted = self.rows * self.n_chunks + self.columns, rows * self.n_chunks + columns
        places = np.searchsorted(keys, wanted)
        known = np.append(keys, -1)[places] == wanted
        return np.where(known, np.append(values, -np.inf)[places], -np.inf)


class ListedSearcher:
    """Lists of chunks, as a searcher of a cell.

    Parameters
    ----------
    name : str
        What messages call it.
    hits : callable
        Gives the best k chunks of each question, in order; None for a question of which nothing is said.
    """

    def __init__(self, name: str, hits: Callable[[int], Sequence[Hits | None]]) -> None:
        self.name = name
        self._hits = hits
        self._block: ListedBlock | None = None

    def prepare(self, index: CellIndex, k: int, *, may_be_found: BoolArray, with_scores: bool) -> Listing:
        """Get the lists for a cell.

        Parameters
        ----------
        index : CellIndex
        k : int
            How many returns are judged.
        may_be_found : bool (n,)
            Chunks of documents that no filter leaves out.
        with_scores : bool
            Scores are compared with thresholds.

        Raises
        ------
        InputError
            Ids of no chunk of the cell, or of one whose document is left out; or no scores that could be compared.
        """
        numbers = index.returns.numbers
        n_chunks = len(index.spans)
        # so many chunks return k different things
        largest = 1 if numbers is None or not len(numbers) else int(np.bincount(numbers).max())
        hits = self._hits(min(k * largest, n_chunks))
        if with_scores:
            self._check_scores(hits)
        rows = np.repeat(np.arange(len(hits)), [len(one.chunks) if one else 0 for one in hits])
        columns = self._find([chunk for one in hits if one for chunk in one.chunks], index.chunks, may_be_found)
        order = np.array([-rank for one in hits if one for rank in range(len(one.chunks))], dtype=np.float64)
        scores = np.array(
            [score for one in hits if one for score in one.scores or [np.nan] * len(one.chunks)], dtype=np.float64
        )
        sort = np.lexsort((columns, rows))
        self._block = ListedBlock(
            np.arange(len(hits)), rows[sort], columns[sort], order[sort], scores[sort], max(n_chunks, 1)
        )
        returned = columns if numbers is None else numbers[columns]
        different = np.unique(np.column_stack((rows, returned)), axis=0)[:, 0]
        depth = int(np.bincount(different).max(initial=0))
        return Listing(depth, np.array([row for row, one in enumerate(hits) if one is None], dtype=np.int64))

    def blocks(self, index: CellIndex) -> Iterator[Block]:
        """Give the lists of the cell that was prepared."""
        assert self._block is not None
        yield self._block

    def _find(self, names: Sequence[str], chunks: ChunkSet, may_be_found: BoolArray) -> IntArray:
        """Look chunks up by their ids."""
        known = number_of_ids(chunks)
        if unknown := [name for name in dict.fromkeys(names) if name not in known]:
            called = list(own_ids(chunks) or known)
            raise InputError(
                f"{self.name}: {len(unknown):,} of {len(set(names)):,} ids are those of no chunk: "
                f"{first_names(unknown)}; the {len(called):,} chunks of {chunks.chunker} are called "
                f"{first_names(called)}"
            )
        found = np.array([known[name] for name in names], dtype=np.int64)
        if not may_be_found[found].all():
            hidden = [name for name, number in zip(names, found.tolist(), strict=True) if not may_be_found[number]]
            raise InputError(
                f"{self.name}: {len(set(hidden)):,} of its chunks are of documents that --filter leaves out, "
                f"{hidden[0]!r} first; search with the same filter, or leave --filter out"
            )
        return found

    def _check_scores(self, hits: Sequence[Hits | None]) -> None:
        for one in hits:
            if one is None or not one.chunks:
                continue
            if one.scores is None:
                raise InputError(f"{self.name}: --min-score needs scores, and has none; give them with the chunks")
            if any(later > former for former, later in zip(one.scores, one.scores[1:], strict=False)):
                raise InputError(
                    f"{self.name}: --min-score drops what is below, but scores rise down the lists, "
                    f"{one.scores[0]:g} to {one.scores[-1]:g}: give similarities instead of distances"
                )


def number_of_ids(chunks: ChunkSet) -> dict[str, int]:
    """Give the number of each chunk by its ids: ``rules.md#3``, counted from 0, and its own where it has one.

    Examples
    --------
    >>> from chunkscope import FixedChunker
    >>> from chunkscope.chunkers.chunk_set import WindowChunks
    >>> from chunkscope.chunkers.windows import Windows
    >>> from chunkscope.spans.layout import Layout
    >>> number_of_ids(WindowChunks(Layout.of(["a", "b"], [10, 4]), FixedChunker(), Windows(5, 0)))
    {'a#0': 0, 'a#1': 1, 'b#0': 2}
    """
    names = chunks.layout.names
    documents = chunks.layout.documents_of(chunks.bodies[:, 0]).tolist()
    pairs = zip(documents, chunks.numbers.tolist(), strict=True)
    found = {f"{names[document]}#{number}": place for place, (document, number) in enumerate(pairs)}
    return found | {name: place for place, name in enumerate(own_ids(chunks))}


def own_ids(chunks: ChunkSet) -> Sequence[str]:
    """Give what an index calls its chunks, if they have such names."""
    return () if chunks.pieces is None else chunks.pieces.ids
