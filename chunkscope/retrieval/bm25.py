"""BM25 for whole grids of chunks, exactly, from one pass over the documents.

What a chunk holds is counted from positions (`chunkscope.retrieval.postings`).

Scores are Lucene's BM25 (the default of bm25s)::

    score(q, c) = sum over terms t of q:  idf(t) * tf / (tf + k1 * (1 - b + b * length(c) / mean length))
    idf(t) = ln(1 + (N - df + 0.5) / (df + 0.5))

Each summand is rounded to a multiple of 2**-36, far below what matters. Sums of such numbers are exact in float64, so
equal scores are equal in any order of summation, and ties are ties.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from chunkscope.carrying import Carriable, carried_spans
from chunkscope.containment import ChunkSet
from chunkscope.errors import ConfigError
from chunkscope.retrieval.judging import expand
from chunkscope.retrieval.postings import Postings, Vocabulary, count_terms
from chunkscope.retrieval.ranking import FloatArray
from chunkscope.retrieval.terms import Asked
from chunkscope.spans import BoolArray, IntArray

K1, B = 1.5, 0.75
"""As in bm25s."""

QUANTUM = 2.0**-36

COMMON_SHARE = 0.25
"""Terms in more than this share of the chunks are added where a pair can matter only (Turtle and Flood 1995)."""
MAX_COMMON_SCORES = 1 << 25
ROUGHNESS = 0.5
"""Common terms are added to all chunks of a question until the rest is less than this share of the score to reach."""
BLOCK_SCORES = 1 << 19
"""Scores in a block: they stay in the processor's cache."""


def idf(n_chunks: int, frequencies: IntArray) -> FloatArray:
    """Give the weight of terms by the number of chunks that hold them.

    Examples
    --------
    >>> idf(3, np.array([1, 3])).round(4).tolist()
    [0.9808, 0.1335]
    """
    return np.log1p((n_chunks - frequencies + 0.5) / (frequencies + 0.5))


class Demand:
    """What the questions ask for, in the order in which they are scored.

    Questions with many terms come last, so that those of one block have about as many. The terms of a question stand
    from the rare to the common, so that those that matter most come first.

    Attributes
    ----------
    order : int64 (q,)
        The questions.
    edges : int64 (q + 1,)
        Where the entries of each question in `order` start.
    terms, times, features : int64 (e,)
        Of each entry: the term, how often it is asked for, and the number of that pair.
    feature_terms, feature_times : int64 (f,)
    """

    def __init__(self, asked: Asked, frequencies: IntArray) -> None:
        counts = np.bincount(asked.questions, minlength=asked.n_questions)
        self.order = np.argsort(counts, kind="stable")
        self.edges = np.concatenate(([0], np.cumsum(counts[self.order])))
        place = np.empty_like(self.order)
        place[self.order] = np.arange(len(self.order))
        entries = np.lexsort((frequencies[asked.terms], place[asked.questions]))
        self.terms, self.times = asked.terms[entries], asked.times[entries]
        pairs, features = np.unique(np.column_stack((self.terms, self.times)), axis=0, return_inverse=True)
        self.features = features.reshape(-1)
        self.feature_terms, self.feature_times = np.ascontiguousarray(pairs.T)


