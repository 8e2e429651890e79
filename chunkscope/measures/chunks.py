"""The chunks themselves: how many, how long, blank, above the size, broken.

Twin: tests/oracle/cells.py
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from chunkscope.chunkers.base import Chunker
from chunkscope.chunkers.cells import Cells, WindowCells
from chunkscope.chunkers.chunk_set import ChunkSet
from chunkscope.chunkers.index_text import CHARACTERS, IndexTexts
from chunkscope.chunkers.pieces import PIECE_KINDS
from chunkscope.chunkers.prepending import Prependable, find_prependable, join_prependable
from chunkscope.measures.base import Column, alike, each_cell
from chunkscope.measures.lengths import DocumentLengths, LengthCounts
from chunkscope.spans.intervals import IntArray, SpanArray
from chunkscope.spans.layout import Layout, Targets
from chunkscope.structure.analysis import DocumentAnalysis


class ChunkMeasure:
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
        return runs, find_prependable(analysis, self.prepends) if self.prepends else None

    def bind(self, collected: Sequence[tuple[SpanArray, Prependable | None]], layout: Layout) -> BoundChunks:
        """Lay what was collected from the documents one behind the other."""
        prependable = [found for _, found in collected if found is not None]
        joined = join_prependable(prependable, layout) if self.prepends else None
        documents = LengthCounts.among(layout.lengths[layout.lengths > 0])
        return BoundChunks(
            Targets.joined([runs for runs, _ in collected], layout),
            joined,
            DocumentLengths(documents.lengths, documents.counts),
        )


@dataclass(frozen=True)
class BoundChunks:
    """Blank runs, prependable spans and lengths of all documents."""

    blank_runs: Targets
    prependable: Prependable | None
    documents: DocumentLengths

    def count(self, cells: Cells) -> dict[str, Column]:
        """Count chunks and lengths; those of windows follow from the documents, where they prepend nothing."""
        if isinstance(cells, WindowCells) and not cells.chunker.prepend and not cells.keep_tail:
            return self._count_windows(cells)
        return each_cell(cells, self._count)

    def _count(self, chunks: ChunkSet) -> dict[str, Any]:
        weights = IndexTexts.of(chunks, self.prependable).weights(CHARACTERS)
        counts = {
            "chunks": chunks.n_chunks,
            "blank_chunks": chunks.within(self.blank_runs),
            "oversize_chunks": chunks.n_oversize,
            "broken_chunks": chunks.n_broken,
            "lengths": LengthCounts.among(weights.total),
        }
        if chunks.n_rewritten is not None:
            counts["pieces"] = _counted_pieces(chunks, chunks.n_rewritten)
        if chunks.pieces is None:
            return counts
        return {**counts, "pieces": chunks.pieces.counted(), "failures": chunks.pieces.failures}

    def _count_windows(self, cells: WindowCells) -> dict[str, Column]:
        found: dict[str, Column] = {
            "chunks": _n_windows(self.documents, cells),
            "blank_chunks": self._blank_windows(cells),
            "lengths": self.documents,
        }
        return {**alike(cells, {"oversize_chunks": 0, "broken_chunks": 0}), **found}

    def _blank_windows(self, cells: WindowCells) -> IntArray:
        """Count blank windows: one inside a document is as long as the size, a last one is longer than the overlap."""
        runs = self.blank_runs
        lengths, is_last = runs.ends - runs.starts, runs.ends == runs.lengths
        is_whole = lengths == runs.lengths
        may_hold = (lengths >= cells.sizes[0]) | (is_last & (lengths > cells.overlaps[0])) | is_whole
        return cells.n_within(runs.take(may_hold))


def _counted_pieces(chunks: ChunkSet, n_rewritten: int) -> dict[str, int]:
    """Count chunks of our own as a splitter's pieces are counted: some have other texts than stand in the document."""
    is_inside = (np.diff(chunks.spans, axis=0) == 0).any(axis=1)
    kinds = {name.replace("-", "_"): 0 for name in PIECE_KINDS}
    found = {"exact": chunks.n_chunks - n_rewritten, "normalised": n_rewritten}
    return {**kinds, **found, "inside": int(is_inside.sum()), "wrong_offsets": 0}


def _n_windows(documents: DocumentLengths, cells: WindowCells) -> IntArray:
    """Count the windows of each cell.

    Whole steps are taken off documents above all sizes: what is left are no more lengths than characters in a size
    and a step, and a full window more for each step.
    """
    step = int(cells.windows[0].step)
    off = np.maximum(documents.lengths - cells.windows[-1].size - 1, 0) // step
    rest = np.bincount(documents.lengths - off * step, weights=documents.counts).astype(np.int64)
    lengths = np.flatnonzero(rest)
    n = np.maximum(-(-(lengths - cells.sizes[:, None]) // step), 0) + 1
    counts: IntArray = n @ rest[lengths] + int((off * documents.counts).sum())
    return counts
