"""Greedy packing: the one loop behind every chunker that fills chunks with whole items.

Items (sentences, words, token steps, sections) tile a text. They are given by their boundaries: ``used[b]`` is how
many units begin before boundary ``b``. A group is a run of items that no chunk leaves: a document, or a section.
All groups of a corpus advance together, a chunk a round, each by binary search in the one array of boundaries.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chunkscope.spans import IntArray

BOUNDARIES_A_CHUNK = 8
"""Up to so many boundaries a chunk, tables for all of them are cheaper than a search for each chunk."""


@dataclass(frozen=True, slots=True, eq=False)
class Items:
    """Items to pack at one setting.

    Attributes
    ----------
    used : int64 (b,)
        Units that begin before each item boundary, over all groups; never falls.
    groups : int64 (g + 1,)
        Indices of the boundaries at which groups start, and the last boundary; never falls.
    size, overlap : int
        In units.
    """

    used: IntArray
    groups: IntArray
    size: int
    overlap: int


def pack(used: IntArray, groups: IntArray, size: int, overlap: int) -> IntArray:
    """Pack items into chunks of at most `size` units, the next chunk starting `overlap` units back at the most.

    The arguments are those of `Items`.

    Returns
    -------
    int64 (m, 2)
        First and last boundary of each chunk, in order. An item that alone is above the size is a chunk by itself.

    Notes
    -----
    A chunk runs to the farthest boundary within the size, over one item at least. The next starts at the smallest
    boundary behind the present start from which the overlap is kept and the next whole item still fits; where there
    is none, at the present end. With overlap 0 it always starts at the present end, so that chunks tile the text
    even where items weigh nothing.

    Examples
    --------
    >>> pack(np.array([0, 5, 9, 12, 15]), np.array([0, 4]), 9, 4).tolist()
    [[0, 2], [1, 3], [2, 4]]
    >>> pack(np.array([0, 4, 8, 12]), np.array([0, 3]), 8, 4).tolist()
    [[0, 2], [1, 3]]
    """
    return pack_all([Items(used, groups, size, overlap)])[0]


def pack_all(settings: Sequence[Items]) -> list[IntArray]:
    """Pack at several settings at once: all groups of all settings advance together, see `pack`."""
    if not settings:
        return []
    way = _Tables(settings) if _has_few_boundaries(settings) else _Searches(settings)
    n_groups = [len(items.groups) - 1 for items in settings]
    pairs = list(zip(settings, way.offsets, strict=True))
    first = np.concatenate([items.groups[:-1] + offset for items, offset in pairs])
    last = np.concatenate([items.groups[1:] + offset for items, offset in pairs])
    setting = np.repeat(np.arange(len(settings)), n_groups)
    rounds: list[tuple[IntArray, IntArray, IntArray]] = []
    owner = np.flatnonzero(first < last)
    start = first[owner]
    while start.size:
        end = np.minimum(way.ends(start, setting[owner]), last[owner])
        rounds.append((owner, start, end))
        going = end < last[owner]
        owner, start, end = owner[going], start[going], end[going]
        start = way.starts(start, end, setting[owner])
    chunks, counts = _in_order(rounds, len(first))
    edges = np.cumsum(np.concatenate(([0], counts)))[np.cumsum([0, *n_groups])]
    return [chunks[low:high] - offset for low, high, offset in zip(edges[:-1], edges[1:], way.offsets, strict=True)]


def _has_few_boundaries(settings: Sequence[Items]) -> bool:
    """Tell whether it is cheaper to look every boundary up in order than those at chunks in no order."""
    n_boundaries = sum(len(items.used) for items in settings)
    n_chunks = sum(int(items.used[-1]) // (items.size - items.overlap) + len(items.groups) for items in settings)
    return n_boundaries < BOUNDARIES_A_CHUNK * n_chunks


class _Searches:
    """Finds where a chunk ends, and where the next starts, by a binary search for each chunk.

    Settings that pack the same array of boundaries share it; the others lie behind it, lifted so that they never fall.
    """

    def __init__(self, settings: Sequence[Items]) -> None:
        arrays = {id(items.used): items.used for items in settings}
        offsets: dict[int, int] = {}
        lifted: list[IntArray] = []
        offset = lift = 0
        for key, used in arrays.items():
            offsets[key] = offset
            lifted.append(used + lift)
            offset, lift = offset + len(used), int(lifted[-1][-1])
        self.used = np.concatenate(lifted)
        self.offsets = [offsets[id(items.used)] for items in settings]
        self._sizes = np.array([items.size for items in settings], dtype=np.int64)
        self._overlaps = np.array([items.overlap for items in settings], dtype=np.int64)

    def ends(self, start: IntArray, setting: IntArray) -> IntArray:
        return _farthest(self.used, self.used[start] + self._sizes[setting], start)

    def starts(self, start: IntArray, end: IntArray, setting: IntArray) -> IntArray:
        return _restart(self.used, start, end, self._sizes[setting], self._overlaps[setting])


class _Tables:
    """Finds the same in tables that are made beforehand for all boundaries, in their order."""

    def __init__(self, settings: Sequence[Items]) -> None:
        ends, starts = [], []
        self.offsets: list[int] = []
        offset = 0
        for items in settings:
            here = np.arange(len(items.used))
            end = _farthest(items.used, items.used + items.size, here)
            inner = np.minimum(end, len(here) - 2)
            self.offsets.append(offset)
            ends.append(end + offset)
            starts.append(
                _restart(items.used, here, inner, items.size, items.overlap) + offset if len(here) > 1 else here
            )
            offset += len(here)
        self._ends, self._starts = np.concatenate(ends), np.concatenate(starts)

    def ends(self, start: IntArray, setting: IntArray) -> IntArray:
        return self._ends[start]

    def starts(self, start: IntArray, end: IntArray, setting: IntArray) -> IntArray:
        return self._starts[start]


def _restart(used: IntArray, start: IntArray, end: IntArray, size: IntArray | int, overlap: IntArray | int) -> IntArray:
    """Give where the chunk behind one from `start` to `end` starts; `end` is not the last boundary."""
    floor = np.maximum(used[end] - overlap, used[end + 1] - size)
    back = np.maximum(np.searchsorted(used, floor, side="left"), start + 1)
    return np.where(np.asarray(overlap) > 0, np.minimum(back, end), end)


def _in_order(rounds: Sequence[tuple[IntArray, IntArray, IntArray]], n_groups: int) -> tuple[IntArray, IntArray]:
    """Sort chunks by group, then round, without sorting: each group has one chunk in each round until it ends.

    Returns
    -------
    chunks : int64 (m, 2)
    counts : int64 (n_groups,)
    """
    counts = np.zeros(n_groups, dtype=np.int64)
    for owner, _, _ in rounds:
        counts[owner] += 1
    before = np.cumsum(counts) - counts
    chunks = np.empty((int(counts.sum()), 2), dtype=np.int64)
    for number, (owner, start, end) in enumerate(rounds):
        place = before[owner] + number
        chunks[place, 0] = start
        chunks[place, 1] = end
    return chunks, counts


def pack_with_tails(
    positions: IntArray, groups: IntArray, size: int, tail: int, *, keep_tail: bool
) -> tuple[IntArray, IntArray]:
    """Pack items as `pack` does, in characters, each next chunk starting with the last `tail` characters.

    Parameters
    ----------
    positions : int64 (b,)
        Offset of each item boundary.
    groups, size
        As in `pack`; the size is in characters.
    tail : int
        Characters of a chunk that the next one begins with; at most all but its first.
    keep_tail : bool
        Keep the tail whole even where the next item then does not fit into the size.

    Returns
    -------
    starts, ends : int64 (m,)
        Offsets of the chunks, in order.

    Examples
    --------
    >>> starts, ends = pack_with_tails(np.array([0, 4, 8, 12]), np.array([0, 3]), 6, 3, keep_tail=False)
    >>> starts.tolist(), ends.tolist()
    ([0, 2, 6], [4, 8, 12])
    """
    rounds: list[tuple[IntArray, IntArray, IntArray]] = []
    owner = np.flatnonzero(groups[:-1] < groups[1:])
    reached, last = groups[owner], groups[owner + 1]
    start = positions[reached]
    while start.size:
        end = np.minimum(_farthest(positions, start + size, reached), last)
        rounds.append((owner, start, positions[end]))
        going = end < last
        owner, start, reached, last = owner[going], start[going], end[going], last[going]
        back = np.maximum(positions[reached] - tail, start + 1)
        if not keep_tail:
            back = np.maximum(back, positions[reached + 1] - size)
        start = np.minimum(back, positions[reached])
    chunks, _ = _in_order(rounds, len(groups) - 1)
    return chunks[:, 0], chunks[:, 1]


def split_oversize(
    positions: IntArray, used: IntArray, steps: IntArray, used_at_steps: IntArray, size: int
) -> tuple[IntArray, IntArray]:
    """Cut every item above the size at the last step within it, again and again.

    Parameters
    ----------
    positions, used : int64 (b,)
        Offsets of the item boundaries, and the units that begin before them.
    steps, used_at_steps : int64 (s,)
        Offsets inside items at which a cut may fall, and the units that begin before them.
    size : int

    Returns
    -------
    positions, used : int64 (c,)
        The same with the new boundaries.

    Examples
    --------
    >>> here, used = split_oversize(*(np.array(a) for a in ([0, 9], [0, 9], [3, 5, 8], [3, 5, 8])), size=4)
    >>> here.tolist()
    [0, 3, 5, 9]
    """
    large = np.flatnonzero(np.diff(used) > size)
    if not large.size:
        return positions, used
    low = np.searchsorted(steps, positions[large], side="right")
    high = np.searchsorted(steps, positions[large + 1], side="left")
    inner = _ranges(low, high)
    fine = np.concatenate((positions[large], positions[large + 1], steps[inner]))
    fine_used = np.concatenate((used[large], used[large + 1], used_at_steps[inner]))
    # Two large items may share a boundary; it must be there once, or an item between would be empty.
    fine, chosen = np.unique(fine, return_index=True)
    fine_used = fine_used[chosen]
    ends_of_large = np.searchsorted(fine, positions[large + 1])
    starts_of_large = np.searchsorted(fine, positions[large])
    cuts: list[IntArray] = []
    start, last = starts_of_large, ends_of_large
    while start.size:
        end = np.minimum(_farthest(fine_used, fine_used[start] + size, start), last)
        going = end < last
        start, last = end[going], last[going]
        cuts.append(start)
    new = np.concatenate(cuts)
    where = np.searchsorted(positions, fine[new], side="right")
    order = np.argsort(fine[new], kind="stable")
    return (
        np.insert(positions, where[order], fine[new][order]),
        np.insert(used, where[order], fine_used[new][order]),
    )


def _farthest(used: IntArray, limit: IntArray, start: IntArray) -> IntArray:
    """Give the last boundary within the limit, at least the one behind `start`."""
    return np.maximum(np.searchsorted(used, limit, side="right") - 1, start + 1)


def _ranges(low: IntArray, high: IntArray) -> IntArray:
    """Concatenate ``arange(low[i], high[i])`` for all i."""
    counts = np.maximum(high - low, 0)
    offsets = np.repeat(low - np.concatenate(([0], np.cumsum(counts)[:-1])), counts)
    return np.arange(int(counts.sum()), dtype=np.int64) + offsets
