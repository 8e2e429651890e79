"""Ranks by counting: how many chunks are better than the one that matters, and which are the best few.

Nothing is sorted but the few best. Scores come in blocks, questions by chunks, and a block may be lazy: it gives for
every pair a score that is not too high, a bound on what may be missing, and the exact score of single pairs when asked.
Only pairs that can matter are then completed. Ties go to the lower place: document name in code points, then index.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from chunkscope.errors import InputError
from chunkscope.spans import BoolArray, IntArray

FloatArray = NDArray[np.float64]

GROUPS = 128
"""So many groups of chunks are compared to find a bar that the best few pass."""


class Block(Protocol):
    """Scores of some questions against all chunks.

    Attributes
    ----------
    questions : int64 (b,)
        Which questions the rows are.
    low : float (b, n)
        At most the score of each pair; -inf for chunks that never rank.
    slack : float (b,)
        No score is above ``low + slack``.
    floor : float
        Scores that are not above it are not ranked.
    """

    questions: IntArray
    low: NDArray[np.floating]
    slack: FloatArray
    floor: float

    def complete(self, rows: IntArray, columns: IntArray) -> FloatArray:
        """Give the exact scores of pairs."""


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


def best_of(
    block: Block, rows: IntArray, columns: IntArray, owners: IntArray, n_owners: int, place: IntArray | None
) -> tuple[IntArray, FloatArray]:
    """Give for each owner of pairs the best ranked chunk among them, -1 where none is ranked.

    Parameters
    ----------
    rows, columns : int64 (p,)
        Pairs in the block.
    owners : int64 (p,)
        Whose pair each is; must not fall.
    n_owners : int
    place : int64 (n,) or None
        Place of each chunk in ties; None: the chunks stand in that order.
    """
    found = np.full(n_owners, -1, dtype=np.int64)
    scores = np.full(n_owners, -np.inf)
    if not len(rows):
        return found, scores
    exact = block.complete(rows, columns)
    places = columns if place is None else place[columns]
    order = np.lexsort((places, -exact, owners))
    first = order[np.concatenate(([True], owners[order][1:] != owners[order][:-1]))]
    first = first[exact[first] > block.floor]
    found[owners[first]] = columns[first]
    scores[owners[first]] = exact[first]
    return found, scores


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
    n_rows, n_chunks = block.low.shape
    scores = np.full(targets.shape, -np.inf)
    target_rows, target_column = np.nonzero(targets >= 0)
    scores[target_rows, target_column] = block.complete(target_rows, targets[target_rows, target_column])
    scores[scores <= block.floor] = -np.inf
    bar = np.where(scores > -np.inf, scores, np.inf).min(axis=1, initial=np.inf)
    top_bar = _bar_of_best(block, k) if k and n_chunks else np.full(n_rows, np.inf)
    rows, columns, exact = _above(block, np.minimum(bar, top_bar))
    ranks = np.zeros(targets.shape, dtype=np.int64)
    ahead = np.zeros(targets.shape, dtype=np.int64)
    for number in range(targets.shape[1]):
        target, score = targets[:, number], scores[:, number]
        asked = score[rows]
        better = exact > asked
        tied = np.flatnonzero(exact == asked)
        if len(tied):
            own, other = target[rows[tied]], columns[tied]
            better[tied] = other < own if place is None else place[other] < place[own]
        ranked = score > -np.inf
        counts = np.bincount(rows[better], minlength=n_rows)
        ranks[ranked, number] = counts[ranked] + 1
        if weights is not None:
            summed = np.bincount(rows[better], weights=weights[columns[better]], minlength=n_rows)
            ahead[ranked, number] = summed[ranked].astype(np.int64)
    top, top_scores = _best(n_rows, k, rows, columns, exact, top_bar, place)
    return BlockRanks(block.questions, ranks, scores, ahead, top, top_scores)


def _above(block: Block, bar: FloatArray) -> tuple[IntArray, IntArray, FloatArray]:
    """Give all ranked pairs whose exact score is not below the bar of their row."""
    least = np.maximum(bar, block.floor)
    n_chunks = block.low.shape[1]
    flat = np.flatnonzero(block.low >= (least - block.slack).astype(block.low.dtype)[:, None])
    rows = flat // max(n_chunks, 1)
    columns = flat - rows * n_chunks
    exact = block.complete(rows, columns)
    keep = (exact >= least[rows]) & (exact > block.floor)
    return rows[keep], columns[keep], exact[keep]


def _bar_of_best(block: Block, k: int) -> FloatArray:
    """Give for each row a score that at least k chunks reach: that of the k-th best among the best of groups."""
    n_rows, n_chunks = block.low.shape
    groups = min(max(GROUPS, 4 * k), n_chunks)
    if groups < k:
        return np.full(n_rows, -np.inf)
    deep = n_chunks // groups
    folded = block.low[:, : deep * groups].reshape(n_rows, deep, groups)
    best = folded.max(axis=1) if deep > 1 else folded[:, 0]
    chosen = np.argpartition(best, groups - k, axis=1)[:, groups - k :]
    numbers = np.arange(n_rows)[:, None]
    within = folded[numbers, :, chosen].argmax(axis=2) if deep > 1 else np.zeros_like(chosen)
    columns = within * groups + chosen
    exact = block.complete(np.repeat(np.arange(n_rows), k), columns.ravel())
    return exact.reshape(n_rows, k).min(axis=1)


def _best(
    n_rows: int,
    k: int,
    rows: IntArray,
    columns: IntArray,
    exact: FloatArray,
    bar: FloatArray,
    place: IntArray | None,
) -> tuple[IntArray, FloatArray]:
    top = np.full((n_rows, k), -1, dtype=np.int64)
    scores = np.full((n_rows, k), -np.inf)
    if not k:
        return top, scores
    keep = np.flatnonzero(exact >= bar[rows])
    rows, columns, exact = rows[keep], columns[keep], exact[keep]
    order = np.lexsort((columns if place is None else place[columns], -exact, rows))
    rows, columns, exact = rows[order], columns[order], exact[order]
    counts = np.bincount(rows, minlength=n_rows)
    rank = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    kept = rank < k
    top[rows[kept], rank[kept]] = columns[kept]
    scores[rows[kept], rank[kept]] = exact[kept]
    return top, scores
