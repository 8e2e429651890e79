"""The chunks themselves: how many, how long, blank, above the size, broken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from chunkscope.chunkers.base import Chunker
from chunkscope.chunkers.carrying import Carriable, carried_spans, find_carriable, join_carriable
from chunkscope.chunkers.chunk_set import ChunkSet
from chunkscope.chunkers.windows import windows_within
from chunkscope.measures.columns import Column, columns_of
from chunkscope.measures.ladders import WindowGrid
from chunkscope.measures.lengths import LengthCounts
from chunkscope.measures.window_lengths import WindowLengths
from chunkscope.spans.intervals import IntArray, SpanArray
from chunkscope.spans.layout import LONGEST_DOCUMENT, Layout, Targets
from chunkscope.structure.analysis import Parts

PAIRS_AT_ONCE = 1 << 20
"""Cells x blank runs that are counted at a time, to bound memory."""


class ShapeMeasure:
    """Counts chunks and their lengths, with what they carry.

    Parameters
    ----------
    chunkers : sequence of Chunker
        Those of the sweep: what none of them carries is not looked for.
    least : int
        No chunk but a document's last is shorter than so many characters, so that shorter blank runs need not be kept.
    """

    def __init__(self, chunkers: Sequence[Chunker], least: int = 1) -> None:
        self.carries = {what for chunker in chunkers for what in chunker.carry}
        self.least = least

    def observe(self, parts: Parts) -> tuple[SpanArray, Carriable | None]:
        """Take the blank runs, and what chunks can carry."""
        runs = parts.blank_runs
        runs = runs[(runs[:, 1] - runs[:, 0] >= self.least) | (runs[:, 1] == parts.length)]
        if not self.carries:
            return runs, None
        return runs, find_carriable(parts, self.carries)

    def prepare(self, observed: Sequence[tuple[SpanArray, Carriable | None]], layout: Layout) -> ShapeGauge:
        """Lay what was taken from the documents one behind the other."""
        carriable = [found for _, found in observed if found is not None]
        joined = join_carriable(carriable, layout) if self.carries else None
        return ShapeGauge(Targets.joined([runs for runs, _ in observed], layout), joined)


@dataclass(frozen=True)
class ShapeGauge:
    """Blank runs and carriable spans of all documents."""

    blank_runs: Targets
    carriable: Carriable | None

    def count(self, chunks: ChunkSet) -> dict[str, Any]:
        """Count chunks and lengths."""
        return {
            "chunks": chunks.n_chunks,
            "blank_chunks": chunks.within(self.blank_runs),
            "oversize_chunks": chunks.n_oversize,
            "broken_chunks": chunks.n_broken,
            "lengths": self._lengths(chunks),
        }

    def count_windows(self, windows: WindowGrid) -> dict[str, Column]:
        """Count windows and lengths from those of documents, where windows carry nothing and tile their document."""
        way = windows.chunkers[0]
        if way.carry or way.tail == "keep":
            return columns_of([self.count(chunks) for chunks in windows])
        found = windows.constants({"oversize_chunks": 0, "broken_chunks": 0})
        documents = windows.layout.lengths
        lengths = WindowLengths(LengthCounts.among(documents[documents > 0]), windows.sizes, windows.overlaps)
        found["blank_chunks"] = self._blank_windows(windows)
        return {**found, "chunks": lengths.counted()[0], "lengths": lengths}

    def _blank_windows(self, windows: WindowGrid) -> IntArray:
        """Count blank windows. Each is longer than the overlap, but for a whole document: few runs are long enough."""
        counts = np.zeros(len(windows.chunkers), dtype=np.int64)
        runs, lengths = self._runs_by_length
        n_longer = len(runs) - np.searchsorted(lengths, windows.overlaps, side="right")
        for n in np.unique(n_longer[n_longer > 0]).tolist():
            cells, some = np.flatnonzero(n_longer == n), runs.take(slice(-n, None))
            for block in np.array_split(cells, 1 + len(cells) * n // PAIRS_AT_ONCE):
                sizes, overlaps = windows.sizes[block, None], windows.overlaps[block, None]
                counts[block] = windows_within(some, sizes, sizes - overlaps).sum(axis=1)
        return counts

    @cached_property
    def _runs_by_length(self) -> tuple[Targets, IntArray]:
        """The blank runs, longest last, with their lengths; a run that is a whole document is longer than any."""
        runs = self.blank_runs
        lengths = np.where(runs.ends - runs.starts == runs.lengths, LONGEST_DOCUMENT, runs.ends - runs.starts)
        order = np.argsort(lengths)
        return runs.take(order), lengths[order]

    def _lengths(self, chunks: ChunkSet) -> LengthCounts:
        if self.carriable is None or not chunks.chunker.carry:
            return LengthCounts(*chunks.length_counts())
        spans = chunks.spans
        whole = spans[:, 1] - spans[:, 0] + carried_characters(self.carriable, chunks)
        lengths, counts = np.unique(whole, return_counts=True)
        return LengthCounts(lengths, counts)


def carried_characters(carriable: Carriable, chunks: ChunkSet) -> IntArray:
    """Give how many characters each chunk carries."""
    owners, spans = carried_spans(carriable, chunks.chunker, chunks.spans, chunks.layout)
    weights = spans[:, 1] - spans[:, 0]
    return np.bincount(owners, weights=weights, minlength=len(chunks.spans)).astype(np.int64)
