"""Greedy packing: the one loop behind every chunker that fills chunks with whole items.

Items (sentences, words, token steps, sections) tile a text. They are given by their boundaries: ``used[b]`` is how
many units begin before boundary ``b``. A group is a run of items that no chunk leaves: a document, or a section.
All groups of a corpus at all settings advance together, a chunk a round; where the boundaries are is looked up in one
table for all of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, cast

import numpy as np

from chunkscope.spans.intervals import IntArray, expand_ranges

FEW_GROUPS = 32
"""When so few are left, plain numbers are cheaper than arrays."""

UNITS_A_BOUNDARY = 64
"""Up to so many units a boundary, a table with an entry for each unit is cheaper than searches."""

NONE = np.empty(0, dtype=np.int64)


def kind_for(largest: int) -> type[np.int64]:
    """Give int32 where two numbers up to the largest add up within it: arrays half as wide are read faster.

    Type checkers see int64.
    """
    return cast(type[np.int64], np.int32) if largest < 1 << 30 else np.int64


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
    together = _together(settings)
    used, first, last = together.used, together.first, together.last
    if settings[0].divisible:
        way: _Way = _Divided(used, together.sizes, together.overlaps)
        chunks, counts = _advance(way, used[first], used[last])
    else:
        chunks, counts = pack_groups(used, first, last, together.sizes, together.overlaps)
    origins = together.lifts if settings[0].divisible else together.offsets
    bounds = np.cumsum(np.concatenate(([0], counts)))[np.cumsum([0, *(len(items.groups) - 1 for items in settings)])]
    chunks = chunks.astype(np.int64, copy=False)
    return [chunks[low:high] - origin for low, high, origin in zip(bounds[:-1], bounds[1:], origins, strict=True)]


def pack_groups(
    used: IntArray, first: IntArray, last: IntArray, sizes: IntArray, overlaps: IntArray, *, fitting: bool = False
) -> tuple[IntArray, IntArray]:
    """Pack groups of items, each at a size and an overlap of its own.

    Parameters
    ----------
    used : int64 (b,)
        As in `Items`.
    first, last : int64 (g,)
        The boundaries at which groups start and end; those without items have no chunks.
    sizes, overlaps : int64 (g,)
    fitting : bool
        No item is above the size of its group.

    Returns
    -------
    chunks : int32 or int64 (m, 2)
        First and last boundary of each chunk, group by group.
    counts : int64 (g,)
        How many each group has.

    Examples
    --------
    >>> groups = (np.array(column) for column in ([0, 3], [2, 4], [9, 5], [0, 0]))
    >>> [found.tolist() for found in pack_groups(np.array([0, 5, 9, 12, 15]), *groups)]
    [[[0, 2], [3, 4]], [1, 1]]
    """
    way = _Whole(used, sizes, overlaps, fitting=fitting)
    return _advance(way, first.astype(way.used.dtype, copy=False), last.astype(way.used.dtype, copy=False))


def _advance(way: _Way, first: IntArray, last: IntArray) -> tuple[IntArray, IntArray]:
    """Let all groups advance together, a chunk a round.

    What goes on is taken by its indices: boolean masks take six times as long where about half goes on.
    """
    rounds: list[tuple[IntArray, IntArray, IntArray]] = []
    owner = np.flatnonzero(first < last)
    start = first[owner]
    while len(owner) > FEW_GROUPS:
        bound = last.take(owner)
        end = np.minimum(way.ends(start, owner), bound)
        rounds.append((owner, start, end))
        going = (end < bound).nonzero()[0]
        owner, start, end = owner.take(going), start.take(going), end.take(going)
        start = way.starts(start, end, owner)
    rests = {
        group: way.rest(begin, int(last[group]), group)
        for group, begin in zip(owner.tolist(), start.tolist(), strict=True)
    }
    return _in_order(rounds, len(first), rests)


class _Together(NamedTuple):
    """The boundaries of all settings in one array, and each group with its setting.

    Settings that pack the same array share it; the others lie behind it, lifted so that they never fall.

    Attributes
    ----------
    used : int64 (b,)
    first, last, sizes, overlaps : int64 (g,)
        Of each group.
    offsets, lifts : sequence of int
        What is to be taken off again for each setting: off indices, and off places.
    """

    used: IntArray
    first: IntArray
    last: IntArray
    sizes: IntArray
    overlaps: IntArray
    offsets: Sequence[int]
    lifts: Sequence[int]


def _together(settings: Sequence[Items]) -> _Together:
    arrays = {id(items.used): items.used for items in settings}
    places: dict[int, tuple[int, int]] = {}
    lifted: list[IntArray] = []
    offset = lift = 0
    for key, used in arrays.items():
        places[key] = offset, lift
        lifted.append(used + lift)
        offset, lift = offset + len(used), int(lifted[-1][-1])
    offsets, lifts = zip(*(places[id(items.used)] for items in settings), strict=True)
    groups = [items.groups + offset for items, offset in zip(settings, offsets, strict=True)]
    n_groups = [len(found) - 1 for found in groups]
    return _Together(
        np.concatenate(lifted),
        np.concatenate([found[:-1] for found in groups]),
        np.concatenate([found[1:] for found in groups]),
        np.repeat([items.size for items in settings], n_groups),
        np.repeat([items.overlap for items in settings], n_groups),
        offsets,
        lifts,
    )


class _Way(ABC):
    """Where the chunks of groups end and start."""

    def __init__(self, used: IntArray, sizes: IntArray, overlaps: IntArray) -> None:
        self.used = used
        self.sizes = sizes
        self.overlaps = overlaps

    @abstractmethod
    def ends(self, start: IntArray, owner: IntArray) -> IntArray:
        """Give where the chunks of some groups end that start there."""

    @abstractmethod
    def starts(self, start: IntArray, end: IntArray, owner: IntArray) -> IntArray:
        """Give where the chunk behind one from `start` to `end` starts; `end` is not the end of the group."""

    @abstractmethod
    def rest(self, start: int, last: int, group: int) -> list[tuple[int, int]]:
        """Pack what is left of one group, chunk by chunk."""


class _Whole(_Way):
    """Where chunks of whole items end and start, as indices of boundaries."""

    def __init__(self, used: IntArray, sizes: IntArray, overlaps: IntArray, *, fitting: bool = False) -> None:
        kind = kind_for(int(used[-1]))
        super().__init__(*(np.minimum(column, used[-1]).astype(kind) for column in (used, sizes, overlaps)))
        self._fitting = fitting
        self._overlapping = bool(overlaps.any())
        self._rising = bool((used[1:] > used[:-1]).all())
        self._back, self._room = self.overlaps + 1, self.sizes + 1  # the overlap starts behind what is too far back
        self._last: IntArray | None = None
        if used[-1] < UNITS_A_BOUNDARY * len(used):
            is_boundary = np.zeros(int(used[-1]) + 1, dtype=np.bool_)
            is_boundary[used[1:]] = True
            # adding up truth takes a sixth of the time that adding up int64 takes
            self._last = np.cumsum(is_boundary if self._rising else np.bincount(used[1:]), dtype=kind)

    def _at(self, units: IntArray) -> IntArray:
        """Give the last boundary with at most so many units before it."""
        if self._last is None:
            return np.searchsorted(self.used, units, side="right").astype(self.used.dtype) - 1
        return self._last.take(units, mode="clip")

    def ends(self, start: IntArray, owner: IntArray) -> IntArray:
        """Give the last boundary within the size, at least the one behind `start`."""
        end = self._at(self.used.take(start) + self.sizes.take(owner))
        return end if self._fitting else np.maximum(end, start + 1)

    def starts(self, start: IntArray, end: IntArray, owner: IntArray) -> IntArray:
        """Give where the chunk behind one from `start` to `end` starts; `end` is not the last boundary."""
        if not self._overlapping:
            return end
        floor = self.used.take(end) - self._back.take(owner)
        back = self._at(np.maximum(floor, self.used[1:].take(end) - self._room.take(owner))) + 1
        if not self._fitting:
            back = np.minimum(back, end)
        return back if self._rising else np.where(self.overlaps[owner] > 0, back, end)

    def rest(self, start: int, last: int, group: int) -> list[tuple[int, int]]:
        """Pack what is left of one group, chunk by chunk."""
        used, size, overlap = self.used.data, int(self.sizes[group]), int(self.overlaps[group])
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


class _Divided(_Way):
    """The same for items that are cut where they are above the size, as places.

    A place is a number of units, and cuts fall evenly, so that the pieces of items need not be in any array: two
    tables tell where the item at each place starts and ends. Items cut beforehand for each size cost 40.1 s of
    processor time instead of 22.5, for 76 sizes over 68 MB of Markdown.
    """

    def __init__(self, used: IntArray, sizes: IntArray, overlaps: IntArray) -> None:
        super().__init__(used, sizes, overlaps)
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

    def ends(self, start: IntArray, owner: IntArray) -> IntArray:
        """Give the last boundary within the size; each piece fits into it."""
        size = self.sizes[owner]
        return self._at_or_before(np.minimum(start + size, self.used[-1]), size)

    def starts(self, start: IntArray, end: IntArray, owner: IntArray) -> IntArray:
        """Give where the chunk behind one from `start` to `end` starts; `end` is not the last boundary."""
        size, overlap = self.sizes[owner], self.overlaps[owner]
        floor = np.maximum(end - overlap, self._behind(end, size) - size)
        back = self._behind(self._at_or_before(np.maximum(floor - 1, start), size), size)
        return np.minimum(back, end)

    def rest(self, start: int, last: int, group: int) -> list[tuple[int, int]]:
        """Pack what is left of one group, chunk by chunk."""
        starts, ends = self._item_starts.data, self._item_ends.data
        size, overlap = int(self.sizes[group]), int(self.overlaps[group])
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
    chunks : (m, 2), of the kind of the rounds
    counts : int64 (n_groups,)
    """
    columns = zip(*(rounds or [(NONE, NONE, NONE)]), strict=True)
    owners, starts, ends = (np.concatenate(column) for column in columns)
    counts = np.bincount(owners, minlength=n_groups)
    for group, rest in rests.items():
        counts[group] += len(rest)
    before = np.cumsum(counts) - counts
    chunks = np.empty((2, int(counts.sum())), dtype=starts.dtype).T
    places = before.take(owners) + np.repeat(np.arange(len(rounds)), [len(owner) for owner, _, _ in rounds])
    chunks[:, 0][places] = starts
    chunks[:, 1][places] = ends
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
