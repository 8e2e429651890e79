"""Sections: from heading to heading, those above the size packed by sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from chunkscope.chunkers.base import Cut
from chunkscope.chunkers.boundaries import Segments, join_segments
from chunkscope.chunkers.items import ItemChunker
from chunkscope.chunkers.packing import Items, pack
from chunkscope.chunkers.sentence import fitting_items, segment_items
from chunkscope.errors import ChunkerError
from chunkscope.spans.intervals import IntArray
from chunkscope.structure.analysis import Parts


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

    def segment(self, parts: Parts) -> Segments:
        """Give the sentences, grouped by sections."""
        sections = parts.structure.section_starts
        return segment_items(parts, self.unit, np.union1d(parts.sentence_starts, sections), sections)

    def join(self, segments: Sequence[Segments]) -> Segments:
        """Lay documents one behind the other."""
        return join_segments(segments)

    def items(self, segments: Segments) -> tuple[Segments, Items] | None:
        """Give the sentences of each section, or of sections joined."""
        if self.size is None:
            return None
        segments, items = fitting_items(segments, self)
        return segments, replace(items, groups=self._merged(segments)) if self.merge else items

    def unpacked(self, segments: Segments) -> Cut:
        """Give whole sections."""
        if self.merge:
            raise ChunkerError("heading(merge=true) needs a size, such as heading(size=400, merge=true)")
        pairs = np.column_stack((segments.groups[:-1], segments.groups[1:]))
        pairs = pairs[pairs[:, 0] < pairs[:, 1]]
        return Cut(segments.positions[pairs], segments.used[pairs[:, 1]] - segments.used[pairs[:, 0]])

    def _merged(self, segments: Segments) -> IntArray:
        """Join whole sections up to the size: packing once more, with sections as the items."""
        documents = np.searchsorted(segments.groups, segments.documents)
        joined = pack(segments.used[segments.groups], documents, self.required_size(), 0)
        return np.append(segments.groups[joined[:, 0]], segments.groups[-1])
