"""The chunks themselves: how many, how long, blank, above the size, broken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from chunkscope.chunkers.base import Chunker
from chunkscope.chunkers.chunk_set import ChunkSet
from chunkscope.chunkers.prepending import Prependable, find_prependable, join_prependable, prepended_spans
from chunkscope.chunkers.windows import windows_within
from chunkscope.measures.columns import Column, columns_of
from chunkscope.measures.ladders import WindowGrid
from chunkscope.measures.lengths import LengthCounts
from chunkscope.measures.window_lengths import WindowLengths
from chunkscope.spans.intervals import IntArray, SpanArray
from chunkscope.spans.layout import LONGEST_DOCUMENT, Layout, Targets
from chunkscope.structure.analysis import DocumentAnalysis

PAIRS_AT_ONCE = 1 << 20
"""Cells x blank runs that are counted at a time, to bound memory."""


class ShapeMeasure:
    """Counts chunks and their lengths, with what they prepend.

    Parameters
    ----------
    chunkers : sequence of Chunker
        Those of the sweep: what none of them prepends is not looked for.
    least : int
        No chunk but a document's last is shorter than so many characters, so that shorter blank runs need not be kept.
    """

    def __init__(self, chunkers: Sequence[Chunker], least: int = 1) -> None:
        self.prepends = {what for chunker in chunkers for what in chunker.prepend}
        self.least = least

    def collect(self, analysis: DocumentAnalysis) -> tuple[SpanArray, Prependable | None]:
        """Take the blank runs, and what chunks can prepend."""
        runs = analysis.blank_runs
        runs = runs[(runs[:, 1] - runs[:, 0] >= self.least) | (runs[:, 1] == analysis.length)]
        if not self.prepends:
            return runs, None
        return runs, find_prependable(analysis, self.prepends)

    def bind(self, collected: Sequence[tuple[SpanArray, Prependable | None]], layout: Layout) -> BoundShape:
        """Lay what was taken from the documents one behind the other."""
        prependable = [found for _, found in collected if found is not None]
        joined = join_prependable(prependable, layout) if self.prepends else None
        return BoundShape(Targets.joined([runs for runs, _ in collected], layout), joined)


@dataclass(frozen=True)
class BoundShape:
    """Blank runs and prependable spans of all documents."""

    blank_runs: Targets
    prependable: Prependable | None

    def count(self, chunks: ChunkSet) -> dict[str, Any]:
        """Count chunks and lengths."""
        return {
            "chunks": chunks.n_chunks,
            "blank_chunks": chunks.within(self.blank_runs),
            "oversize_chunks": chunks.n_oversize,
            "broken_chunks": chunks.n_broken,
            "lengths": self._lengths(chunks),
        }

    def count_grid(self, windows: WindowGrid) -> dict[str, Column]:
        """Count windows and lengths from those of documents, where windows prepend nothing and tile their document."""
        way = windows.chunkers[0]
        if way.prepend or way.tail == "keep":
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
        if self.prependable is None or not chunks.chunker.prepend:
            return LengthCounts(*chunks.length_counts())
        spans = chunks.spans
        whole = spans[:, 1] - spans[:, 0] + prepended_characters(self.prependable, chunks)
        lengths, counts = np.unique(whole, return_counts=True)
        return LengthCounts(lengths, counts)


def prepended_characters(prependable: Prependable, chunks: ChunkSet) -> IntArray:
    """Give how many characters each chunk prepends."""
    owners, spans = prepended_spans(prependable, chunks.chunker, chunks.spans, chunks.layout)
    weights = spans[:, 1] - spans[:, 0]
    return np.bincount(owners, weights=weights, minlength=len(chunks.spans)).astype(np.int64)
