"""Span arrays: half-open intervals ``[start, end)`` in code points, as int64 rows.

Everything that chunkscope counts comes down to `contains`: does some chunk hold this target whole?

Twin: tests/oracle/spans.py
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chunkscope.errors import SpanError

IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]
SpanArray: TypeAlias = NDArray[np.int64]
"""int64 (n, 2): a span a row, ``[start, end)``, never empty."""

Span: TypeAlias = tuple[int, int]


def as_spans(rows: ArrayLike) -> SpanArray:
    """Make a span array of rows, and refuse what is none.

    Parameters
    ----------
    rows : (n, 2) of integers
        Starts and ends in code points. An empty sequence gives an empty array.

    Returns
    -------
    int64 (n, 2)

    Raises
    ------
    SpanError
        Wrong shape, not integers, a negative start, or an end that is not behind its start.

    Examples
    --------
    >>> as_spans([(0, 4), (3, 8)]).tolist()
    [[0, 4], [3, 8]]
    """
    array = np.asarray(rows)
    if array.size == 0:
        return np.empty((0, 2), dtype=np.int64)
    if array.ndim != 2 or array.shape[1] != 2 or array.dtype.kind not in "iu":
        raise SpanError(f"spans must be integers of shape (n, 2), not {array.dtype} of shape {array.shape}")
    spans = array.astype(np.int64, copy=False)
    wrong = np.flatnonzero((spans[:, 0] < 0) | (spans[:, 1] <= spans[:, 0]))
    if wrong.size:
        row = int(wrong[0])
        start, end = spans[row].tolist()
        reason = "is negative" if start < 0 else f">= end {end}"
        raise SpanError(f"spans row {row}: start {start} {reason}")
    return spans


def contains(chunks: SpanArray, targets: SpanArray) -> BoolArray:
    """Tell which targets lie whole inside some chunk.

    Parameters
    ----------
    chunks : int64 (m, 2)
        Chunks whose starts and ends do not fall from one to the next.
    targets : int64 (n, 2)
        Spans to look for, in any order; the answer keeps it.

    Returns
    -------
    bool (n,)

    Notes
    -----
    Among the chunks that start no later than a target, the last one reaches farthest, so it is the only one to
    look at: one binary search a target, O(n log m).

    Examples
    --------
    >>> contains(as_spans([[0, 4], [3, 8]]), as_spans([[1, 4], [2, 6], [3, 8]])).tolist()
    [True, False, True]
    """
    if not len(chunks):
        return np.zeros(len(targets), dtype=np.bool_)
    last = last_starting(chunks, targets)
    held: BoolArray = (last >= 0) & (chunks[last, 1] >= targets[:, 1])
    return held


def covered(chunks: SpanArray, targets: SpanArray) -> BoolArray:
    """Tell which targets have each of their characters in some chunk.

    The arguments are those of `contains`.

    Examples
    --------
    >>> covered(as_spans([[0, 4], [4, 8], [9, 12]]), as_spans([[2, 6], [2, 8], [6, 10]])).tolist()
    [True, True, False]
    """
    return contains(union(chunks), targets)


def union(spans: SpanArray) -> SpanArray:
    """Join spans that overlap or touch. Starts must not fall.

    Examples
    --------
    >>> union(as_spans([[0, 4], [3, 8], [8, 9], [11, 12]])).tolist()
    [[0, 9], [11, 12]]
    """
    if not len(spans):
        return spans
    reach = np.maximum.accumulate(spans[:, 1])
    first = np.flatnonzero(np.concatenate(([True], spans[1:, 0] > reach[:-1])))
    ends = reach[np.concatenate((first[1:] - 1, [len(spans) - 1]))]
    return np.column_stack((spans[first, 0], ends))


def merge(*offsets: IntArray) -> IntArray:
    """Give offsets in order, each once.

    Parameters
    ----------
    offsets : int64 (n,)
        Several times; in order, or nearly so.

    Returns
    -------
    int64 (m,)

    Notes
    -----
    A stable sort takes runs that are in order as they are, in linear time. `numpy.union1d` hashes every offset instead:
    a hundred times as long for two million, and more than twice as long for twice as many.

    Examples
    --------
    >>> merge(np.array([0, 4, 9]), np.array([2, 4])).tolist()
    [0, 2, 4, 9]
    """
    found = np.sort(np.concatenate(offsets), kind="stable")
    is_new = np.ones(len(found), dtype=np.bool_)
    np.not_equal(found[1:], found[:-1], out=is_new[1:])
    return found[is_new]


def last_starting(chunks: SpanArray, targets: SpanArray) -> IntArray:
    """Give for each target the last chunk that starts no later than it, -1 where none does.

    Examples
    --------
    >>> last_starting(as_spans([[2, 4], [3, 8]]), as_spans([[1, 4], [2, 6], [9, 10]])).tolist()
    [-1, 0, 1]
    """
    return np.searchsorted(chunks[:, 0], targets[:, 0], side="right").astype(np.int64) - 1


def expand(counts: IntArray) -> tuple[IntArray, IntArray]:
    """Write groups out member by member.

    Parameters
    ----------
    counts : int64 (g,)
        How many members each group has.

    Returns
    -------
    groups, numbers : int64 (n,)
        The group of each member, and its number in the group, from 0.

    Examples
    --------
    >>> [found.tolist() for found in expand(np.array([2, 0, 3]))]
    [[0, 0, 2, 2, 2], [0, 1, 0, 1, 2]]
    """
    groups = np.repeat(np.arange(len(counts)), counts)
    return groups, np.arange(len(groups)) - np.repeat(np.cumsum(counts) - counts, counts)


def expand_ranges(first: IntArray, behind: IntArray) -> tuple[IntArray, IntArray]:
    """Write ranges out: the range of each number, and the numbers.

    Examples
    --------
    >>> owners, numbers = expand_ranges(np.array([3, 7]), np.array([5, 8]))
    >>> owners.tolist(), numbers.tolist()
    ([0, 0, 1], [3, 4, 7])
    """
    owners, steps = expand(behind - first)
    return owners, first[owners] + steps


def holders(spans: SpanArray, targets: SpanArray) -> tuple[IntArray, IntArray]:
    """Find all spans that hold each target whole.

    Parameters
    ----------
    spans : int64 (n, 2)
        In any order, some perhaps inside others, some perhaps empty: these hold nothing.
    targets : int64 (m, 2)

    Returns
    -------
    targets, spans : int64 (p,)
        Pairs of places, by target, then span.

    Notes
    -----
    Where neither starts nor ends fall, as those of chunks that we cut, the spans that hold a target stand in a row, and
    two binary searches find it. Others are parted into layers of which that is true: for pieces of an index there are
    few.

    Examples
    --------
    >>> [found.tolist() for found in holders(np.array([[0, 9], [2, 4], [3, 9]]), np.array([[3, 4], [2, 6]]))]
    [[0, 0, 0, 1], [0, 1, 2, 0]]
    """
    if not (np.diff(spans, axis=0) < 0).any():
        return _in_a_row(spans, targets)
    found = [(rows, layer[places]) for layer in _layers(spans) for rows, places in [_in_a_row(spans[layer], targets)]]
    rows, places = (np.concatenate(column) for column in zip(*found, strict=True))
    order = np.lexsort((places, rows))
    return rows[order], places[order]


def _in_a_row(spans: SpanArray, targets: SpanArray) -> tuple[IntArray, IntArray]:
    first = np.searchsorted(spans[:, 1], targets[:, 1], side="left")
    behind = np.searchsorted(spans[:, 0], targets[:, 0], side="right")
    return expand_ranges(first, np.maximum(behind, first))


def _layers(spans: SpanArray) -> list[IntArray]:
    """Part spans into layers in which neither starts nor ends fall; each takes the first layer that has room."""
    order = np.lexsort((spans[:, 1], spans[:, 0]))
    tops: list[int] = []  # minus the last end of each layer, which never falls from layer to layer
    layers: list[list[int]] = []
    for place, end in zip(order.tolist(), spans[order, 1].tolist(), strict=True):
        row = bisect_left(tops, -end)
        if row == len(layers):
            layers.append([])
            tops.append(-end)
        tops[row] = -end
        layers[row].append(place)
    return [np.array(layer, dtype=np.int64) for layer in layers]


def within(runs: SpanArray, spans: SpanArray) -> BoolArray:
    """Tell which spans lie whole inside one of some disjoint runs.

    Parameters
    ----------
    runs : int64 (r, 2)
        Disjoint and increasing, such as the blank runs of a text.
    spans : int64 (n, 2)
        In any order.

    Examples
    --------
    >>> within(as_spans([[2, 6]]), as_spans([[2, 4], [5, 7]])).tolist()
    [True, False]
    """
    return contains(runs, spans)
