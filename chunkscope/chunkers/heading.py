"""Sections: from heading to heading, those above the size packed by sentences."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from chunkscope.chunkers.base import Chunking
from chunkscope.chunkers.boundaries import Boundaries
from chunkscope.chunkers.items import ItemChunker, fitting_items, segment_items
from chunkscope.chunkers.packing import Items, pack
from chunkscope.errors import ChunkerError
from chunkscope.spans.intervals import IntArray, merge
from chunkscope.structure.analysis import DocumentAnalysis


@dataclass(frozen=True)
class HeadingChunker(ItemChunker):
    """Sections of a document; without a size each is a chunk.

    Parameters
    ----------
    merge : bool
        Join consecutive whole sections, left to right, up to the size.

    Examples
    --------
    >>> from chunkscope import Document, HeadingChunker
    >>> HeadingChunker().spans(Document("a.md", "前書き。\\n## 節\\n本文。\\n")).tolist()
    [[0, 5], [5, 14]]
    """

    name = "heading"
    merge: bool = field(default=False, kw_only=True)

    def check(self) -> None:
        """Hold `merge` to true and false."""
        if not isinstance(self.merge, bool):
            raise ChunkerError(f"heading: merge={self.merge} is neither true nor false")

    @property
    def needs_size(self) -> bool:
        """Whole sections need none; sections that are joined do."""
        return self.merge

    @property
    def merges_sections(self) -> bool:
        """Whether sections are joined up to the size."""
        return self.merge

    def segment(self, analysis: DocumentAnalysis) -> Boundaries:
        """Give the sentences, grouped by sections."""
        sections = analysis.structure.section_starts
        return segment_items(analysis, self.unit, merge(analysis.sentence_starts, sections), sections)

    def items(self, boundaries: Boundaries) -> tuple[Boundaries, Items] | None:
        """Give the sentences of each section, or of sections joined."""
        if self.size is None:
            return None
        boundaries, items = fitting_items(boundaries, self)
        return boundaries, replace(items, groups=self._merged(boundaries)) if self.merge else items

    def unpacked(self, boundaries: Boundaries) -> Chunking:
        """Give whole sections."""
        if self.merge:
            raise ChunkerError("heading(merge=true) needs a size, such as heading(size=400, merge=true)")
        pairs = np.column_stack((boundaries.groups[:-1], boundaries.groups[1:]))
        pairs = pairs[pairs[:, 0] < pairs[:, 1]]
        return Chunking(boundaries.positions[pairs], boundaries.used[pairs[:, 1]] - boundaries.used[pairs[:, 0]])

    def _merged(self, boundaries: Boundaries) -> IntArray:
        """Join whole sections up to the size: packing once more, with sections as the items."""
        documents = np.searchsorted(boundaries.groups, boundaries.documents)
        joined = pack(boundaries.used[boundaries.groups], documents, self.required_size(), 0)
        return np.append(boundaries.groups[joined[:, 0]], boundaries.groups[-1])
