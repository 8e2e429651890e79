"""Greedy packing: the one loop behind every chunker that fills chunks with whole items.

Items (sentences, words, token steps, sections) tile a text. They are given by their boundaries: ``used[b]`` is how
many units begin before boundary ``b``. A group is a run of items that no chunk leaves: a document, or a section.
All groups of a corpus at all settings advance together, a chunk a round; where the boundaries are is looked up in one
table for all of them.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chunkscope.spans.intervals import IntArray, expand_ranges

FEW_GROUPS = 32
"""When so few are left, plain numbers are cheaper than arrays."""

UNITS_A_BOUNDARY = 64
"""Up to so many units a boundary, a table with an entry for each unit is cheaper than searches."""


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
    divisible : bool
        An item above the size is cut after each `size` units, again and again: units are characters.
    """

    used: IntArray
    groups: IntArray
    size: int
    overlap: int
    divisible: bool = False


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
    """Pack at several settings at once: all groups of all settings advance together, see `pack`.

    Parameters
    ----------
    settings : sequence of Items
        All divisible, or none.

    Returns
    -------
    list of int64 (m, 2)
        For each setting the first and last boundary of each chunk; of divisible items the units before them.
    """
    if not settings:
        return []
    way = _Divided(settings) if settings[0].divisible else _Whole(settings)
    first, last = way.edges
    n_groups = [len(items.groups) - 1 for items in settings]
    setting = np.repeat(np.arange(len(settings)), n_groups)
    rounds: list[tuple[IntArray, IntArray, IntArray]] = []
    owner = np.flatnonzero(first < last)
    start = first[owner]
    while len(start) > FEW_GROUPS:
        end = np.minimum(way.ends(start, setting[owner]), last[owner])
        rounds.append((owner, start, end))
        going = end < last[owner]
        owner, start, end = owner[going], start[going], end[going]
        start = way.starts(start, end, setting[owner])
    rests = {
        group: way.rest(begin, int(last[group]), int(setting[group]))
        for group, begin in zip(owner.tolist(), start.tolist(), strict=True)
    }
    chunks, counts = _in_order(rounds, len(first), rests)
    bounds = np.cumsum(np.concatenate(([0], counts)))[np.cumsum([0, *n_groups])]
    return [chunks[low:high] - origin for low, high, origin in zip(bounds[:-1], bounds[1:], way.origins, strict=True)]


class _Boundaries:
    """The boundaries of all settings in one array.

    Settings that pack the same array share it; the others lie behind it, lifted so that they never fall.
    """

    def __init__(self, settings: Sequence[Items]) -> None:
        arrays = {id(items.used): items.used for items in settings}
        places: dict[int, tuple[int, int]] = {}
        lifted: list[IntArray] = []
        offset = lift = 0
        for key, used in arrays.items():
            places[key] = offset, lift
            lifted.append(used + lift)
            offset, lift = offset + len(used), int(lifted[-1][-1])
        self.used = np.concatenate(lifted)
        self.sizes = np.array([items.size for items in settings], dtype=np.int64)
        self.overlaps = np.array([items.overlap for items in settings], dtype=np.int64)
        # what is to be taken off again: off indices, and off places
        self.offsets, self.lifts = zip(*(places[id(items.used)] for items in settings), strict=True)
        groups = [items.groups + offset for items, offset in zip(settings, self.offsets, strict=True)]
        self.edges = np.concatenate([found[:-1] for found in groups]), np.concatenate([found[1:] for found in groups])


class _Whole(_Boundaries):
    """Where chunks of whole items end and start, as indices of boundaries."""

    def __init__(self, settings: Sequence[Items]) -> None:
        super().__init__(settings)
        self.origins = self.offsets
        self._total = int(self.used[-1]) + 1
        self._below: NDArray[np.int32] | None = None
        if self._total <= UNITS_A_BOUNDARY * len(self.used):
            self._below = np.zeros(self._total + 1, dtype=np.int32)
            np.cumsum(np.bincount(self.used), out=self._below[1:])

    def below(self, units: IntArray) -> IntArray:
        """Count the boundaries with fewer units before them."""
        if self._below is None:
            return np.searchsorted(self.used, units).astype(np.int64, copy=False)
        counts: IntArray = self._below[np.minimum(np.maximum(units, 0), self._total)].astype(np.int64)
        return counts

    def ends(self, start: IntArray, setting: IntArray) -> IntArray:
        """Give the last boundary within the size, at least the one behind `start`."""
        return np.maximum(self.below(self.used[start] + self.sizes[setting] + 1) - 1, start + 1)

    def starts(self, start: IntArray, end: IntArray, setting: IntArray) -> IntArray:
        """Give where the chunk behind one from `start` to `end` starts; `end` is not the last boundary."""
        overlap = self.overlaps[setting]
        floor = np.maximum(self.used[end] - overlap, self.used[end + 1] - self.sizes[setting])
        back = np.maximum(self.below(floor), start + 1)
        return np.where(overlap > 0, np.minimum(back, end), end)

    def rest(self, start: int, last: int, setting: int) -> list[tuple[int, int]]:
        """Pack what is left of one group, chunk by chunk."""
        used, size, overlap = self.used.data, int(self.sizes[setting]), int(self.overlaps[setting])
        chunks = []
        while True:
            end = max(bisect_right(used, used[start] + size, start, last + 1) - 1, start + 1)
            chunks.append((start, end))
            if end == last:
                return chunks
            if overlap:
                floor = max(used[end] - overlap, used[end + 1] - size)
                start = min(bisect_left(used, floor, start + 1, end + 1), end)
            else:
                start = end


