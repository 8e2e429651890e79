"""Block-max pruning (Ding and Suel 2011) for many questions at once: scores only where a rank can depend on them.

Chunks stand in tiles, eight neighbours each. The highest score of a term in a tile bounds what it adds to any chunk
there, and the sum over the terms of a question bounds the scores in the tile. Only tiles whose bound reaches the bar of
the question, the score of its k-th best chunk or of its evidence, are scored; all others hold nothing that matters.

Terms that few chunks hold are added posting by posting. Common ones are laid out as rows over all chunks, and whole
tiles of them are added.

Measured on 16 cells of JaQuAD with 3,939 questions, in processor time: 2.1 s; 47 s without pruning, 43 s without rows
for common terms. The slow twin is `exhaustive_scores` in tests/retrieval/test_blockmax.py.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chunkscope.retrieval.ranking import FloatArray, Pairs
from chunkscope.spans.intervals import BoolArray, IntArray

TILE_BITS = 3
WIDTH = 1 << TILE_BITS
"""Chunks in a tile: their scores are one line of the processor's cache."""
PROMISING = 12
"""So many tiles of each question are scored to find a bar, at least."""

TINY = np.finfo(np.float32).tiny

Bounds = NDArray[np.float32]


@dataclass(frozen=True)
class TiledScores:
    """What every term adds to the score of every chunk of a cell.

    Attributes
    ----------
    n_tiles : int
    chunks, tiles : int64 (p,)
        Of each posting of a rare term.
    scores : float64 (p,)
    highs : float32 (p,)
        The highest score of the term in the tile, at its first posting there; 0 at further ones.
    rows : float64 (f * n_tiles, 8)
        Scores of common terms, tile by tile.
    row_highs : float32 (f, n_tiles)
    """

    n_tiles: int
    chunks: IntArray
    tiles: IntArray
    scores: FloatArray
    highs: Bounds
    rows: FloatArray
    row_highs: Bounds


@dataclass(frozen=True)
class Wanted:
    """What some questions ask for.

    Attributes
    ----------
    rows : int64 (c, b)
        The common terms of each question, by row of `TiledScores`; questions with more come first.
    n_asking : int64 (c,)
        How many questions have so many common terms.
    owners, held : int64 (r,)
        The postings of rare terms, and whose they are.
    """

    rows: IntArray
    n_asking: IntArray
    owners: IntArray
    held: IntArray


