"""Sentences of prose, code blocks, headings with their first block: what should stay whole when nobody asks questions.

Twin: tests/oracle/wholeness.py
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chunkscope.chunkers.cells import Cells
from chunkscope.measures.base import Column, alike
from chunkscope.spans.intervals import SpanArray
from chunkscope.spans.layout import Layout, Targets
from chunkscope.structure.analysis import DocumentAnalysis
from chunkscope.structure.prose import characters_of_kinds, is_prose

KINDS = ("sentences", "code_blocks", "headings")


@dataclass(frozen=True)
class DocumentWholes:
    """The spans of one document that ought to stay whole, by kind, and its characters of prose, code and tables."""

    spans: dict[str, SpanArray]
    characters: dict[str, int]


class WholenessMeasure:
    """Counts the sentences of prose, code blocks and headings with their first block that some chunk holds whole."""

    def collect(self, analysis: DocumentAnalysis) -> DocumentWholes:
        """Take the spans; white space at the end of a sentence or block need not survive with it."""
        starts = analysis.sentence_starts
        ends = np.append(starts[1:], analysis.length) if len(starts) else starts
        sentences, structure = analysis.without_trailing_blanks(starts, ends), analysis.structure
        prose = sentences[is_prose(analysis.document.text, structure, sentences)]
        spans = {"sentences": prose, "code_blocks": structure.code, "headings": _headings_with_block(analysis)}
        return DocumentWholes(spans, characters_of_kinds(structure, prose))

    def bind(self, collected: Sequence[DocumentWholes], layout: Layout) -> BoundWholeness:
        """Lay the spans of documents one behind the other."""
        characters: Counter[str] = Counter()
        for one in collected:
            characters.update(one.characters)
        return BoundWholeness(
            {kind: Targets.joined([one.spans[kind] for one in collected], layout) for kind in KINDS}, dict(characters)
        )


@dataclass(frozen=True)
class BoundWholeness:
    """The spans of all documents by kind, and the characters of prose, code and tables."""

    targets: dict[str, Targets]
    characters: dict[str, int]

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
