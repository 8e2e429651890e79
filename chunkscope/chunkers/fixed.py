"""Fixed windows: in characters as arithmetic, in other units packed over their steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from chunkscope.chunkers.base import Cut, check_choice
from chunkscope.chunkers.boundaries import Segments, inner_offsets, join_segments
from chunkscope.chunkers.items import ItemChunker
from chunkscope.chunkers.packing import Items
from chunkscope.chunkers.sentence import cut_large_items
from chunkscope.chunkers.windows import window_counts
from chunkscope.errors import ChunkerError
from chunkscope.structure.analysis import Parts
from chunkscope.structure.units import get_unit


@dataclass(frozen=True)
class FixedChunker(ItemChunker):
    """Windows of a fixed size: chunk i starts at ``i * (size - overlap)``.

    Parameters
    ----------
    tail : {"drop", "keep"}
        ``keep`` adds the windows that pipelines make which loop over ``range(0, n, step)`` to the end.

    Examples
    --------
    >>> from chunkscope import Document, FixedChunker
    >>> FixedChunker(6, 3).spans(Document("a", "いろはにほへとちりぬ")).tolist()
    [[0, 6], [3, 9], [6, 10]]
    >>> str(FixedChunker(6, 3, tail="keep"))
    'fixed(size=6, overlap=3, tail=keep)'
    """

    name = "fixed"
    tail: Literal["drop", "keep"] = field(default="drop", kw_only=True)

    def check(self) -> None:
        """Hold `tail` to its choices, and to characters."""
        check_choice(self, "tail", ("drop", "keep"))
        if self.tail == "keep" and self.unit != "char":
            raise ChunkerError(f"fixed: tail=keep counts in characters; unit {self.unit} has no such windows")

    def segment(self, parts: Parts) -> Segments:
        """Give the text's two ends for characters, each step for other units."""
        if self.unit == "char" or not parts.length:
            positions = np.array([0, parts.length] if parts.length else [0], dtype=np.int64)
            whole = np.array([0, len(positions) - 1], dtype=np.int64)
            return Segments(positions, positions, whole, whole)
        measured = parts.measured(get_unit(self.unit))
        positions, used = measured.stepped
        inner, heaviest = inner_offsets(measured)
        whole = np.array([0, len(positions) - 1], dtype=np.int64)
        return Segments(
            positions, used, whole, whole, inner=inner, used_at_inner=measured.used(inner), heaviest=heaviest
        )

    def join(self, segments: Sequence[Segments]) -> Segments:
        """Lay documents one behind the other."""
        return join_segments(segments)

    def items(self, segments: Segments) -> tuple[Segments, Items] | None:
        """Give the steps; windows over characters need no packing."""
        size = self.required_size()
        if self.unit == "char":
            return None
        if size < segments.heaviest:
            segments = cut_large_items(segments, size, unit=self.unit)
        return segments, Items(segments.used, segments.documents, size, self.overlap)

    def unpacked(self, segments: Segments) -> Cut:
        """Lay windows over the characters of each document."""
        size, edges = self.required_size(), segments.positions[segments.documents]
        lengths = np.diff(edges)
        counts = window_counts(lengths, size, self.overlap, keep_tail=self.tail == "keep")
        number = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
        starts = np.repeat(edges[:-1], counts) + number * (size - self.overlap)
        ends = np.minimum(starts + size, np.repeat(edges[1:], counts))
        return Cut(np.column_stack((starts, ends)), ends - starts)
