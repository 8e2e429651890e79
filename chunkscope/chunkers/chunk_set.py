"""Chunks of all documents at once, and the one question about them: which targets do they hold whole?

Documents are laid one behind the other, so that one array of spans serves a whole corpus. No chunk and no target
leaves its document. `SpanChunks` answers by binary search; `WindowChunks`, fixed windows in characters, by
arithmetic, and builds spans only for those who ask.

Twin: tests/oracle/spans.py
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import Any

import numpy as np

from chunkscope.chunkers.base import NONE_TORN, Chunker, Chunking
from chunkscope.chunkers.pieces import Pieces
from chunkscope.chunkers.windows import Windows, last_starts, windows_within
from chunkscope.spans.intervals import BoolArray, IntArray, SpanArray, covered, expand, last_starting, within
from chunkscope.spans.layout import Layout, Targets
from chunkscope.structure.units import get_unit


class ChunkSet(ABC):
    """The chunks of one cell over all documents.

    Attributes
    ----------
    layout : Layout
    chunker : Chunker
        Its settings; its size may be left out.
    """

    def __init__(self, layout: Layout, chunker: Chunker) -> None:
        self.layout = layout
        self.chunker = chunker

    torn = NONE_TORN
    n_ends_inside = 0
    n_rewritten: int | None = None

    @property
    def n_oversize(self) -> int:
        """How many chunks are above the size."""
        return 0

    @property
    def n_broken(self) -> int:
        """How many windows begin or end inside a character."""
        return len(self.torn)

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
    def sizes(self) -> IntArray:
        """What the body of each weighs in the chunker's unit."""

    @property
    @abstractmethod
    def cut_offsets(self) -> IntArray:
        """Where chunks end, other than at the end of their document or inside a character."""

    @abstractmethod
    def at(self, size: int) -> ChunkSet:
        """Give the chunks of the same chunker at another size, without overlap."""

    @property
    def pieces(self) -> Pieces | None:
        """The texts that a splitter gave, where chunks are such."""
        return None

    @property
    def bodies(self) -> SpanArray:
        """The body of each chunk by its number; those of pieces may lie anywhere, and be empty."""
        return self.spans

    @property
    def numbers(self) -> IntArray:
        """The number of each chunk in its document, from 0: int64 (n,)."""
        documents = self.layout.documents_of(self.spans[:, 0])
        firsts = np.searchsorted(documents, np.arange(len(self.layout.names)))
        return np.arange(len(documents)) - firsts[documents]

    def is_blank(self, runs: SpanArray) -> BoolArray:
        """Tell which chunks have no visible text, by the blank runs of all documents."""
        return within(runs, self.bodies)

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

    def __init__(
        self, layout: Layout, chunker: Chunker, cut: Chunking, size: int | None = None, boundaries: Any = None
    ) -> None:
        super().__init__(layout, chunker)
        self._cut = cut
        self._boundaries = boundaries
        self.torn = cut.torn
        self.n_ends_inside = cut.n_ends_inside
        self.n_rewritten = cut.n_rewritten
        size = size or chunker.size
        self._size = size

    @cached_property
    def _tiles(self) -> SpanArray:
        tiles = self._cut.tiles
        if tiles is None:
            return self._cut.spans
        return tiles() if callable(tiles) else tiles

    @cached_property
    def n_oversize(self) -> int:
        """How many are above the size, where what the size counts is known."""
        if self._size is None or self.chunker.shown_unit != self.chunker.unit:
            return 0
        return int((self.sizes > self._size).sum())

    @property
    def n_chunks(self) -> int:
        """How many chunks there are, windows without a whole character included."""
        return len(self._cut.spans) + self._cut.n_spanless

    @property
    def spans(self) -> SpanArray:
        """The chunks that hold a whole character."""
        return self._cut.spans

    @property
    def numbers(self) -> IntArray:
        """Their numbers; a window without a whole character has one too."""
        return super().numbers if self._cut.windows is None else self._cut.windows

    @property
    def sizes(self) -> IntArray:
        """What the body of each weighs in the chunker's unit."""
        return self._cut.sizes

    @property
    def cut_offsets(self) -> IntArray:
        """Where chunks end, other than at the end of their document or inside a character."""
        if self._cut.other_ends is not None:
            return self._cut.other_ends
        ends = self._tiles[:, 1]
        return ends[~self.layout.is_edge[ends]]

    def at(self, size: int) -> ChunkSet:
        """Cut at the same boundaries; they must have been given."""
        return chunk_set(self.layout, self.chunker.unsized.at(size), self._boundaries)

    def reach(self, targets: Targets) -> IntArray:
        """Look the last chunk up that starts no later than each target."""
        return self._reaches(targets)[0]

    def reach_of_two(self, targets: Targets) -> IntArray:
        """Look that chunk and the next up."""
        reach, last = self._reaches(targets)
        if not len(self.spans):
            return reach
        following = np.minimum(last + 1, len(self.spans) - 1)
        starts = self.spans[following, 0]
        # white space may be stripped up to the end of a document, where a chunk of the next starts
        touch = (last >= 0) & (starts <= self._tiles[last, 1]) & (starts < targets.bases + targets.lengths)
        return np.where(touch, np.maximum(reach, self.spans[following, 1]), reach)

    def _reaches(self, targets: Targets) -> tuple[IntArray, IntArray]:
        last = last_starting(self.spans, targets.spans)
        if not len(self.spans):
            return last, last
        return np.where(last >= 0, self.spans[last, 1], -1), last

    def covered(self, targets: Targets) -> BoolArray:
        """Look targets up in the union of the chunks."""
        return covered(self._tiles, targets.spans)

    def within(self, runs: Targets) -> int:
        """Look those up among the runs that start in one; most start in none, which a table tells."""
        found = self.spans[runs.has.take(self.spans[:, 0], mode="clip").nonzero()[0]]
        last = np.searchsorted(runs.spans[:, 0], found[:, 0], side="right") - 1
        return int((runs.spans[last, 1] >= found[:, 1]).sum())


