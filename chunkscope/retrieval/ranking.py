"""Ranks by counting: how many chunks are better than the one that matters, and which are the best few.

Nothing is sorted but the few best. Scores come in blocks, questions by chunks. A block may be rough: it gives for every
pair a score and how far that can be from the exact one, and the exact score of single pairs when asked; only pairs that
can matter are asked for. Ties go to the lower place: document name in code points, then chunk index.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from chunkscope.spans import BoolArray, IntArray

FloatArray = NDArray[np.float64]

GROUPS = 128
"""So many groups of chunks are compared to find a bar that the best few pass."""

MAX_WIDTH = 64
"""Rows with at most so many pairs are sorted side by side."""


class Block(Protocol):
    """Scores of some questions against all chunks.

    Attributes
    ----------
    questions : int64 (b,)
        Which questions the rows are.
    rough : float (b, n)
        About the score of each pair; -inf for chunks that never rank.
    slack : float (b,)
        No score is above ``rough + slack``.
    margin : float or None
        No score is below ``rough - margin``, and slack is as small; None: slack is large, so ask for all that matter.
    floor : float
        Scores that are not above it are not ranked.
    """

    @property
    def questions(self) -> IntArray: ...
    @property
    def rough(self) -> NDArray[Any]: ...
    @property
    def slack(self) -> FloatArray: ...
    @property
    def margin(self) -> float | None: ...
    @property
    def floor(self) -> float: ...

    def complete(self, rows: IntArray, columns: IntArray) -> FloatArray:
        """Give the exact scores of pairs."""

    def sharpened(self, bar: FloatArray) -> Block:
        """Give the same block, less rough where too many scores could reach the bar of their row."""

    def at_least(self, rows: IntArray, columns: IntArray, bar: FloatArray) -> tuple[IntArray, FloatArray]:
        """Choose the pairs, by place, whose exact score is not below the bar of their row; with these scores."""


@dataclass(frozen=True)
class BlockRanks:
    """What came of one block.

    Attributes
    ----------
    questions : int64 (b,)
    ranks : int64 (b, j)
        From 1; 0 where there is no target or it is not ranked.
    scores : float (b, j)
        Of the targets; -inf where they are not ranked.
    ahead : int64 (b, j)
        Summed weights of the better chunks.
    top : int64 (b, k)
        The best chunks in order, -1 where no more are ranked.
    top_scores : float (b, k)
        -inf where no more are ranked.
    """

    questions: IntArray
    ranks: IntArray
    scores: FloatArray
    ahead: IntArray
    top: IntArray
    top_scores: FloatArray


@dataclass(frozen=True)
class _Pairs:
    """Pairs of a block with their exact scores."""

    rows: IntArray
    columns: IntArray
    scores: FloatArray


def rank_block(
    block: Block,
    targets: IntArray,
    *,
    k: int = 0,
    place: IntArray | None = None,
    weights: IntArray | None = None,
) -> BlockRanks:
    """Count for each target the chunks that are better, and list the best k.

    Parameters
    ----------
    block : Block
    targets : int64 (b, j)
        For each question the chunks whose ranks are wanted; -1: none.
    k : int
        How many of the best to list.
    place : int64 (n,) or None
        Place of each chunk in ties; None: the chunks stand in that order.
    weights : int64 (n,) or None
        Summed over the better chunks.
    """
    n_rows, n_chunks = block.rough.shape
    scores = np.full(targets.shape, -np.inf)
    rows, numbers = np.nonzero(targets >= 0)
    scores[rows, numbers] = block.complete(rows, targets[rows, numbers])
    scores[scores <= block.floor] = -np.inf
    bar = _bar_of_best(block, k) if k and n_chunks else np.full(n_rows, np.inf)
    wanted = np.where(scores > -np.inf, scores, np.inf).min(axis=1, initial=np.inf)
    least = np.maximum(np.minimum(bar, wanted), block.floor)
    pairs = _pruned(block, least) if block.margin is None else _settled(block, least, bar, scores, block.margin)
    ranked = scores > -np.inf
    ranks, ahead = np.zeros(targets.shape, dtype=np.int64), np.zeros(targets.shape, dtype=np.int64)
    for number in range(targets.shape[1]):
        counts, summed = _better(pairs, targets[:, number], scores[:, number], place, weights)
        ranks[:, number] = np.where(ranked[:, number], counts + 1, 0)
        ahead[:, number] = np.where(ranked[:, number], summed, 0)
    top, top_scores = _best(n_rows, k, pairs, bar, place)
    return BlockRanks(block.questions, ranks, scores, ahead, top, top_scores)


def _pruned(block: Block, least: FloatArray) -> _Pairs:
    """Give all ranked pairs whose exact score is not below the least of their row, of a block that can be far off."""
    block = block.sharpened(least)
    rows, columns = _places(block.rough >= (least - block.slack)[:, None])
    kept, exact = block.at_least(rows, columns, least)
    if len(exact) and exact.min() <= block.floor:
        ranked = exact > block.floor
        kept, exact = kept[ranked], exact[ranked]
    return _Pairs(rows[kept], columns[kept], exact)


def _settled(block: Block, least: FloatArray, bar: FloatArray, scores: FloatArray, margin: float) -> _Pairs:
    """Give all ranked pairs that can reach the least of their row, of a block that is nearly exact.

    Scores are exact where that can matter: near a target, and among the best few.
    """
    rows, columns = _places(block.rough >= _down(least - block.slack, block.rough.dtype)[:, None])
    found = block.rough[rows, columns].astype(np.float64)
    doubtful = found >= (bar - block.slack)[rows]
    for score in scores.T:
        doubtful |= (found >= (score - margin)[rows]) & (found <= (score + margin)[rows])
    some = np.flatnonzero(doubtful)
    found[some] = block.complete(rows[some], columns[some])
    ranked = found > block.floor
    if ranked.all():
        return _Pairs(rows, columns, found)
    return _Pairs(rows[ranked], columns[ranked], found[ranked])


def _places(mask: BoolArray) -> tuple[IntArray, IntArray]:
    """Give rows and columns of true places, as `numpy.nonzero` does, but faster where they are few."""
    n_rows, n_columns = mask.shape
    flat = np.flatnonzero(mask)
    starts = np.arange(n_rows + 1) * n_columns
    rows = np.repeat(np.arange(n_rows), np.diff(np.searchsorted(flat, starts)))
    return rows, flat - starts[rows]


def _down(values: FloatArray, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Round to a narrower type, but never up."""
    return values if dtype == np.float64 else np.nextafter(values.astype(dtype), dtype.type(-np.inf))


