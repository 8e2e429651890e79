"""The lengths of fixed windows, which follow from those of the documents: no cell of a grid need hold them.

All windows of a document are full but the last. A document that is longer than all sizes by some whole steps has the
windows that it has without them, and a full one more for each step. So thousands of lengths of documents come to no
more than there are characters in a size and a step.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from chunkscope.chunkers.windows import window_counts
from chunkscope.measures.ladders import by_step
from chunkscope.measures.lengths import LengthCounts
from chunkscope.spans.intervals import IntArray


@dataclass(frozen=True)
class Folded:
    """Documents with whole steps taken off.

    Attributes
    ----------
    lengths, counts : int64 (n,)
        Lengths that are left, and how many documents have each.
    n_off : int
        Steps taken off all documents.
    """

    lengths: IntArray
    counts: IntArray
    n_off: int


def fold(documents: LengthCounts, size: int, step: int) -> Folded:
    """Take whole steps off documents above a size, as long as they stay above it.

    Examples
    --------
    >>> folded = fold(LengthCounts.of({4: 1, 12: 1, 16: 2}), size=6, step=4)
    >>> folded.lengths.tolist(), folded.counts.tolist(), folded.n_off
    ([4, 8], [1, 3], 5)
    """
    lengths, counts = documents.arrays
    off = np.maximum(lengths - size - 1, 0) // step
    n_off = int((off * counts).sum())
    if n_off:
        folded = np.bincount(lengths - off * step, weights=counts).astype(np.int64)
        lengths = np.flatnonzero(folded)
        counts = folded[lengths]
    return Folded(lengths, counts, n_off)


@dataclass(frozen=True)
class Documents:
    """How long documents are that are not empty, added up once for all cells."""

    lengths: LengthCounts

    @cached_property
    def n(self) -> int:
        """How many there are."""
        return self.lengths.n

    @cached_property
    def characters(self) -> int:
        """Their characters."""
        return self.lengths.total


class LengthsOfWindows(LengthCounts):
    """The lengths of one cell's windows, counted when somebody asks for all of them.

    Parameters
    ----------
    documents : Documents
    size, overlap : int
    n, shortest : int
        How many windows there are, and the shortest.

    Examples
    --------
    >>> documents = LengthCounts.of({4: 1, 12: 1, 16: 2})
    >>> [lengths] = WindowLengths(documents, np.array([6]), np.array([2])).tolist()
    >>> lengths, lengths.n, lengths.total, lengths.shortest, lengths.median
    (LengthCounts({4: 4, 6: 8}), 12, 64, 4, 6)
    """

    __slots__ = ("_documents", "_n", "_overlap", "_shortest", "_size")

    def __init__(self, documents: Documents, size: int, overlap: int, n: int, shortest: int) -> None:
        self._documents = documents
        self._size, self._overlap = size, overlap
        self._n, self._shortest = n, shortest

    @property
    def arrays(self) -> tuple[IntArray, IntArray]:
        """Count full windows and the last of each document."""
        lengths, counts = self._documents.lengths.arrays
        step = self._size - self._overlap
        windows = window_counts(lengths, self._size, self._overlap)
        last = LengthCounts.among(np.repeat(lengths - (windows - 1) * step, counts))
        return (last + LengthCounts.of({self._size: self._n - self._documents.n})).arrays

    @property
    def n(self) -> int:
        """How many windows there are."""
        return self._n

    @property
    def total(self) -> int:
        """Characters of all windows: each but the last of a document repeats the overlap."""
        return self._documents.characters + (self._n - self._documents.n) * self._overlap

    @property
    def shortest(self) -> int:
        """The shortest window."""
        return self._shortest

    @property
    def longest(self) -> int:
        """The longest window."""
        return min(self._size, self._documents.lengths.longest or 0)

    @property
    def median(self) -> float | None:
        """The middle length; where documents have more than two windows on average, more than half are full."""
        return self._size if self._n > 2 * self._documents.n else super().median


@dataclass(frozen=True)
class WindowLengths:
    """The lengths of the windows of many cells; to add them is to add documents.

    Attributes
    ----------
    documents : LengthCounts
        Lengths of documents that are not empty.
    sizes, overlaps : int64 (c,)
    """

    documents: LengthCounts
    sizes: IntArray
    overlaps: IntArray

    def __add__(self, other: WindowLengths) -> WindowLengths:
        return WindowLengths(self.documents + other.documents, self.sizes, self.overlaps)

    def counted(self) -> tuple[IntArray, IntArray]:
        """Give how many windows each cell has, and the shortest."""
        n, shortest = np.zeros((2, len(self.sizes)), dtype=np.int64)
        for places in by_step(self.sizes, self.overlaps) if self.documents else ():
            sizes, overlaps = self.sizes[places, None], self.overlaps[places, None]
            step = int(sizes[0, 0] - overlaps[0, 0])
            folded = fold(self.documents, int(sizes[-1, 0]), step)
            windows = np.maximum(-(-(folded.lengths - sizes) // step), 0) + 1
            n[places] = windows @ folded.counts + folded.n_off
            shortest[places] = (folded.lengths - (windows - 1) * step).min(axis=1)
        return n, shortest

    def tolist(self) -> list[LengthCounts]:
        """Give the lengths of each cell."""
        if not self.documents:
            return [self.documents] * len(self.sizes)
        cells = zip(
            self.sizes.tolist(), self.overlaps.tolist(), *(found.tolist() for found in self.counted()), strict=True
        )
        documents = Documents(self.documents)
        return [LengthsOfWindows(documents, *cell) for cell in cells]