class PieceChunks(SpanChunks):
    """Texts that a splitter gave: judged by the spans of the outermost, counted and ranked each by its own text.

    Examples
    --------
    >>> from chunkscope import FixedChunker
    >>> pieces = Pieces(["abcde", "bc"], np.array([[0, 5], [1, 3]]), np.arange(2), np.array([0, 0]))
    >>> cut = Chunking(pieces.spans[pieces.outermost], pieces.lengths[pieces.outermost], pieces=pieces)
    >>> chunks = PieceChunks(Layout.of(["a"], [10]), FixedChunker(4), cut)
    >>> chunks.n_chunks, chunks.spans.tolist(), chunks.bodies.tolist(), chunks.n_oversize
    (2, [[0, 5]], [[0, 5], [1, 3]], 1)
    """

    def __init__(
        self, layout: Layout, chunker: Chunker, cut: Chunking, size: int | None = None, boundaries: Any = None
    ) -> None:
        super().__init__(layout, chunker, cut, size, boundaries)
        assert cut.pieces is not None
        self._pieces = cut.pieces

    @property
    def pieces(self) -> Pieces:
        """All of them."""
        return self._pieces

    @property
    def bodies(self) -> SpanArray:
        """Where each lies."""
        return self._pieces.spans

    @property
    def numbers(self) -> IntArray:
        """Their numbers, in the order in which they were given."""
        return self._pieces.numbers

    @property
    def n_chunks(self) -> int:
        """How many there are, those inside others and those found nowhere included."""
        return len(self._pieces.texts)

    @property
    def n_broken(self) -> int:
        """How many have a character that was torn: a replacement character that their document has not."""
        return self._pieces.n_broken

    @cached_property
    def sizes(self) -> IntArray:
        """What the text of each weighs, measured by itself."""
        return piece_weights(self._pieces, self.chunker.unit)

    def is_blank(self, runs: SpanArray) -> BoolArray:
        """Tell which have no visible text of their own."""
        return self._pieces.is_blank

    def within(self, runs: Targets) -> int:
        """Count those without visible text; `runs` are blank."""
        return int(self._pieces.is_blank.sum())


