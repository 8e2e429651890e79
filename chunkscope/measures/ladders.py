"""Cells in an order in which each holds all that those before it hold: one number a target answers for all of them.

Windows of one step begin at the same places, whatever their size. So a target is held from that size on which reaches
from the start of the last window before it to its end: ``start mod step + length``. A grid of 751 sizes and 100
overlaps has 62,525 cells, but 800 steps: targets are looked up once a step, and a cell costs what counting costs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chunkscope.chunkers import Chunker, FixedChunker
from chunkscope.chunkers.chunk_set import ChunkSet, WindowChunks
from chunkscope.spans.intervals import IntArray
from chunkscope.spans.layout import Layout, Targets

Heights = NDArray[np.integer]

MOST_RUNGS = 64
"""Cells that are counted at a time, to bound memory."""


class Lookup(NamedTuple):
    """For each target the height from which on it is held by one chunk, by two that touch, or by all together."""

    whole: Heights
    by_two: Heights
    covered: Heights


class Ladder(ABC):
    """Cells as rungs. A target has a height: every rung that is no lower holds it.

    Attributes
    ----------
    way : Chunker
        One of the cells; they differ in size and overlap alone.
    rungs : int64 (r,)
        Heights of the cells; they never fall.
    """

    way: Chunker
    rungs: IntArray

    @abstractmethod
    def whole(self, targets: Targets) -> Heights:
        """Give the height from which on some chunk holds each target whole."""

    @abstractmethod
    def look_up(self, targets: Targets) -> Lookup:
        """Give all heights of targets."""

    @abstractmethod
    def fitting(self, lengths: IntArray) -> Heights:
        """Give the height from which on each length is no more than the size."""

    def count(self, heights: Heights) -> IntArray:
        """Count for each rung the heights that it reaches."""
        if len(self.rungs) == 1:
            return np.array([np.count_nonzero(heights <= self.rungs[0])])
        low, high = int(self.rungs[0]), int(self.rungs[-1])
        found = np.bincount(np.clip(heights, low, high + 1) - low, minlength=high - low + 2)
        return np.cumsum(found)[self.rungs - low]


class OneCell(Ladder):
    """A ladder of one rung, for chunks of any kind: 0 is what they hold, 1 what they do not."""

    def __init__(self, chunks: ChunkSet) -> None:
        self.chunks = chunks
        self.way = chunks.chunker
        self.rungs = np.zeros(1, dtype=np.int64)

    def whole(self, targets: Targets) -> Heights:
        """Look targets up."""
        return (~self.chunks.contains(targets)).astype(np.int64)

    def look_up(self, targets: Targets) -> Lookup:
        """Look targets up, those that are split in two chunks and in all together too."""
        split = ~self.chunks.contains(targets)
        broken = targets.take(split)
        by_two, covered = np.zeros((2, len(split)), dtype=np.int64)
        by_two[split] = self.chunks.reach_of_two(broken) < broken.spans[:, 1]
        covered[split] = ~self.chunks.covered(broken)
        return Lookup(split.astype(np.int64), by_two, covered)

    def fitting(self, lengths: IntArray) -> Heights:
        """Compare lengths with the size; whole sections have none."""
        size = self.way.size
        return np.zeros_like(lengths) if size is None else (lengths > size).astype(np.int64)


class WindowLadder(Ladder):
    """Fixed windows in characters of one step and several sizes; the sizes are the heights.

    Examples
    --------
    >>> layout = Layout.of(["a"], [20])
    >>> ladder = WindowLadder(layout, [FixedChunker(4, 1), FixedChunker(6, 3)])
    >>> heights = ladder.whole(Targets.of(np.array([[2, 6], [3, 8], [3, 11]]), layout))
    >>> heights.tolist(), ladder.count(heights).tolist()
    ([6, 5, 8], [0, 2])
    """

    def __init__(self, layout: Layout, chunkers: Sequence[FixedChunker]) -> None:
        # as in `WindowChunks`, what is wider than all documents is as good as the widest
        self.way = chunkers[0]
        sizes = [chunker.required_size() for chunker in chunkers]
        self.rungs = np.minimum(np.array(sizes, dtype=np.int64), layout.longest)
        self.step = min(sizes[0] - chunkers[0].overlap, layout.longest)

    def whole(self, targets: Targets) -> Heights:
        """Compute the size that reaches from the last window that starts no later than a target to its end."""
        heights: Heights = targets.ends - targets.starts // self.step * self.step
        return heights

    def look_up(self, targets: Targets) -> Lookup:
        """Compute the heights; the next window begins a step later, and windows leave no character out."""
        whole = self.whole(targets)
        return Lookup(whole, whole - self.step, np.zeros_like(whole))

    def fitting(self, lengths: IntArray) -> Heights:
        """Sizes are the heights, and so are lengths."""
        return lengths


class WindowGrid:
    """The cells of a grid of fixed windows in characters.

    Attributes
    ----------
    layout : Layout
    chunkers : sequence of FixedChunker
        All of one way of cutting.
    ladders : list of (places, WindowLadder)
        The same cells by step and size, with their places in `chunkers`.
    """

    def __init__(self, layout: Layout, chunkers: Sequence[FixedChunker]) -> None:
        self.layout = layout
        self.chunkers = chunkers
        self.sizes = np.array([chunker.required_size() for chunker in chunkers], dtype=np.int64)
        self.overlaps = np.array([chunker.overlap for chunker in chunkers], dtype=np.int64)
        self.ladders = [
            (places, WindowLadder(layout, [chunkers[place] for place in places.tolist()]))
            for places in by_step(self.sizes, self.overlaps)
        ]

    @classmethod
    def of(cls, layout: Layout, chunkers: Sequence[Chunker]) -> WindowGrid | None:
        """Make it of the cells of one way of cutting, if that is fixed windows in characters."""
        windows = [chunker for chunker in chunkers if isinstance(chunker, FixedChunker) and chunker.unit == "char"]
        return cls(layout, windows) if windows else None

    def __iter__(self) -> Iterator[WindowChunks]:
        return (WindowChunks(self.layout, chunker) for chunker in self.chunkers)

    def constants(self, values: Mapping[str, int]) -> dict[str, IntArray]:
        """Give columns of what is the same in all cells."""
        return {name: np.full(len(self.chunkers), value, dtype=np.int64) for name, value in values.items()}

    def count(self, count: Callable[[WindowLadder], Mapping[str, NDArray[Any]]]) -> dict[str, NDArray[Any]]:
        """Count ladder by ladder, and put what was counted in the order of the cells."""
        columns: dict[str, NDArray[Any]] = {}
        for places, ladder in self.ladders:
            for name, values in count(ladder).items():
                columns.setdefault(name, np.empty(len(self.chunkers), dtype=values.dtype))[places] = values
        return columns


def by_step(sizes: IntArray, overlaps: IntArray) -> list[IntArray]:
    """Give the places of cells that have one step, in order of size, at most `MOST_RUNGS` at a time.

    Examples
    --------
    >>> [places.tolist() for places in by_step(np.array([9, 5, 6]), np.array([4, 0, 0]))]
    [[1, 0], [2]]
    """
    steps = sizes - overlaps
    order = np.lexsort((sizes, steps))
    behind = np.flatnonzero(np.diff(steps[order])) + 1
    runs = np.split(order, behind)
    return [run[start : start + MOST_RUNGS] for run in runs for start in range(0, len(run), MOST_RUNGS)]
