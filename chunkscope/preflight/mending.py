"""What would mend a cut: the nearest size without it, and the overlap that rules it out."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from chunkscope.chunkers import Chunker, FixedChunker
from chunkscope.chunkers.segments import Segments, TokenStream
from chunkscope.containment import Layout, Targets, chunk_set
from chunkscope.grid import Overlap
from chunkscope.preflight.model import Mend
from chunkscope.spans import IntArray

FARTHEST = 4
"""Sizes are tried up to so many times the present one."""
NEAR_TRIALS = 20
"""So many sizes are tried on either side where only cutting anew can tell."""


@dataclass(frozen=True)
class Mending:
    """The present setting, and what is needed to try others.

    Attributes
    ----------
    chunker : Chunker
    overlap : Overlap or None
        The overlap as it was written: a share goes with the size. None: the chunker's own width.
    layout : Layout
    segments : object
        Boundaries of all documents, of the chunker's family.
    """

    chunker: Chunker
    overlap: Overlap | None
    layout: Layout
    segments: object

    def __call__(self, targets: Targets, is_row: bool = False) -> list[Mend]:
        """Give for each target what keeps it whole."""
        lengths = self._lengths(targets)
        sizes = self._sizes(targets)
        return [
            Mend(size, self._guaranteed(length), length) for size, length in zip(sizes, lengths.tolist(), strict=True)
        ]

    def at(self, size: int) -> Chunker | None:
        """Give the same way of cutting at another size; None where the overlap does not allow it."""
        width = self.chunker.overlap if self.overlap is None else self.overlap.at(size)
        return dataclasses.replace(self.chunker, size=size, overlap=width) if width < size else None

    def _lengths(self, targets: Targets) -> IntArray:
        starts, ends = targets.spans[:, 0], targets.spans[:, 1]
        lengths: IntArray
        if isinstance(self.segments, TokenStream):
            # a window holds a text if it holds every token that has a byte of it
            first = np.searchsorted(self.segments.first_whole, starts, side="right") - 1
            lengths = np.searchsorted(self.segments.last_whole, ends, side="left") - first
        elif self.chunker.unit != "char" and isinstance(self.segments, Segments):
            # what begins before a place inside a unit is what begins before the next boundary
            at = np.concatenate((self.segments.positions, self.segments.steps))
            used = np.concatenate((self.segments.used, self.segments.used_at_steps))
            order = np.argsort(at, kind="stable")
            at, used = at[order], used[order]
            lengths = used[np.searchsorted(at, ends)] - used[np.searchsorted(at, starts)]
        else:
            lengths = ends - starts
        return lengths

    def _guaranteed(self, length: int) -> int | None:
        """Windows of one step that share m - 1 leave no place for a cut through m; packed chunks promise less."""
        windows = isinstance(self.chunker, FixedChunker) and self.chunker.unit == "char"
        if not (windows or isinstance(self.segments, TokenStream)):
            return None
        if self.chunker.size is None or length > self.chunker.size:
            return None
        return length - 1

    def _sizes(self, targets: Targets) -> Sequence[int | None]:
        if self.chunker.size is None:
            return [None] * len(targets)
        if isinstance(self.chunker, FixedChunker) and self.chunker.unit == "char":
            return self._window_sizes(targets, self.chunker.size)
        return self._tried_sizes(targets, self.chunker.size)

    def _window_sizes(self, targets: Targets, size: int) -> list[int | None]:
        """Windows are arithmetic: every size is looked at, up to one that holds the whole document."""
        found: list[int | None] = []
        starts, ends = targets.spans[:, 0] - targets.bases, targets.spans[:, 1] - targets.bases
        known: dict[int, tuple[IntArray, IntArray]] = {}
        for start, end, length in zip(starts.tolist(), ends.tolist(), targets.lengths.tolist(), strict=True):
            last = min(length, max(FARTHEST * size, 2 * (end - start)))
            if last not in known:
                known[last] = self._grid(last)
            sizes, steps = known[last]
            held = (start // steps * steps + sizes >= end) & (sizes >= end - start)
            good = sizes[held]
            nearest = int(good[np.lexsort((-good, np.abs(good - size)))[0]]) if len(good) else None
            found.append(nearest if nearest is not None else length if self.at(length) else None)
        return found

    def _grid(self, last: int) -> tuple[IntArray, IntArray]:
        sizes = np.arange(1, last + 1, dtype=np.int64)
        if self.overlap is None:
            widths = np.full(len(sizes), self.chunker.overlap, dtype=np.int64)
        else:
            widths = np.array([self.overlap.at(size) for size in sizes.tolist()], dtype=np.int64)
        kept = widths < sizes
        return sizes[kept], (sizes - widths)[kept]

    def _tried_sizes(self, targets: Targets, size: int) -> list[int | None]:
        found: list[int | None] = [None] * len(targets)
        missing = np.arange(len(targets))
        for trial in _trials(size):
            chunker = self.at(trial)
            if chunker is None or not len(missing):
                continue
            held = chunk_set(self.layout, chunker, self.segments).contains(targets.take(missing))
            for number in missing[held].tolist():
                found[number] = trial
            missing = missing[~held]
        return found


def _trials(size: int) -> Iterator[int]:
    """Give sizes to try, the nearest first and of two equally near the larger.

    Examples
    --------
    >>> list(_trials(100))[:6], list(_trials(100))[-4:]
    ([105, 95, 110, 90, 115, 85], [200, 250, 300, 400])
    """
    step = max(1, size // 20)
    for away in range(1, NEAR_TRIALS + 1):
        yield size + away * step
        if size > away * step:
            yield size - away * step
    yield from (size * 5 // 2, size * 3, size * FARTHEST)