def piece_weights(pieces: Pieces, unit: str) -> IntArray:
    """Measure the text of each piece by itself: int64 (p,)."""
    if unit == "char":
        return pieces.lengths
    return np.array([found.total for found in get_unit(unit).measure_all(pieces.texts)], dtype=np.int64)


def span_chunks(
    layout: Layout, chunker: Chunker, cut: Chunking, size: int | None = None, boundaries: Any = None
) -> SpanChunks:
    """Give what was cut as chunks."""
    kind = SpanChunks if cut.pieces is None else PieceChunks
    return kind(layout, chunker, cut, size, boundaries)


class WindowChunks(ChunkSet):
    """Fixed windows of characters, as arithmetic on documents.

    Examples
    --------
    >>> from chunkscope import FixedChunker
    >>> layout = Layout.of(["a", "b"], [10, 4])
    >>> chunks = WindowChunks(layout, FixedChunker(), Windows(5, 2))
    >>> chunks.n_chunks, chunks.contains(Targets.of(np.array([[3, 8], [4, 9], [10, 14]]), layout)).tolist()
    (4, [True, False, True])
    """

    def __init__(self, layout: Layout, chunker: Chunker, windows: Windows) -> None:
        super().__init__(layout, chunker)
        self.windows = windows
        # what is wider than all documents is as good as the widest: no number outgrows int32, no array the text
        self._size, self._step = min(windows.size, layout.longest), min(windows.step, layout.longest)

    @cached_property
    def n_chunks(self) -> int:
        """How many windows there are."""
        return int(self.windows.counts(self.layout.lengths).sum())

    @cached_property
    def spans(self) -> SpanArray:
        """The windows, built because somebody asked."""
        laid = self.windows.lay(self.layout.lengths)
        return np.column_stack((laid.begins, laid.ends)) + self.layout.edges[laid.texts, None]

    @property
    def sizes(self) -> IntArray:
        """The characters of each window."""
        return self.spans[:, 1] - self.spans[:, 0]

    @property
    def cut_offsets(self) -> IntArray:
        """Where windows end before the end of their document."""
        tiled = Windows(self.windows.size, self.windows.overlap)
        documents, numbers = expand(np.maximum(tiled.counts(self.layout.lengths) - 1, 0))
        return self.layout.edges[documents] + numbers * self._step + self._size

    def at(self, size: int) -> ChunkSet:
        """Lay wider or narrower windows."""
        return WindowChunks(self.layout, self.chunker, Windows(size, 0, self.windows.keep_tail))

    def reach(self, targets: Targets) -> IntArray:
        """Compute the end of the last window that starts no later than each target."""
        return self._end(targets, self._size)

    def reach_of_two(self, targets: Targets) -> IntArray:
        """Compute the end of the window behind that one; it always touches it."""
        return self._end(targets, self._step + self._size)

    def _end(self, targets: Targets, behind: int) -> IntArray:
        """Give where it is so far behind that window's start, or the end of the document."""
        within: IntArray = np.minimum(last_starts(targets, self._step).astype(np.int64) + behind, targets.lengths)
        return targets.bases + within

    def covered(self, targets: Targets) -> BoolArray:
        """Windows leave no character out."""
        return np.ones(len(targets), dtype=np.bool_)

    def within(self, runs: Targets) -> int:
        """Count by arithmetic the windows inside each run."""
        return int(windows_within(runs, self._size, self._step, keep_tail=self.windows.keep_tail).sum())


def chunk_set(layout: Layout, chunker: Chunker, boundaries: Any) -> ChunkSet:
    """Give the chunks of one chunker over all documents, as arithmetic where that is enough.

    Parameters
    ----------
    layout : Layout
    chunker : Chunker
        With its size.
    boundaries : object
        Those of all documents, as `chunker.join` gives them.
    """
    windows = chunker.windows
    if windows is not None:
        return WindowChunks(layout, chunker, windows)
    return span_chunks(layout, chunker, chunker.chunks(boundaries), boundaries=boundaries)
