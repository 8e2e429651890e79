"""Luck: what the same setting splits when the first boundary falls elsewhere.

Where a window begins is an accident: one more character at the top of a document moves every boundary. Phase f is f
units typed at the top, for f from 0 to step - 1. A span that begins s units into the text and is m long is held in
phase f exactly if ``(s + f) mod step <= size - m``: in clamp((size - m + 1) / step, 0, 1) of all phases. A document
that fits in one chunk splits nothing in any phase.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from chunkscope.spans.intervals import BoolArray, IntArray

FloatArray = NDArray[np.float64]

CELLS_AT_ONCE = 1 << 22
"""Entries x phases that are enumerated at a time, to bound memory."""
FRACTIONS = 1 << 40
"""Chances of questions that need several entries are rounded to a whole number of these."""


@dataclass(frozen=True)
class PhasePositions:
    """Evidence as windows see it, in the windows' unit.

    Attributes
    ----------
    starts, lengths : int64 (e,)
    totals : int64 (e,)
        How long the document of each is.
    documents, questions : int64 (e,)
        The document each lies in, and the question that needs it.
    any_is_enough : bool (q,)
        For each question, whether one of its entries is enough.
    """

    starts: IntArray
    lengths: IntArray
    totals: IntArray
    documents: IntArray
    questions: IntArray
    any_is_enough: BoolArray

    @cached_property
    def parted(self) -> tuple[PhasePositions, PhasePositions]:
        """The entries that are the only one of their question, and the others."""
        alone = np.bincount(self.questions)[self.questions] == 1
        return self._take(alone), self._take(~alone)

    @cached_property
    def by_length(self) -> tuple[IntArray, IntArray]:
        """Lengths of entries in order, and how long the document of each is."""
        order = np.argsort(self.lengths)
        return self.lengths[order], self.totals[order]

    def _take(self, chosen: BoolArray) -> PhasePositions:
        return PhasePositions(
            self.starts[chosen],
            self.lengths[chosen],
            self.totals[chosen],
            self.documents[chosen],
            self.questions[chosen],
            self.any_is_enough,
        )

    @cached_property
    def groups(self) -> Groups:
        """The entries that a question has in one document, together."""
        order = np.lexsort((self.documents, self.questions))
        questions, documents = self.questions[order], self.documents[order]
        new = np.ones(len(order), dtype=np.bool_)
        new[1:] = (questions[1:] != questions[:-1]) | (documents[1:] != documents[:-1])
        first = np.flatnonzero(new)
        sizes = np.diff(np.append(first, len(order)))
        asked = np.zeros(len(self.any_is_enough), dtype=np.bool_)
        asked[questions] = True
        return Groups(order, first, sizes, order[first], questions[first], np.flatnonzero(sizes > 1), asked)


@dataclass(frozen=True)
class Groups:
    """Entries by question and document.

    Attributes
    ----------
    order : int64 (e,)
        The entries, group by group.
    first, sizes : int64 (g,)
        Place of each group's first entry in `order`, and how many it has.
    leader, question : int64 (g,)
        Its first entry, and its question.
    several : int64 (s,)
        The groups of more than one entry.
    asked : bool (q,)
        The questions that have entries at all.
    """

    order: IntArray
    first: IntArray
    sizes: IntArray
    leader: IntArray
    question: IntArray
    several: IntArray
    asked: BoolArray


@dataclass(frozen=True)
class Chances:
    """Expected numbers of many cells, kept in whole numbers: their sums are exact, in any order.

    Attributes
    ----------
    phases, steps : int64 (c,)
        In how many phases each entry is split, added up; there are `steps` phases.
    fractions : int64 (c,)
        What is to be added to ``phases / steps``, in 2**-40ths.

    Examples
    --------
    >>> third = Chances(np.array([1]), np.array([3]), np.array([0]))
    >>> (third + third + third).tolist()
    [1.0]
    """

    phases: IntArray
    steps: IntArray
    fractions: IntArray

    def __add__(self, other: Chances) -> Chances:
        return Chances(self.phases + other.phases, self.steps, self.fractions + other.fractions)

    def tolist(self) -> list[float]:
        """Give the numbers."""
        numbers: list[float] = (self.phases / self.steps + self.fractions / FRACTIONS).tolist()
        return numbers


def expected_splits(places: PhasePositions, sizes: IntArray, steps: IntArray) -> tuple[Chances, Chances]:
    """Give how many entries, and how many questions, each cell splits on average over the phases.

    Phases are joint inside a document, by exact enumeration, and independent between documents.

    Examples
    --------
    >>> zeros = np.zeros(2, dtype=np.int64)
    >>> places = PhasePositions(np.array([0, 9]), np.array([3, 3]), zeros + 40, zeros, zeros, np.array([False]))
    >>> [expected.tolist() for expected in expected_splits(places, np.array([4]), np.array([4]))]
    [[1.0], [0.75]]
    """
    alone, others = places.parted
    fractions = np.zeros(len(sizes), dtype=np.int64)
    if len(others.lengths):
        cells = zip(sizes.tolist(), steps.tolist(), strict=True)
        fractions[:] = [np.rint(_split_chances(others, *cell) * FRACTIONS).sum() for cell in cells]
    questions = Chances(split_phases(alone, sizes, steps), steps, fractions)
    return Chances(split_phases(places, sizes, steps), steps, np.zeros_like(fractions)), questions


def split_phases(places: PhasePositions, sizes: IntArray, steps: IntArray) -> IntArray:
    """Add up for each cell in how many of its phases each entry is split.

    Sorted by length, entries are first held in all phases, then in one less for each character, then in none.
    """
    found = np.empty(len(sizes), dtype=np.int64)
    lengths, totals = places.by_length
    for size in np.unique(sizes).tolist():
        cells = sizes == size
        some = lengths[totals > size]
        before = np.concatenate(([0], np.cumsum(some)))
        first, last = (
            np.searchsorted(some, size + 1 - steps[cells], side="right"),
            np.searchsorted(some, size, side="right"),
        )
        held = first * steps[cells] + (last - first) * (size + 1) - (before[last] - before[first])
        found[cells] = len(some) * steps[cells] - held
    return found


def _split_chances(places: PhasePositions, size: int, step: int) -> FloatArray:
    """Give the chance of each question that has entries to be split."""
    held = np.clip((size + 1 - places.lengths) / step, 0.0, 1.0)
    held[places.totals <= size] = 1.0
    groups = places.groups
    # For "all", a group is good if all of it is held; for "any", bad if none of it is.
    enough = places.any_is_enough[groups.question]
    chance = np.abs(held[groups.leader] - enough)
    # where the document fits in one chunk, all of a group is held, as its first entry is
    several = groups.several[places.totals[groups.leader[groups.several]] > size]
    if several.size:
        chance[several] = _joint(places, groups, several, size, step)
    product = np.ones(len(places.any_is_enough))
    np.multiply.at(product, groups.question, chance)
    return np.where(places.any_is_enough, product, 1.0 - product)[groups.asked]


def _joint(places: PhasePositions, groups: Groups, several: IntArray, size: int, step: int) -> FloatArray:
    """Enumerate the phases for groups of several entries: the share in which all, or none, are held."""
    first, sizes = groups.first[several], groups.sizes[several]
    chances = np.empty(len(first))
    phases = np.arange(step)
    at_once = max(1, CELLS_AT_ONCE // step)
    begin = 0
    while begin < len(first):
        end = max(begin + 1, int(np.searchsorted(np.cumsum(sizes[begin:]), at_once)) + begin)
        counts = sizes[begin:end]
        within = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
        entries = groups.order[np.repeat(first[begin:end], counts) + within]
        offsets = (places.starts[entries, None] + phases) % step
        held = offsets <= size - places.lengths[entries, None]
        any_is_enough = places.any_is_enough[places.questions[entries], None]
        good = np.logical_and.reduceat(held ^ any_is_enough, np.cumsum(counts) - counts, axis=0)
        chances[begin:end] = good.mean(axis=1)
        begin = end
    return chances
