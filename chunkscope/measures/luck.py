"""Luck: what the same setting splits when the first boundary falls elsewhere.

Where a window begins is an accident: one more character at the top of a document moves every boundary. Phase f is f
units typed at the top, for f from 0 to step - 1. A span that begins s units into the text and is m long is held in
phase f exactly if ``(s + f) mod step <= size - m``: in clamp((size - m + 1) / step, 0, 1) of all phases. A document
that fits in one chunk splits nothing in any phase.

Twin: tests/oracle/luck.py
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
"""Chances of questions that need several spans are rounded to a whole number of these."""


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
        For each question, whether one of its spans is enough.
    """

    starts: IntArray
    lengths: IntArray
    totals: IntArray
    documents: IntArray
    questions: IntArray
    any_is_enough: BoolArray

    @cached_property
    def alone_and_others(self) -> tuple[PhasePositions, PhasePositions]:
        """The spans that are the only one of their question, and the others."""
        alone = np.bincount(self.questions)[self.questions] == 1
        return self._take(alone), self._take(~alone)

    @cached_property
    def by_length(self) -> tuple[IntArray, IntArray]:
        """Lengths of spans in order, and the sums of those before each and of all."""
        lengths = np.sort(self.lengths)
        return lengths, np.concatenate(([0], np.cumsum(lengths)))

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
        """The spans that a question has in one document, together."""
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
        The spans, group by group.
    first, sizes : int64 (g,)
        Place of each group's first span in `order`, and how many it has.
    leader, question : int64 (g,)
        Its first span, and its question.
    several : int64 (s,)
        The groups of more than one span.
    asked : bool (q,)
        The questions that have spans at all.
    """

    order: IntArray
    first: IntArray
    sizes: IntArray
    leader: IntArray
    question: IntArray
    several: IntArray
    asked: BoolArray


def expectations(counted: IntArray, steps: IntArray) -> list[float]:
    """Give expected numbers, which are kept in whole ones, so that sums over documents are exact in any order.

    Parameters
    ----------
    counted : int64 (c, 2)
        For each cell in how many of its phases each span is split, added up; and what is to be added, in 2**-40ths.
    steps : int64 (c,)
        How many phases each cell has.

    Examples
    --------
    >>> third = np.array([[1, 0]])
    >>> expectations(third + third + third, np.array([3]))
    [1.0]
    """
    numbers: list[float] = (counted[:, 0] / steps + counted[:, 1] / FRACTIONS).tolist()
    return numbers


def expected_splits(positions: PhasePositions, sizes: IntArray, overlaps: IntArray) -> tuple[IntArray, IntArray]:
    """Count how many spans, and how many questions, each cell splits on average over the phases.

    Phases are joint inside a document, by exact enumeration, and independent between documents. Twin:
    tests/oracle/luck.py.

    Returns
    -------
    int64 (c, 2), twice
        For `expectations`.

    Examples
    --------
    >>> zeros = np.zeros(2, dtype=np.int64)
    >>> positions = PhasePositions(np.array([0, 9]), np.array([3, 3]), zeros + 40, zeros, zeros, np.array([False]))
    >>> [expectations(found, np.array([4])) for found in expected_splits(positions, np.array([4]), np.array([0]))]
    [[1.0], [0.75]]
    """
    alone, others = positions.alone_and_others
    fractions = np.zeros(len(sizes), dtype=np.int64)
    if len(others.lengths):
        cells = zip(sizes.tolist(), (sizes - overlaps).tolist(), strict=True)
        fractions[:] = [np.rint(_split_chances(others, *cell) * FRACTIONS).sum() for cell in cells]
    spans, single = (split_phases(found, sizes, overlaps) for found in (positions, alone))
    return np.column_stack((spans, np.zeros_like(spans))), np.column_stack((single, fractions))


def split_phases(positions: PhasePositions, sizes: IntArray, overlaps: IntArray) -> IntArray:
    """Add up for each cell in how many of its phases each span is split.

    A span of length m is split in none of the phases up to the overlap + 1, then in one more for each character, and
    above the size in all; where its document fits in one chunk, in none after all.
    """
    lengths, sums = positions.by_length
    first, last = np.searchsorted(lengths, overlaps + 1, side="right"), np.searchsorted(lengths, sizes, side="right")
    sometimes = sums[last] - sums[first] - (last - first) * (overlaps + 1)
    always = (len(lengths) - last) * (sizes - overlaps)
    fits = (positions.totals <= sizes.max()) & (positions.lengths > overlaps.min() + 1)
    excess = np.clip(positions.lengths[fits] - overlaps[:, None] - 1, 0, (sizes - overlaps)[:, None])
    never = np.where(positions.totals[fits] <= sizes[:, None], excess, 0).sum(axis=1)
    found: IntArray = sometimes + always - never
    return found


def _split_chances(positions: PhasePositions, size: int, step: int) -> FloatArray:
    """Give the chance of each question that has spans to be split."""
    held = np.clip((size + 1 - positions.lengths) / step, 0.0, 1.0)
    held[positions.totals <= size] = 1.0
    groups = positions.groups
    # For "all", a group is good if all of it is held; for "any", bad if none of it is.
    enough = positions.any_is_enough[groups.question]
    chance = np.abs(held[groups.leader] - enough)
    # where the document fits in one chunk, all of a group is held, as its first span is
    several = groups.several[positions.totals[groups.leader[groups.several]] > size]
    if several.size:
        chance[several] = _joint(positions, groups, several, size, step)
    product = np.ones(len(positions.any_is_enough))
    np.multiply.at(product, groups.question, chance)
    return np.where(positions.any_is_enough, product, 1.0 - product)[groups.asked]


def _joint(positions: PhasePositions, groups: Groups, several: IntArray, size: int, step: int) -> FloatArray:
    """Enumerate the phases for groups of several spans: the share in which all, or none, are held."""
    first, sizes = groups.first[several], groups.sizes[several]
    chances = np.empty(len(first))
    phases = np.arange(step)
    at_once = max(1, CELLS_AT_ONCE // step)
    begin = 0
    while begin < len(first):
        end = max(begin + 1, int(np.searchsorted(np.cumsum(sizes[begin:]), at_once)) + begin)
        counts = sizes[begin:end]
        within = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
        spans = groups.order[np.repeat(first[begin:end], counts) + within]
        offsets = (positions.starts[spans, None] + phases) % step
        held = offsets <= size - positions.lengths[spans, None]
        any_is_enough = positions.any_is_enough[positions.questions[spans], None]
        good = np.logical_and.reduceat(held ^ any_is_enough, np.cumsum(counts) - counts, axis=0)
        chances[begin:end] = good.mean(axis=1)
        begin = end
    return chances
