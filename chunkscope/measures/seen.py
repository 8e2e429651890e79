"""What has to be told of how documents are read: in how many a dialect's habits are, and how often what is not read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from chunkscope.chunkers.cells import Cells
from chunkscope.measures.base import Column
from chunkscope.spans.layout import Layout
from chunkscope.structure.analysis import DocumentAnalysis


class SeenMeasure:
    """Collects what has to be told; it is the same in all cells, so it counts nothing there."""

    def collect(self, analysis: DocumentAnalysis) -> Counter[str]:
        """Take the counts of one document."""
        return analysis.seen

    def bind(self, collected: Sequence[Counter[str]], layout: Layout) -> BoundSeen:
        """Add up the counts of documents."""
        bound = BoundSeen()
        for found in collected:
            bound.seen.update(found)
        return bound


@dataclass(frozen=True)
class BoundSeen:
    """The counts of all documents."""

    seen: Counter[str] = field(default_factory=Counter)

    def count(self, cells: Cells) -> dict[str, Column]:
        """Count nothing."""
        return {}