def _beats(pairs: _Pairs, targets: IntArray, scores: FloatArray, place: IntArray | None) -> BoolArray:
    """Tell which pairs are better than the target of their row."""
    asked = scores[pairs.rows]
    better = pairs.scores > asked
    tied = np.flatnonzero(pairs.scores == asked)
    if len(tied):
        own, other = targets[pairs.rows[tied]], pairs.columns[tied]
        better[tied] = other < own if place is None else place[other] < place[own]
    return better


def _better(
    pairs: _Pairs, targets: IntArray, scores: FloatArray, place: IntArray | None, weights: IntArray | None
) -> tuple[IntArray, IntArray]:
    """Count the better chunks of each row, and sum their weights, among pairs that hold them all."""
    better = _beats(pairs, targets, scores, place)
    rows = pairs.rows[better]
    counts = np.bincount(rows, minlength=len(targets))
    if weights is None:
        return counts, counts
    summed = np.bincount(rows, weights=weights[pairs.columns[better]], minlength=len(targets))
    return counts, summed.astype(np.int64)


def _bar_of_best(block: Block, k: int) -> FloatArray:
    """Give for each row a score that at least k chunks reach: the worst of the best of k good groups."""
    n_rows, n_chunks = block.rough.shape
    groups = min(max(GROUPS, 4 * k), n_chunks)
    if groups < k:
        return np.full(n_rows, -np.inf)
    deep = n_chunks // groups
    folded = block.rough[:, : deep * groups].reshape(n_rows, deep, groups)
    best = folded.max(axis=1) if deep > 1 else folded[:, 0]
    chosen = np.argpartition(best, groups - k, axis=1)[:, groups - k :]
    within = folded[np.arange(n_rows)[:, None], :, chosen].argmax(axis=2) if deep > 1 else np.zeros_like(chosen)
    columns = within * groups + chosen
    exact = block.complete(np.repeat(np.arange(n_rows), k), columns.ravel())
    reached: FloatArray = exact.reshape(n_rows, k).min(axis=1)
    return reached


def _best(n_rows: int, k: int, pairs: _Pairs, bar: FloatArray, place: IntArray | None) -> tuple[IntArray, FloatArray]:
    """Sort the few pairs that reach the bar."""
    top = np.full((n_rows, k), -1, dtype=np.int64)
    scores = np.full((n_rows, k), -np.inf)
    if not k:
        return top, scores
    keep = np.flatnonzero(pairs.scores >= bar[pairs.rows])
    rows, columns, exact = pairs.rows[keep], pairs.columns[keep], pairs.scores[keep]
    counts = np.bincount(rows, minlength=n_rows)
    rank = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    widest = int(counts.max(initial=0))
    if place is None and widest <= MAX_WIDTH:
        # pairs come in the order of chunks, so a stable sort of each row leaves ties as they should be
        table = np.full((n_rows, max(widest, k)), np.inf)
        which = np.full(table.shape, -1, dtype=np.int64)
        table[rows, rank], which[rows, rank] = -exact, columns
        order = np.argsort(table, axis=1, kind="stable")[:, :k]
        return np.take_along_axis(which, order, axis=1), -np.take_along_axis(table, order, axis=1)
    order = np.lexsort((columns if place is None else place[columns], -exact, rows))
    rows, columns, exact = rows[order], columns[order], exact[order]
    kept = rank < k
    top[rows[kept], rank[kept]] = columns[kept]
    scores[rows[kept], rank[kept]] = exact[kept]
    return top, scores


def tie_places(names: Sequence[str], documents: IntArray) -> IntArray | None:
    """Give the place of each chunk in ties: document name in code points, then chunk index.

    Parameters
    ----------
    names : sequence of str
    documents : int64 (n,)
        The document of each chunk; never falls.

    Returns
    -------
    int64 (n,) or None
        None where the chunks stand in that order.

    Examples
    --------
    >>> tie_places(["b", "a"], np.array([0, 0, 1])).tolist()
    [1, 2, 0]
    """
    order = sorted(range(len(names)), key=names.__getitem__)
    if order == list(range(len(names))):
        return None
    rank = np.empty(len(names), dtype=np.int64)
    rank[order] = np.arange(len(names))
    places = np.empty(len(documents), dtype=np.int64)
    places[np.argsort(rank[documents], kind="stable")] = np.arange(len(documents))
    return places