class _Divided(_Boundaries):
    """The same for items that are cut where they are above the size, as places.

    A place is a number of units, and cuts fall evenly, so that the pieces of items need not be in any array: two
    tables tell where the item at each place starts and ends. Items cut beforehand for each size cost 40.1 s of
    processor time instead of 22.5, for 76 sizes over 68 MB of Markdown.
    """

    def __init__(self, settings: Sequence[Items]) -> None:
        super().__init__(settings)
        self.origins = self.lifts
        self.edges = self.used[self.edges[0]], self.used[self.edges[1]]
        lengths, last = np.diff(self.used), self.used[-1:]
        self._item_starts = np.concatenate((np.repeat(self.used[:-1], lengths), last)).astype(np.int32)
        self._item_ends = np.concatenate((np.repeat(self.used[1:], lengths), last)).astype(np.int32)

    def _at_or_before(self, place: IntArray, size: IntArray) -> IntArray:
        found = self._item_starts[place].astype(np.int64)
        inside = place - found
        deep = np.flatnonzero(inside >= size)
        found[deep] += inside[deep] // size[deep] * size[deep]
        return found

    def _behind(self, place: IntArray, size: IntArray) -> IntArray:
        following: IntArray = np.minimum(place + size, self._item_ends[place])
        return following

    def ends(self, start: IntArray, setting: IntArray) -> IntArray:
        """Give the last boundary within the size; each piece fits into it."""
        size = self.sizes[setting]
        return self._at_or_before(np.minimum(start + size, self.used[-1]), size)

    def starts(self, start: IntArray, end: IntArray, setting: IntArray) -> IntArray:
        """Give where the chunk behind one from `start` to `end` starts; `end` is not the last boundary."""
        size, overlap = self.sizes[setting], self.overlaps[setting]
        floor = np.maximum(end - overlap, self._behind(end, size) - size)
        back = self._behind(self._at_or_before(np.maximum(floor - 1, start), size), size)
        return np.minimum(back, end)

    def rest(self, start: int, last: int, setting: int) -> list[tuple[int, int]]:
        """Pack what is left of one group, chunk by chunk."""
        starts, ends = self._item_starts.data, self._item_ends.data
        size, overlap = int(self.sizes[setting]), int(self.overlaps[setting])
        chunks = []
        while True:
            place = min(start + size, last)
            end = starts[place]
            end += (place - end) // size * size
            chunks.append((start, end))
            if end == last:
                return chunks
            if overlap:
                place = max(end - overlap - 1, min(end + size, ends[end]) - size - 1, start)
                piece = starts[place]
                piece += (place - piece) // size * size
                start = min(piece + size, ends[place], end)
            else:
                start = end


def _in_order(
    rounds: Sequence[tuple[IntArray, IntArray, IntArray]],
    n_groups: int,
    rests: Mapping[int, Sequence[tuple[int, int]]],
) -> tuple[IntArray, IntArray]:
    """Sort chunks by group, then round, without sorting: each group has one chunk in each round until it ends.

    Parameters
    ----------
    rounds : sequence of (groups, starts, ends)
    n_groups : int
    rests : mapping
        Further chunks of groups that have one in each round.

    Returns
    -------
    chunks : int64 (m, 2)
    counts : int64 (n_groups,)
    """
    counts = np.zeros(n_groups, dtype=np.int64)
    for owner, _, _ in rounds:
        counts[owner] += 1
    for group, rest in rests.items():
        counts[group] += len(rest)
    before = np.cumsum(counts) - counts
    chunks = np.empty((int(counts.sum()), 2), dtype=np.int64)
    for number, (owner, start, end) in enumerate(rounds):
        place = before[owner] + number
        chunks[place, 0] = start
        chunks[place, 1] = end
    for group, rest in rests.items():
        begin = before[group] + len(rounds)
        chunks[begin : begin + len(rest)] = rest
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
    chunks, _ = _in_order(rounds, len(groups) - 1, {})
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
    _, inner = expand_ranges(low, np.maximum(high, low))
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
