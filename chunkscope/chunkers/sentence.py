"""Whole sentences, packed up to the size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from chunkscope.chunkers.base import Chunker, Chunking, check_choice
from chunkscope.chunkers.boundaries import Boundaries, inner_offsets, join_boundaries
from chunkscope.chunkers.items import ItemChunker
from chunkscope.chunkers.packing import Items, pack_with_tails, split_oversize
from chunkscope.errors import ChunkerError
from chunkscope.spans.intervals import IntArray
from chunkscope.structure.analysis import DocumentAnalysis
from chunkscope.structure.units import get_unit


def segment_items(analysis: DocumentAnalysis, unit_name: str, starts: IntArray, group_starts: IntArray) -> Boundaries:
    """Measure items that tile a text.

    Parameters
    ----------
    analysis : DocumentAnalysis
    unit_name : str
    starts : int64 (i,)
        Where items start, 0 included.
    group_starts : int64 (g,)
        Those of them that no chunk may cross, 0 included.
    """
    end = np.array([analysis.length], dtype=np.int64)
    positions = np.concatenate((starts, end)) if analysis.length else end
    groups = np.searchsorted(positions, np.concatenate((group_starts, end)) if analysis.length else end)
    whole = np.array([0, len(positions) - 1], dtype=np.int64)
    if not analysis.length:
        groups = whole
    measured = analysis.measured(get_unit(unit_name))
    used = measured.used(positions)
    if unit_name == "char":
        return Boundaries(positions, used, groups, whole)
    steps, used_at_steps = (found[1:-1] for found in measured.stepped)
    inner, heaviest = inner_offsets(measured)
    return Boundaries(positions, used, groups, whole, steps, used_at_steps, inner, measured.used(inner), heaviest)


def cut_large_items(boundaries: Boundaries, size: int, *, unit: str) -> Boundaries:
    """Cut items above the size; groups and documents keep their edges."""
    if unit == "char":
        positions = used = _cut_evenly(boundaries.positions, size)
    else:
        positions, used = split_oversize(
            boundaries.positions, boundaries.used, boundaries.steps, boundaries.used_at_steps, size
        )
        if size < boundaries.heaviest:
            positions, used = split_oversize(positions, used, boundaries.inner, boundaries.used_at_inner, size)
    if len(positions) == len(boundaries.positions):
        return boundaries
    moved = np.searchsorted(positions, boundaries.positions)
    return Boundaries(positions, used, moved[boundaries.groups], moved[boundaries.documents])


def fitting_items(boundaries: Boundaries, chunker: Chunker) -> tuple[Boundaries, Items]:
    """Give the items to pack at a chunker's size: what is above it is cut, here or as it is packed."""
    size = chunker.required_size()
    is_divisible = chunker.unit == "char"
    if not is_divisible:
        boundaries = cut_large_items(boundaries, size, unit=chunker.unit)
    return boundaries, Items(boundaries.used, boundaries.groups, size, chunker.overlap, is_divisible)


def _cut_evenly(positions: IntArray, size: int) -> IntArray:
    """Cut items longer than `size` characters after each `size` of them."""
    extra = np.maximum(-(-np.diff(positions) // size) - 1, 0)
    if not extra.any():
        return positions
    counts = extra + 1
    number = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.concatenate((np.repeat(positions[:-1], counts) + number * size, positions[-1:]))


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
            starts = np.union1d(starts, analysis.line_starts)
            starts = starts[starts < analysis.length]
        return segment_items(analysis, self.unit, starts, starts[:1])

    def join(self, boundaries: Sequence[Boundaries]) -> Boundaries:
        """Lay documents one behind the other."""
        return join_boundaries(boundaries)

    def items(self, boundaries: Boundaries) -> tuple[Boundaries, Items] | None:
        """Give the sentences, those above the size cut."""
        if self.overlap_by == "characters" and self.overlap:
            return None
        if self.oversize == "keep":
            return boundaries, Items(boundaries.used, boundaries.groups, self.required_size(), self.overlap)
        return fitting_items(boundaries, self)

    def unpacked(self, boundaries: Boundaries) -> Chunking:
        """Pack sentences behind the last characters of the chunk before."""
        boundaries = self._fitting(boundaries)
        starts, ends = pack_with_tails(
            boundaries.positions,
            boundaries.groups,
            self.required_size(),
            self.overlap,
            keep_tail=self.oversize == "keep",
        )
        return Chunking(np.column_stack((starts, ends)), ends - starts)

    def _fitting(self, boundaries: Boundaries) -> Boundaries:
        if self.oversize == "keep":
            return boundaries
        return cut_large_items(boundaries, self.required_size(), unit=self.unit)
