"""Cells that are counted together: for each target the least size that holds it answers for all of them.

Windows of one step begin at the same places, whatever their size. So a target is held from that size on which reaches
from the start of the last window before it to its end: ``start mod step + length``. A grid of 751 sizes and 100
overlaps has 62,525 cells, but 800 steps: targets are looked up once a step, and a cell costs what counting costs
(counted one by one, 8,105 cells took 7.8 s instead of 3.1). Packed chunks have no such order; there each cell is
looked at by itself, and the least size is its own, or none.

Twin: tests/oracle/spans.py
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chunkscope.chunkers.base import LARGEST_SIZE, Chunker
from chunkscope.chunkers.chunk_set import ChunkSet, WindowChunks, chunk_set, span_chunks
from chunkscope.chunkers.pieces import Pieces
from chunkscope.chunkers.windows import Windows, last_starts, windows_within
from chunkscope.spans.intervals import IntArray
from chunkscope.spans.layout import Layout, Targets

Sizes = NDArray[np.integer]

NEVER = 1 << 62
"""The least size of what no size of a cell holds."""
MOST_AT_ONCE = 64
"""Cells that are counted together at most, to bound memory."""


class LeastSizes(NamedTuple):
    """For each target the size from which on one chunk, two that touch, or all together hold it."""

    whole: Sizes
    by_two: Sizes
    covered: Sizes


class Cells(ABC):
    """Cells of one chunker, by size: whatever one of them holds, those behind it hold too.

    Attributes
    ----------
    layout : Layout
    chunker : Chunker
        Without a size.
    sizes, overlaps : int64 (c,)
        Sizes never fall. Whole sections have the largest size there is.
    """

    def __init__(self, layout: Layout, chunker: Chunker, sizes: IntArray, overlaps: IntArray) -> None:
        self.layout = layout
        self.chunker = chunker
        self.sizes = sizes
        self.overlaps = overlaps

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def pieces(self) -> Pieces | None:
        """The texts that a splitter gave, where chunks are such; then there is one cell."""
        return None

    @abstractmethod
    def __iter__(self) -> Iterator[ChunkSet]:
        """Give the chunks of each cell."""

    @abstractmethod
    def least_sizes(self, targets: Targets) -> Sizes:
        """Give for each target the size from which on some chunk holds it whole."""

    @abstractmethod
    def all_least_sizes(self, targets: Targets) -> LeastSizes:
        """Give also from which size on two chunks that touch, and all chunks together, hold each target."""

    @abstractmethod
    def count(self, least: Sizes) -> IntArray:
        """Count for each cell the least sizes that it has reached."""


class OneCell(Cells):
    """A single cell, of chunks of any kind."""

    def __init__(self, chunks: ChunkSet, overlap: int = 0, size: int | None = None) -> None:
        sizes = np.array([size or LARGEST_SIZE], dtype=np.int64)
        super().__init__(chunks.layout, chunks.chunker, sizes, np.array([overlap], dtype=np.int64))
        self._chunks = chunks

    @property
    def pieces(self) -> Pieces | None:
        """Those of the chunks."""
        return self._chunks.pieces

    def __iter__(self) -> Iterator[ChunkSet]:
        yield self._chunks

    def count(self, least: Sizes) -> IntArray:
        """Count those that the one size has reached, whatever its unit."""
        return np.array([np.count_nonzero(least <= self.sizes[0])])

    def least_sizes(self, targets: Targets) -> Sizes:
        """Look targets up."""
        return np.where(self._chunks.contains(targets), 0, NEVER)

    def all_least_sizes(self, targets: Targets) -> LeastSizes:
        """Look targets up, and those that are split in two chunks and in all together too."""
        split = ~self._chunks.contains(targets)
        broken = targets.take(split)
        by_two, covered = np.zeros((2, len(split)), dtype=np.int64)
        by_two[split] = np.where(self._chunks.reach_of_two(broken) < broken.spans[:, 1], NEVER, 0)
        covered[split] = np.where(self._chunks.covered(broken), 0, NEVER)
        return LeastSizes(np.where(split, NEVER, 0), by_two, covered)


class WindowCells(Cells):
    """Fixed windows of characters, of one step and several sizes.

    Examples
    --------
    >>> from chunkscope import FixedChunker
    >>> layout = Layout.of(["a"], [20])
    >>> cells = WindowCells(layout, FixedChunker(), np.array([4, 6]), np.array([1, 3]))
    >>> least = cells.least_sizes(Targets.of(np.array([[2, 6], [3, 8], [3, 11]]), layout))
    >>> least.tolist(), cells.count(least).tolist()
    ([6, 5, 8], [0, 2])
    """

    def __init__(
        self, layout: Layout, chunker: Chunker, sizes: IntArray, overlaps: IntArray, *, keep_tail: bool = False
    ) -> None:
        super().__init__(layout, chunker, sizes, overlaps)
        # as in `WindowChunks`, what is wider than all documents is as good as the widest
        self.step = min(int(sizes[0] - overlaps[0]), layout.longest)
        self.keep_tail = keep_tail
        self.windows = [Windows(*pair, keep_tail) for pair in zip(sizes.tolist(), overlaps.tolist(), strict=True)]

    def __iter__(self) -> Iterator[ChunkSet]:
        return (WindowChunks(self.layout, self.chunker, windows) for windows in self.windows)

    def count(self, least: Sizes) -> IntArray:
        """Count them for all sizes at once; sizes above all documents are alike."""
        sizes = np.minimum(self.sizes, self.layout.longest)
        low, high = int(sizes[0]), int(sizes[-1])
        if len(self) == 1:
            return np.array([np.count_nonzero(least <= low)])
        found = np.bincount(np.clip(least, low, high + 1) - low, minlength=high - low + 2)
        reached: IntArray = np.cumsum(found)[sizes - low]
        return reached

    def least_sizes(self, targets: Targets) -> Sizes:
        """Compute the size that reaches from the last window that starts no later than a target to its end."""
        least: Sizes = targets.ends - last_starts(targets, self.step)
        return least

    def n_within(self, runs: Targets) -> IntArray:
        """Count the windows of each cell inside one of some disjoint spans."""
        sizes = np.minimum(self.sizes, self.layout.longest)[:, None]
        counts: IntArray = windows_within(runs, sizes, self.step, keep_tail=self.keep_tail).sum(axis=1)
        return counts

    def all_least_sizes(self, targets: Targets) -> LeastSizes:
        """Compute them; the next window begins a step later, and windows leave no character out."""
        whole = self.least_sizes(targets)
        return LeastSizes(whole, whole - self.step, np.zeros_like(whole))


def grouped_cells(
    layout: Layout, chunker: Chunker, sizes: IntArray | None, overlaps: IntArray, boundaries: Any
) -> Iterator[tuple[IntArray, Cells]]:
    """Group the cells of one chunker into such as can be counted together.

    Parameters
    ----------
    layout : Layout
    chunker : Chunker
        Without a size.
    sizes, overlaps : int64 (c,)
        A cell each; no sizes: one cell, the chunker as it is.
    boundaries : object
        Those of all documents.

    Yields
    ------
    places : int64 (g,)
        Where the cells of the group stand among all.
    cells : Cells
    """
    if sizes is None:
        yield np.zeros(1, dtype=np.int64), OneCell(chunk_set(layout, chunker, boundaries))
        return
    windows = chunker.at(int(sizes[0]), int(overlaps[0])).windows
    if windows is not None:
        for places in by_step(sizes, overlaps):
            cells = WindowCells(layout, chunker, sizes[places], overlaps[places], keep_tail=windows.keep_tail)
            yield places, cells
        return
    pairs: Sequence[tuple[int, int]] = list(zip(sizes.tolist(), overlaps.tolist(), strict=True))
    cut = chunker.chunks_of([chunker.at(*pair) for pair in pairs], boundaries)
    for place, ((size, overlap), chunking) in enumerate(zip(pairs, cut, strict=True)):
        chunks = span_chunks(layout, chunker, chunking, size, boundaries)
        yield np.array([place]), OneCell(chunks, overlap, size)


def by_step(sizes: IntArray, overlaps: IntArray) -> list[IntArray]:
    """Give the places of cells that have one step, in order of size, at most `MOST_AT_ONCE` together.

    Examples
    --------
    >>> [places.tolist() for places in by_step(np.array([9, 5, 6]), np.array([4, 0, 0]))]
    [[1, 0], [2]]
    """
    steps = sizes - overlaps
    order = np.lexsort((sizes, steps))
    runs = np.split(order, np.flatnonzero(np.diff(steps[order])) + 1)
    return [run[start : start + MOST_AT_ONCE] for run in runs for start in range(0, len(run), MOST_AT_ONCE)]
