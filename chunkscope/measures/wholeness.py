"""Sentences, code blocks, and headings with their first block: what ought to stay whole when nobody asks questions.

Twin: tests/oracle/wholeness.py
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chunkscope.chunkers.cells import Cells
from chunkscope.measures.base import Column, alike
from chunkscope.spans.intervals import SpanArray
from chunkscope.spans.layout import Layout, Targets
from chunkscope.structure.analysis import DocumentAnalysis

KINDS = ("sentences", "code_blocks", "headings")


class WholenessMeasure:
    """Counts the sentences, code blocks and headings with their first block that some chunk holds whole."""

    def collect(self, analysis: DocumentAnalysis) -> dict[str, SpanArray]:
        """Take the spans; white space at the end of a sentence or block need not survive with it."""
        starts = analysis.sentence_starts
        ends = np.append(starts[1:], analysis.length) if len(starts) else starts
        return {
            "sentences": analysis.without_trailing_blanks(starts, ends),
            "code_blocks": analysis.structure.code,
            "headings": _headings_with_block(analysis),
        }

    def bind(self, collected: Sequence[dict[str, SpanArray]], layout: Layout) -> BoundWholeness:
        """Lay the spans of documents one behind the other."""
        return BoundWholeness({kind: Targets.joined([spans[kind] for spans in collected], layout) for kind in KINDS})


@dataclass(frozen=True)
class BoundWholeness:
    """The spans of all documents, by kind."""

    targets: dict[str, Targets]

    def count(self, cells: Cells) -> dict[str, Column]:
        """Count what is whole."""
        counts = alike(cells, {kind: len(targets) for kind, targets in self.targets.items()})
        for kind, targets in self.targets.items():
            counts[f"{kind}_whole"] = cells.count(cells.least_sizes(targets))
        return counts


def _headings_with_block(analysis: DocumentAnalysis) -> SpanArray:
    """Span each heading and the first block behind it; a heading right behind a heading has none."""
    blocks = analysis.structure.block_starts
    starts = np.array([heading.start for heading in analysis.structure.headings], dtype=np.int64)
    edges = np.append(blocks, analysis.length)
    following = np.searchsorted(blocks, starts, side="right")
    has_block = (following < len(blocks)) & ~np.isin(edges[following], starts)
    starts, following = starts[has_block], following[has_block]
    return analysis.without_trailing_blanks(starts, edges[following + 1])
