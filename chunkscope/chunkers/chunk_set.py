"""Chunks of all documents at once, and the one question about them: which targets do they hold whole?

Documents are laid one behind the other, so that one array of spans serves a whole corpus. No chunk and no target
leaves its document. `SpanChunks` answers by binary search; `WindowChunks`, fixed windows in characters, by
arithmetic, and builds spans only for those who ask.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from chunkscope.chunkers import Chunker, FixedChunker
from chunkscope.chunkers.base import Chunking
from chunkscope.chunkers.windows import window_counts, windows_within
from chunkscope.spans.intervals import BoolArray, IntArray, SpanArray, covered, last_starting
from chunkscope.spans.layout import Layout, Targets


class ChunkSet(ABC):
    """The chunks of one cell over all documents.

    Attributes
    ----------
    layout : Layout
    chunker : Chunker
    """

    def __init__(self, layout: Layout, chunker: Chunker) -> None:
        self.layout = layout
        self.chunker = chunker

    n_broken = 0
    n_oversize = 0
    n_ends_inside = 0

    @property
    @abstractmethod
    def n_chunks(self) -> int:
        """How many chunks there are, windows without a whole character included."""

    @property
    @abstractmethod
    def spans(self) -> SpanArray:
        """The chunks that hold a whole character; neither starts nor ends ever fall."""

    @property
    @abstractmethod
    def cut_offsets(self) -> IntArray:
        """Where chunks end, other than at the end of their document or inside a character."""

    @abstractmethod
    def reach(self, targets: Targets) -> IntArray:
        """Give the end of the last chunk that starts no later than each target, -1 where none does.

        Ends never fall, so of the chunks that start early enough this one reaches farthest.
        """

    @abstractmethod
    def reach_of_two(self, targets: Targets) -> IntArray:
        """Give how far that chunk and the next reach together, as far as they touch."""

    @abstractmethod
    def covered(self, targets: Targets) -> BoolArray:
        """Tell which targets have each of their characters in some chunk."""

    @abstractmethod
    def length_counts(self) -> tuple[IntArray, IntArray]:
        """Give the lengths of chunks in characters, without what they prepend, and how many have each."""

    @abstractmethod
    def within(self, runs: Targets) -> int:
        """Count the chunks that lie inside one of some disjoint, increasing spans."""

    def contains(self, targets: Targets) -> BoolArray:
        """Tell which targets some chunk holds whole."""
        return np.asarray(self.reach(targets) >= targets.spans[:, 1])


class SpanChunks(ChunkSet):
    """Chunks as an array of spans.

    Examples
    --------
    >>> from chunkscope import FixedChunker
    >>> layout = Layout.of(["a"], [10])
    >>> chunks = SpanChunks(layout, FixedChunker(5), Chunking(np.array([[0, 5], [5, 10]]), np.array([5, 5])))
    >>> chunks.contains(Targets.of(np.array([[3, 5], [4, 6]]), layout)).tolist()
    [True, False]
    """

    def __init__(self, layout: Layout, chunker: Chunker, cut: Chunking) -> None:
        super().__init__(layout, chunker)
        self._cut = cut
        self.n_broken = cut.n_broken
        self.n_ends_inside = cut.n_ends_inside
        if chunker.size is not None:
            self.n_oversize = int((cut.sizes > chunker.size).sum())

    @property
    def n_chunks(self) -> int:
        """How many chunks there are, windows without a whole character included."""
        return len(self._cut.spans) + self._cut.n_spanless

    @property
    def spans(self) -> SpanArray:
        """The chunks that hold a whole character."""
        return self._cut.spans

    @property
    def cut_offsets(self) -> IntArray:
        """Where chunks end, other than at the end of their document or inside a character."""
        if self._cut.other_ends is not None:
            return self._cut.other_ends
        ends = self.spans[:, 1]
        return ends[~self.layout.is_edge[ends]]

    def reach(self, targets: Targets) -> IntArray:
        """Look the last chunk up that starts no later than each target."""
        return self._reaches(targets)[0]

    def reach_of_two(self, targets: Targets) -> IntArray:
        """Look that chunk and the next up."""
        reach, last = self._reaches(targets)
        if not len(self.spans):
            return reach
        following = np.minimum(last + 1, len(self.spans) - 1)
        touch = (last >= 0) & (self.spans[following, 0] <= reach)
        return np.where(touch, np.maximum(reach, self.spans[following, 1]), reach)

    def _reaches(self, targets: Targets) -> tuple[IntArray, IntArray]:
        last = last_starting(self.spans, targets.spans)
        if not len(self.spans):
            return last, last
        return np.where(last >= 0, self.spans[last, 1], -1), last

    def covered(self, targets: Targets) -> BoolArray:
        """Look targets up in the union of the chunks."""
        return covered(self.spans, targets.spans)

    def length_counts(self) -> tuple[IntArray, IntArray]:
        """Count the lengths that occur."""
        counts = np.bincount(self.spans[:, 1] - self.spans[:, 0])
        lengths = np.flatnonzero(counts)
        return lengths, counts[lengths]

    def within(self, runs: Targets) -> int:
        """Look the runs up among the chunks, or the chunks among the runs, whichever are fewer."""
        if len(runs) < len(self.spans):
            # Neither starts nor ends fall, so the chunks inside a run are those from one index to another.
            first = np.searchsorted(self.spans[:, 0], runs.spans[:, 0], side="left")
            behind = np.searchsorted(self.spans[:, 1], runs.spans[:, 1], side="right")
            return int(np.maximum(behind - first, 0).sum())
        if not len(runs):
            return 0
        last = np.searchsorted(runs.spans[:, 0], self.spans[:, 0], side="right") - 1
        return int(((last >= 0) & (runs.spans[last, 1] >= self.spans[:, 1])).sum())


class WindowChunks(ChunkSet):
    """Fixed windows in characters, as arithmetic on documents.

    Examples
    --------
    >>> from chunkscope import FixedChunker
    >>> layout = Layout.of(["a", "b"], [10, 4])
    >>> chunks = WindowChunks(layout, FixedChunker(5, 2))
    >>> chunks.n_chunks, chunks.contains(Targets.of(np.array([[3, 8], [4, 9], [10, 14]]), layout)).tolist()
    (4, [True, False, True])
    """

    chunker: FixedChunker

    def __init__(self, layout: Layout, chunker: FixedChunker) -> None:
        super().__init__(layout, chunker)
        size = chunker.required_size()
        # what is wider than all documents is as good as the widest: no number outgrows int32, no array the text
        self._size, self._step = min(size, layout.longest), min(size - chunker.overlap, layout.longest)

    @cached_property
    def _counts(self) -> IntArray:
        return self._count(self.layout.lengths)

    def _count(self, lengths: IntArray) -> IntArray:
        chunker = self.chunker
        return window_counts(lengths, chunker.required_size(), chunker.overlap, keep_tail=chunker.tail == "keep")

    @cached_property
    def n_chunks(self) -> int:
        """How many windows there are."""
        return int(self._counts.sum())

    @cached_property
    def spans(self) -> SpanArray:
        """The windows, built because somebody asked."""
        number, document = self._numbered(self._counts)
        starts = self.layout.edges[document] + number * self._step
        return np.column_stack((starts, np.minimum(starts + self._size, self.layout.edges[document + 1])))

    @property
    def cut_offsets(self) -> IntArray:
        """Where windows end before the end of their document."""
        inner = window_counts(self.layout.lengths, self.chunker.required_size(), self.chunker.overlap) - 1
        number, document = self._numbered(np.maximum(inner, 0))
        return self.layout.edges[document] + number * self._step + self._size

    def _numbered(self, counts: IntArray) -> tuple[IntArray, IntArray]:
        document = np.repeat(np.arange(len(counts)), counts)
        return np.arange(len(document)) - np.repeat(np.cumsum(counts) - counts, counts), document

    def contains(self, targets: Targets) -> BoolArray:
        """Compute whether the window that starts last before each target still holds its end.

        Where that window is one that was never made, because one before it reached the end of the document, the
        one before holds the target; and the arithmetic says so too.
        """
        return targets.ends - targets.starts // self._step * self._step <= self._size

    def reach(self, targets: Targets) -> IntArray:
        """Compute the end of the last window that starts no later than each target."""
        reach: IntArray = np.minimum(self._last_start(targets) + self._size, targets.bases + targets.lengths)
        return reach

    def reach_of_two(self, targets: Targets) -> IntArray:
        """Compute the end of the window behind that one; it always touches it."""
        start = self._last_start(targets) + self._step
        reach: IntArray = np.minimum(start + self._size, targets.bases + targets.lengths)
        return reach

    def _last_start(self, targets: Targets) -> IntArray:
        number = (targets.spans[:, 0] - targets.bases) // self._step
        number = np.minimum(number, self._count(targets.lengths) - 1)
        start: IntArray = targets.bases + number * self._step
        return start

    def covered(self, targets: Targets) -> BoolArray:
        """Windows leave no character out."""
        return np.ones(len(targets), dtype=np.bool_)

    def length_counts(self) -> tuple[IntArray, IntArray]:
        """Count full windows and the shorter ones at the ends of documents."""
        lengths = self.layout.lengths
        full = np.where(lengths >= self._size, (lengths - self._size) // self._step + 1, 0)
        short = self._counts - full
        found = np.zeros(self._size + 1, dtype=np.int64)
        found[self._size] = full.sum()
        # Without kept tails a document has one short window at the most, so this loop runs once.
        for number in range(int(short.max(initial=0))):
            some = short > number
            rest = lengths[some] - (full[some] + number) * self._step
            found += np.bincount(rest, minlength=self._size + 1)
        present = np.flatnonzero(found)
        return present, found[present]

    def within(self, runs: Targets) -> int:
        """Count by arithmetic the windows inside each run; only long runs, or those at an end, can hold one."""
        return int(windows_within(runs, self._size, self._step, keep_tail=self.chunker.tail == "keep").sum())


def chunk_sets(layout: Layout, chunkers: Sequence[Chunker], boundaries: Any) -> Iterator[ChunkSet]:
    """Give the chunks over all documents of one way of cutting at several sizes, as arithmetic where that is enough."""
    way = chunkers[0]
    if isinstance(way, FixedChunker) and way.unit == "char":
        for cell in chunkers:
            if isinstance(cell, FixedChunker):
                yield WindowChunks(layout, cell)
        return
    for cell, cut in zip(chunkers, way.chunks_of(chunkers, boundaries), strict=True):
        yield SpanChunks(layout, cell, cut)


def chunk_set(layout: Layout, chunker: Chunker, boundaries: Any) -> ChunkSet:
    """Give the chunks of one chunker over all documents."""
    return next(chunk_sets(layout, [chunker], boundaries))
