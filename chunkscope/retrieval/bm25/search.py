"""BM25 for whole grids of chunks, exactly, from one pass over the documents.

What a chunk holds is counted from positions (`chunkscope.retrieval.bm25.postings`), and scored
where a rank can depend on it (`chunkscope.retrieval.bm25.blockmax`).

Scores are Lucene's BM25 (the default of bm25s)::

    score(q, c) = sum over terms t of q:  idf(t) * tf / (tf + k1 * (1 - b + b * length(c) / mean length))
    idf(t) = ln(1 + (N - df + 0.5) / (df + 0.5))

Each summand is rounded to a multiple of 2**-36, far below what matters. Sums of such numbers are exact in float64, so
equal scores are equal in any order of summation, and ties are ties.

Twin: tests/oracle/bm25.py
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from chunkscope.errors import ConfigError
from chunkscope.retrieval.bm25.blockmax import TILE_BITS, WIDTH, PrunedBlock, TiledScores, Wanted
from chunkscope.retrieval.bm25.postings import Postings, QuestionTerms, count_terms, count_terms_of_texts
from chunkscope.retrieval.ranking import FloatArray
from chunkscope.retrieval.retriever import CellIndex, Collection
from chunkscope.spans.intervals import BoolArray, IntArray, SpanArray, expand, expand_ranges

K1, B = 1.5, 0.75
"""As in bm25s."""

QUANTUM = 2.0**-36

COMMON_SHARE = 0.02
"""Terms in more than this share of the chunks are laid out as rows, which `blockmax` adds by the tile."""
MAX_COMMON_SCORES = 1 << 23
"""Room for these rows; terms that have none are added as rare ones are."""
BLOCK_TILES = 1 << 17
"""Tiles in a block, one a question and eight chunks: blocks eight times as large took a fifth more time."""


def idf(n_chunks: int, frequencies: IntArray) -> FloatArray:
    """Give the weight of terms by the number of chunks that hold them.

    Examples
    --------
    >>> idf(3, np.array([1, 3])).round(4).tolist()
    [0.9808, 0.1335]
    """
    return np.log1p((n_chunks - frequencies + 0.5) / (frequencies + 0.5))


class Bm25:
    """The scores of all questions in one cell.

    Parameters
    ----------
    questions : QuestionTerms
    postings : Postings
    indexed : bool (n,)
        Chunks that are in the index: not blank, and of a document that may be found. No other may have postings.
    k1, b : float

    Examples
    --------
    >>> asked = QuestionTerms(["上限"])
    >>> held = Postings(np.array([0, 0]), np.array([0, 2]), np.array([1, 2]), np.array([4, 4, 4]))
    >>> scores = Bm25(asked, held, np.ones(3, dtype=bool))
    >>> [block.complete(np.zeros(3, int), np.arange(3)).round(4).tolist() for block in scores.blocks()]
    [[0.188, 0.0, 0.2686]]
    """

    def __init__(
        self, questions: QuestionTerms, postings: Postings, indexed: BoolArray, k1: float = K1, b: float = B
    ) -> None:
        self.questions = questions
        self.postings = postings
        self.n_chunks = len(indexed)
        n_indexed = int(np.count_nonzero(indexed))
        mean = float(postings.lengths[indexed].sum()) / n_indexed if n_indexed else 0.0
        n_terms = int(questions.terms.max(initial=-1)) + 1
        self.frequencies = np.bincount(postings.terms, minlength=n_terms)
        self.edges = np.concatenate(([0], np.cumsum(self.frequencies)))
        damping = k1 * (1 - b + b * postings.lengths / mean) if mean else np.full(self.n_chunks, k1)
        times = postings.times.astype(np.float64)
        shares = times / (times + damping.take(postings.chunks))
        shares *= np.repeat(idf(n_indexed, self.frequencies) / QUANTUM, self.frequencies)
        self.scores: FloatArray = np.rint(shares, out=shares)
        self.scores *= QUANTUM

    def _common(self) -> IntArray:
        """Choose the features whose terms most chunks hold."""
        frequencies = self.frequencies[self.questions.feature_terms]
        chosen = np.flatnonzero(frequencies > COMMON_SHARE * self.n_chunks)
        room = MAX_COMMON_SCORES // max(self.n_chunks, 1)
        return np.sort(chosen[np.argsort(-frequencies[chosen], kind="stable")[:room]])

    def _tiled(self, common: IntArray) -> TiledScores:
        """Lay the scores out in tiles."""
        held = self.postings
        n_tiles = -(-self.n_chunks // WIDTH)
        tiles = held.chunks >> TILE_BITS
        firsts = np.flatnonzero(np.diff(held.terms * n_tiles + tiles, prepend=-1))
        highs = np.zeros(len(tiles), dtype=np.float32)
        if len(firsts):
            highs[firsts] = np.maximum.reduceat(self.scores, firsts)
        terms, times = self.questions.feature_terms[common], self.questions.feature_times[common]
        whose, some = expand_ranges(self.edges[terms], self.edges[terms + 1])
        rows = np.zeros((len(common) * n_tiles, WIDTH))
        rows.ravel()[whose * (n_tiles * WIDTH) + held.chunks.take(some)] = self.scores.take(some) * times.take(whose)
        row_highs = np.zeros((len(common), n_tiles), dtype=np.float32)
        some_highs = highs.take(some) * times.astype(np.float32).take(whose)
        np.maximum.at(row_highs.ravel(), whose * n_tiles + tiles.take(some), some_highs)
        return TiledScores(n_tiles, held.chunks, tiles, self.scores, highs, rows, row_highs)

    def blocks(self) -> Iterator[PrunedBlock]:
        """Score the questions, some at a time, those with most common terms first."""
        asked, common = self.questions, self._common()
        index = self._tiled(common)
        row_of = np.full(len(asked.feature_terms), -1, dtype=np.int64)
        row_of[common] = np.arange(len(common))
        counts = np.bincount(asked.questions[row_of[asked.features] >= 0], minlength=asked.n_questions)
        order = np.argsort(-counts, kind="stable")
        counts = counts[order]
        owners, entries = expand_ranges(asked.edges[order], asked.edges[order + 1])
        rows = row_of[asked.features[entries]]
        table = np.zeros((asked.n_questions, int(counts.max(initial=0))), dtype=np.int64)
        table[expand(counts)] = rows[rows >= 0]
        rare = np.flatnonzero(rows < 0)
        rare = np.repeat(rare, asked.times[entries[rare]])
        owners, terms = owners[rare], asked.terms[entries[rare]]
        edges = np.searchsorted(owners, np.arange(asked.n_questions + 1))
        size = max(1, BLOCK_TILES // max(index.n_tiles, 1))
        for first in range(0, asked.n_questions, size):
            behind = min(first + size, asked.n_questions)
            n_common = counts[first:behind]
            n_asking = len(n_common) - np.searchsorted(n_common[::-1], np.arange(n_common[0]), side="right")
            rest = slice(edges[first], edges[behind])
            whose, held = expand_ranges(self.edges[terms[rest]], self.edges[terms[rest] + 1])
            common_rows = np.ascontiguousarray(table[first:behind, : len(n_asking)].T)
            wanted = Wanted(common_rows, n_asking, (owners[rest] - first).take(whose), held)
            yield PrunedBlock(order[first:behind], index, wanted)


class Bm25Retriever:
    """BM25 as a retriever of a `RetrievalMeasure`.

    Parameters
    ----------
    k1 : float
        How soon further occurrences of a term cease to matter; not negative.
    b : float
        How much the length of a chunk matters, 0 to 1.

    Raises
    ------
    ConfigError
        Parameters out of range.
    """

    name = "bm25"

    def __init__(self, k1: float = K1, b: float = B) -> None:
        if not 0 <= k1 < float("inf"):
            raise ConfigError(f"bm25: k1 {k1} must not be negative")
        if not 0 <= b <= 1:
            raise ConfigError(f"bm25: b {b} must be from 0 to 1")
        self.k1, self.b = float(k1), float(b)

    @property
    def settings(self) -> dict[str, Any]:
        """What was held fixed."""
        return {"variant": "lucene", "k1": self.k1, "b": self.b}

    def searcher(self, collection: Collection) -> Bm25Searcher:
        """Give what searches the chunks of cells."""
        return Bm25Searcher(self, collection)


class Bm25Searcher:
    """BM25 over the documents of a collection."""

    def __init__(self, retriever: Bm25Retriever, collection: Collection) -> None:
        self.retriever = retriever
        self.vocabulary = collection.vocabulary

    def blocks(self, index: CellIndex) -> Iterator[PrunedBlock]:
        """Score all questions against the chunks of a cell."""
        scores = Bm25(
            self.vocabulary.questions, self._postings(index), index.indexed, self.retriever.k1, self.retriever.b
        )
        yield from scores.blocks()

    def _postings(self, index: CellIndex) -> Postings:
        """Count the terms of each chunk that is in the index, with those of what it prepends."""
        if index.chunks.pieces is not None:
            texts = index.chunks.pieces.texts
            indexed = [text if is_in else "" for text, is_in in zip(texts, index.indexed.tolist(), strict=True)]
            postings = count_terms_of_texts(self.vocabulary.questions, indexed)
        else:
            postings = count_terms(self.vocabulary.occurrences, index.spans)
        owners = index.texts.owners
        if len(owners):
            found = index.indexed[owners]
            postings = self._with_prepended(postings, owners[found], index.texts.prepended[found])
        return postings

    def _with_prepended(self, held: Postings, owners: IntArray, spans: SpanArray) -> Postings:
        """Add the words of what chunks prepend."""
        n_chunks = len(held.lengths)
        first, behind = self.vocabulary.occurrences.bounds(spans)
        rows, words = expand_ranges(first, behind)
        lengths = held.lengths + np.bincount(owners, weights=behind - first, minlength=n_chunks).astype(np.int64)
        terms, owners = self.vocabulary.terms[words], owners[rows]
        asked = terms >= 0
        keys = np.concatenate((held.terms * n_chunks + held.chunks, terms[asked] * n_chunks + owners[asked]))
        times = np.concatenate((held.times, np.ones(len(keys) - len(held.times), dtype=np.int64)))
        pairs, place = np.unique(keys, return_inverse=True)
        summed = np.bincount(place.reshape(-1), weights=times).astype(np.int64)
        return Postings(pairs // max(n_chunks, 1), pairs % max(n_chunks, 1), summed, lengths)