@dataclass(frozen=True)
class Bm25Block:
    """Scores of some questions: rare terms are summed up, common ones are added to single pairs when asked.

    Attributes
    ----------
    common : float (f + 1, n)
        Scores of common features; the last row is zero.
    features : int64 (b, c)
        The rows of `common` that each question adds, those that can matter most first.
    rests : float (b, c)
        The most that can come after each of them.
    """

    questions: IntArray
    rough: FloatArray
    slack: FloatArray
    common: FloatArray
    features: IntArray
    rests: FloatArray
    margin: None = None
    floor: float = 0.0

    def complete(self, rows: IntArray, columns: IntArray) -> FloatArray:
        """Add what common terms give; `features` names for each row their rows of `common`, the last one being zero."""
        n_chunks = self.rough.shape[1]
        scores: FloatArray = self.rough.ravel().take(rows * n_chunks + columns)
        flat = self.common.ravel()
        for bases in self.features.T * n_chunks:
            scores += flat.take(bases.take(rows) + columns)
        return scores

    def sharpened(self, bar: FloatArray) -> Bm25Block:
        """Add common terms to whole rows, as long as without them every chunk could reach the bar.

        The block itself must not be used after that.
        """
        bar = bar * ROUGHNESS
        for row in np.flatnonzero(self.slack >= bar).tolist():
            for number in range(self.features.shape[1]):
                self.rough[row] += self.common[self.features[row, number]]
                self.features[row, number] = len(self.common) - 1
                self.slack[row] = self.rests[row, number]
                if self.slack[row] < bar[row]:
                    break
        return self

    def at_least(self, rows: IntArray, columns: IntArray, bar: FloatArray) -> tuple[IntArray, FloatArray]:
        """Choose the pairs whose score is not below the bar of their row, adding common terms while they matter."""
        n_chunks, width = self.rough.shape[1], self.features.shape[1]
        flat = self.common.ravel()
        bases = self.features * n_chunks
        limits = bar[:, None] - self.rests
        kept = np.arange(len(rows))
        scores: FloatArray = self.rough.ravel().take(rows * n_chunks + columns)
        for number in range(width):
            scores += flat.take(bases[:, number].take(rows) + columns)
            if number % 2 and number < width - 1:
                continue  # looking pays every other time
            reached = np.flatnonzero(scores >= limits[:, number].take(rows))
            if len(reached) < len(rows):
                rows, columns = rows.take(reached), columns.take(reached)
                scores, kept = scores.take(reached), kept.take(reached)
        return kept, scores


