"""Whole sentences, packed up to the size."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from chunkscope.chunkers.base import Chunking, check_choice
from chunkscope.chunkers.boundaries import Boundaries
from chunkscope.chunkers.items import ItemChunker, cut_large_items, fitting_items, segment_items
from chunkscope.chunkers.packing import Items, pack_with_tails
from chunkscope.errors import ChunkerError
from chunkscope.spans.intervals import merge
from chunkscope.structure.analysis import DocumentAnalysis


@dataclass(frozen=True)
class SentenceChunker(ItemChunker):
    """Whole sentences up to the size; the overlap is whole sentences too.

    Parameters
    ----------
    overlap_by : {"sentences", "characters"}
        ``characters`` starts a chunk with the last `overlap` characters of the one before, as many pipelines do.
    oversize : {"split", "keep"}
        A sentence above the size is cut at the last step that fits, or kept whole and counted. Kept with an overlap
        by characters, the overlap too is kept whole where it leaves no room for the next sentence.
    newline : {"space", "end"}
        ``end`` makes every line end a boundary.

    Examples
    --------
    >>> from chunkscope import Document, SentenceChunker
    >>> SentenceChunker(12).spans(Document("a.md", "受付は九時です。閉館は五時です。")).tolist()
    [[0, 8], [8, 16]]
    """

    name = "sentence"
    overlap_by: Literal["sentences", "characters"] = field(default="sentences", kw_only=True)
    oversize: Literal["split", "keep"] = field(default="split", kw_only=True)
    newline: Literal["space", "end"] = field(default="space", kw_only=True)

    def check(self) -> None:
        """Hold the settings to their choices."""
        check_choice(self, "overlap_by", ("sentences", "characters"))
        check_choice(self, "oversize", ("split", "keep"))
        check_choice(self, "newline", ("space", "end"))
        if self.overlap_by == "characters" and self.unit != "char":
            raise ChunkerError(f"sentence: overlap_by=characters needs unit char, not {self.unit}")

    def segment(self, analysis: DocumentAnalysis) -> Boundaries:
        """Give the sentences, and the steps inside them."""
        starts = analysis.sentence_starts
        if self.newline == "end":
            starts = merge(starts, analysis.line_starts)
        return segment_items(analysis, self.unit, starts)

    def items(self, boundaries: Boundaries) -> tuple[Boundaries, Items] | None:
        """Give the sentences, those above the size cut."""
        if self.overlap_by == "characters" and self.overlap:
            return None
        if self.oversize == "keep":
            return boundaries, Items(boundaries.used, boundaries.groups, self.required_size(), self.overlap)
        return fitting_items(boundaries, self)

    def unpacked(self, boundaries: Boundaries) -> Chunking:
        """Pack sentences behind the last characters of the chunk before."""
        if self.oversize == "split":
            boundaries = cut_large_items(boundaries, self.required_size(), unit=self.unit)
        starts, ends = pack_with_tails(
            boundaries.positions,
            boundaries.groups,
            self.required_size(),
            self.overlap,
            keep_tail=self.oversize == "keep",
        )
        return Chunking(np.column_stack((starts, ends)), ends - starts)