class PrunedBlock:
    """Scores of some questions: bounds of all tiles, and the exact scores of those tiles that are asked for.

    Parameters
    ----------
    questions : int64 (b,)
    index : TiledScores
    wanted : Wanted
    """

    floor = 0.0

    def __init__(self, questions: IntArray, index: TiledScores, wanted: Wanted) -> None:
        self.questions = questions
        self.index = index
        self.wanted = wanted
        n_rows = len(questions)
        self._keys = wanted.owners * index.n_tiles
        self._keys += index.tiles.take(wanted.held)
        self.bounds = self._bounds(n_rows)
        self._slots = np.full(n_rows * index.n_tiles, -1, dtype=np.int32)
        self._is_scored = np.zeros(n_rows * index.n_tiles, dtype=np.bool_)
        self._scores: FloatArray = np.empty((0, WIDTH))
        self._promising = self._most_promising(PROMISING)

    def _bounds(self, n_rows: int) -> Bounds:
        """Sum up the highest scores of the terms in each tile, rounded up: float32 (b, t)."""
        index, wanted = self.index, self.wanted
        bounds = np.zeros((n_rows, index.n_tiles), dtype=np.float32)
        room = np.empty_like(bounds)
        for rows, n_asking in zip(wanted.rows, wanted.n_asking.tolist(), strict=True):
            some = room[:n_asking]
            bounds[:n_asking] += np.take(index.row_highs, rows[:n_asking], axis=0, out=some, mode="clip")
        np.add.at(bounds.ravel(), self._keys, index.highs.take(wanted.held))
        n_summands = len(wanted.rows) + int(np.bincount(wanted.owners).max(initial=0))
        bounds *= np.float32(1 + (n_summands + 2) * np.finfo(np.float32).eps)
        return bounds

    def complete(self, rows: IntArray, columns: IntArray) -> FloatArray:
        """Give the exact scores of pairs."""
        tiles = columns >> TILE_BITS
        keys = rows * self.index.n_tiles + tiles
        wanted = np.zeros(self.bounds.size, dtype=np.bool_)
        wanted[keys] = True
        self._score(wanted)
        return self._scores.ravel().take(self._slots.take(keys) * WIDTH + (columns & (WIDTH - 1)))

    def bar(self, k: int) -> FloatArray:
        """Give for each row a score that at least k chunks reach: the k-th best in the most promising tiles."""
        if k > PROMISING:
            self._promising = self._most_promising(k)
        self._score(self._promising)
        keys = np.flatnonzero(self._promising)
        scores = self._scores.take(self._slots.take(keys), axis=0)
        # the better one of each two: nearly as high a bar, and half to look through
        half = WIDTH // 2
        scores = np.maximum(scores[:, :half], scores[:, half:])
        owners = keys // self.index.n_tiles
        counts = np.bincount(owners, minlength=len(self.questions))
        best = np.zeros((len(counts), max(int(counts.max(initial=0)), -(-k // half)), half))
        best[owners, np.arange(len(keys)) - np.repeat(np.cumsum(counts) - counts, counts)] = scores
        flat = best.reshape(len(counts), -1)
        reached: FloatArray = np.partition(flat, flat.shape[1] - k, axis=1)[:, flat.shape[1] - k]
        return reached

    def reaching(self, least: FloatArray, bar: FloatArray, scores: FloatArray) -> Pairs:
        """Give all ranked pairs that reach the least of their row."""
        low = np.nextafter(least.astype(np.float32), np.float32(-np.inf))
        self._score((self.bounds >= np.maximum(low, TINY)[:, None]).ravel())
        keys = np.flatnonzero(self._is_scored)
        owners = keys // self.index.n_tiles
        found = self._scores.take(self._slots.take(keys), axis=0)
        limits = np.maximum(least, np.nextafter(self.floor, np.inf))
        hits = np.flatnonzero(found >= limits.take(owners)[:, None])
        tiles = hits >> TILE_BITS
        rows = owners.take(tiles)
        columns = (keys.take(tiles) - rows * self.index.n_tiles) * WIDTH + (hits & (WIDTH - 1))
        return Pairs(rows, columns, found.ravel().take(hits))

    def _most_promising(self, n: int) -> BoolArray:
        """Tell the n tiles of each row that have the highest bounds, and any that have the same as the last."""
        n_tiles = self.index.n_tiles
        if n >= n_tiles:
            return (self.bounds > 0).ravel()
        least = np.partition(self.bounds, n_tiles - n, axis=1)[:, n_tiles - n]
        return (self.bounds >= np.maximum(least, TINY)[:, None]).ravel()

    def _score(self, wanted: BoolArray) -> None:
        """Score tiles that have not been scored; with the first ones, those that a bar will be sought in."""
        n_before = len(self._scores)
        if not n_before:
            wanted = wanted | self._promising
        keys = np.flatnonzero(wanted > self._is_scored)
        if not len(keys):
            return
        scores = np.zeros((len(keys), WIDTH))
        self._add_common(scores, keys)
        self._is_scored[keys] = True
        self._slots[keys] = np.arange(n_before, n_before + len(keys))
        slots = self._slots.take(self._keys)
        new = np.flatnonzero(slots >= n_before)
        held = self.wanted.held.take(new)
        lanes = self.index.chunks.take(held) & (WIDTH - 1)
        np.add.at(scores.ravel(), (slots.take(new) - n_before) * WIDTH + lanes, self.index.scores.take(held))
        self._scores = np.concatenate((self._scores, scores))

    def _add_common(self, scores: FloatArray, keys: IntArray) -> None:
        """Add what common terms give to tiles, which come in the order of their questions."""
        index, wanted = self.index, self.wanted
        owners = keys // index.n_tiles
        tiles = keys - owners * index.n_tiles
        ends = np.searchsorted(keys, wanted.n_asking * index.n_tiles).tolist()
        room = np.empty((len(keys), WIDTH))
        for rows, end in zip(wanted.rows, ends, strict=True):
            places = rows.take(owners[:end]) * index.n_tiles + tiles[:end]
            # with room to write to and without a check of bounds: 7 % of the time of a cell
            scores[:end] += np.take(index.rows, places, axis=0, out=room[:end], mode="clip")
