"""Fixed windows: in characters as arithmetic, in other units packed over their steps."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from chunkscope.chunkers.base import Chunking, check_choice
from chunkscope.chunkers.boundaries import Boundaries, inner_offsets
from chunkscope.chunkers.items import ItemChunker, cut_large_items
from chunkscope.chunkers.packing import Items
from chunkscope.chunkers.windows import Windows
from chunkscope.errors import ChunkerError
from chunkscope.structure.analysis import DocumentAnalysis
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

    @property
    def windows(self) -> Windows | None:
        """Windows over the characters of each document."""
        return Windows(self.required_size(), self.overlap, self.tail == "keep") if self.unit == "char" else None

    @property
    def has_windows(self) -> bool:
        """Windows of characters have one step; steps of other units are packed."""
        return self.unit == "char"

    def segment(self, analysis: DocumentAnalysis) -> Boundaries:
        """Give the text's two ends for characters, each step for other units."""
        if self.unit == "char" or not analysis.length:
            positions = np.array([0, analysis.length] if analysis.length else [0], dtype=np.int64)
            whole = np.array([0, len(positions) - 1], dtype=np.int64)
            return Boundaries(positions, positions, whole, whole)
        measured = analysis.measured(get_unit(self.unit))
        positions, used = measured.stepped
        inner, heaviest = inner_offsets(measured)
        whole = np.array([0, len(positions) - 1], dtype=np.int64)
        return Boundaries(
            positions, used, whole, whole, inner=inner, used_at_inner=measured.used(inner), heaviest=heaviest
        )

    def items(self, boundaries: Boundaries) -> tuple[Boundaries, Items] | None:
        """Give the steps; windows over characters need no packing."""
        size = self.required_size()
        if self.unit == "char":
            return None
        if size < boundaries.heaviest:
            boundaries = cut_large_items(boundaries, size, unit=self.unit)
        return boundaries, Items(boundaries.used, boundaries.documents, size, self.overlap)

    def unpacked(self, boundaries: Boundaries) -> Chunking:
        """Lay windows over the characters of each document."""
        edges = boundaries.positions[boundaries.documents]
        laid = Windows(self.required_size(), self.overlap, self.tail == "keep").lay(np.diff(edges))
        spans = np.column_stack((laid.begins, laid.ends)) + edges[laid.texts, None]
        return Chunking(spans, laid.ends - laid.begins)