class Bm25:
    """The scores of all questions in one cell.

    Parameters
    ----------
    demand : Demand
    postings : Postings
    indexed : bool (n,)
        Chunks that are in the index: not blank, and of a document that may be found. No other may have postings.
    k1, b : float

    Examples
    --------
    >>> asked = Asked(["上限"])
    >>> held = Postings(np.array([0, 0]), np.array([0, 2]), np.array([1, 2]), np.array([4, 4, 4]))
    >>> scores = Bm25(Demand(asked, np.array([3])), held, np.ones(3, dtype=bool))
    >>> [block.complete(np.zeros(3, int), np.arange(3)).round(4).tolist() for block in scores.blocks()]
    [[0.188, 0.0, 0.2686]]
    """

    def __init__(self, demand: Demand, postings: Postings, indexed: BoolArray, k1: float = K1, b: float = B) -> None:
        self.demand = demand
        self.postings = postings
        self.n_chunks = len(indexed)
        n_indexed = int(np.count_nonzero(indexed))
        mean = float(postings.lengths[indexed].sum()) / n_indexed if n_indexed else 0.0
        n_terms = int(demand.terms.max(initial=-1)) + 1
        self.frequencies = np.bincount(postings.terms, minlength=n_terms)
        self.edges = np.concatenate(([0], np.cumsum(self.frequencies)))
        damping = k1 * (1 - b + b * postings.lengths / mean) if mean else np.full(self.n_chunks, k1)
        times = postings.times.astype(np.float64)
        shares = times / (times + damping.take(postings.chunks))
        shares *= np.repeat(idf(n_indexed, self.frequencies) / QUANTUM, self.frequencies)
        self.scores: FloatArray = np.rint(shares, out=shares)
        self.scores *= QUANTUM

    @cached_property
    def _common(self) -> tuple[FloatArray, IntArray]:
        """The scores of common features, a row each and a last one of zeros; and the row of each feature, -1: rare."""
        frequencies = self.frequencies[self.demand.feature_terms]
        room = max(MAX_COMMON_SCORES // max(self.n_chunks, 1) - 1, 0)
        chosen = np.flatnonzero(frequencies > COMMON_SHARE * self.n_chunks)
        if len(chosen) > room:
            chosen = np.sort(chosen[np.argsort(-frequencies[chosen], kind="stable")[:room]])
        rows = np.full(len(frequencies), -1, dtype=np.int64)
        rows[chosen] = np.arange(len(chosen))
        common = np.zeros((len(chosen) + 1, self.n_chunks))
        for row, feature in enumerate(chosen.tolist()):
            term = self.demand.feature_terms[feature]
            held = slice(self.edges[term], self.edges[term + 1])
            common[row, self.postings.chunks[held]] = self.scores[held] * self.demand.feature_times[feature]
        return common, rows

    def blocks(self) -> Iterator[Bm25Block]:
        """Score the questions, some at a time."""
        common, row_of = self._common
        highest = common.max(axis=1, initial=0.0)
        rows_of_entries = row_of[self.demand.features]
        n_questions = len(self.demand.order)
        size = max(1, BLOCK_SCORES // max(self.n_chunks, 1))
        for first in range(0, n_questions, size):
            behind = min(first + size, n_questions)
            edges = self.demand.edges[first : behind + 1]
            entries = slice(edges[0], edges[-1])
            owners = np.repeat(np.arange(behind - first), np.diff(edges))
            rows = rows_of_entries[entries]
            is_common = rows >= 0
            features = _padded(rows[is_common], owners[is_common], behind - first, len(common) - 1)
            rare = ~is_common
            low = self._rare_scores(
                owners[rare], self.demand.terms[entries][rare], self.demand.times[entries][rare], behind - first
            )
            highs = highest[features]
            slack = highs.sum(axis=1)
            rests = slack[:, None] - np.cumsum(highs, axis=1)
            yield Bm25Block(self.demand.order[first:behind], low, slack, common, features, rests)

    def _rare_scores(self, owners: IntArray, terms: IntArray, times: IntArray, n_rows: int) -> FloatArray:
        if (times > 1).any():
            owners, terms = np.repeat(owners, times), np.repeat(terms, times)
        counts = self.frequencies[terms]
        behind = np.cumsum(counts)
        held = np.repeat(self.edges[terms] - (behind - counts), counts)
        held += np.arange(len(held))
        keys = np.repeat(owners * self.n_chunks, counts)
        keys += self.postings.chunks.take(held)
        summed = np.bincount(keys, weights=self.scores.take(held), minlength=n_rows * self.n_chunks)
        # without any pair numpy forgets that weights are no integers
        return summed.astype(np.float64, copy=False).reshape(n_rows, self.n_chunks)


def _padded(values: IntArray, owners: IntArray, n_owners: int, filling: int) -> IntArray:
    """Lay the values of each owner out as a row; `owners` never falls."""
    counts = np.bincount(owners, minlength=n_owners)
    table = np.full((n_owners, int(counts.max(initial=0))), filling, dtype=np.int64)
    table[owners, np.arange(len(owners)) - np.repeat(np.cumsum(counts) - counts, counts)] = values
    return table


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

    def searcher(self, words: Vocabulary, carriable: Carriable | None) -> Bm25Searcher:
        """Give what searches the chunks of cells."""
        return Bm25Searcher(self, words, carriable)


class Bm25Searcher:
    """BM25 over documents that have been looked at."""

    def __init__(self, retriever: Bm25Retriever, words: Vocabulary, carriable: Carriable | None) -> None:
        self.retriever = retriever
        self.words = words
        self.carriable = carriable
        self._demand = Demand(words.asked, np.bincount(words.occurrences.terms, minlength=words.asked.n_terms))

    def blocks(self, chunks: ChunkSet, indexed: BoolArray) -> Iterator[Bm25Block]:
        """Score all questions against the chunks of a cell."""
        postings = count_terms(self.words.occurrences, chunks.spans)
        if self.carriable is not None and chunks.chunker.carry:
            postings = self._with_carried(postings, chunks, indexed)
        yield from Bm25(self._demand, postings, indexed, self.retriever.k1, self.retriever.b).blocks()

    def _with_carried(self, held: Postings, chunks: ChunkSet, indexed: BoolArray) -> Postings:
        if self.carriable is None:
            return held
        n_chunks = len(chunks.spans)
        owners, spans = carried_spans(self.carriable, chunks.chunker, chunks.spans, chunks.layout)
        owners, spans = owners[indexed[owners]], spans[indexed[owners]]
        first, behind = self.words.occurrences.bounds(spans)
        rows, words = expand(first, behind)
        lengths = held.lengths + np.bincount(owners, weights=behind - first, minlength=n_chunks).astype(np.int64)
        terms, owners = self.words.terms[words], owners[rows]
        asked = terms >= 0
        keys = np.concatenate((held.terms * n_chunks + held.chunks, terms[asked] * n_chunks + owners[asked]))
        times = np.concatenate((held.times, np.ones(len(keys) - len(held.times), dtype=np.int64)))
        pairs, place = np.unique(keys, return_inverse=True)
        summed = np.bincount(place.reshape(-1), weights=times).astype(np.int64)
        return Postings(pairs // max(n_chunks, 1), pairs % max(n_chunks, 1), summed, lengths)
