"""Where chunks end: inside a row, code, a number, a word; or between words, sentences, blocks, sections.

Twin: tests/oracle/cuts.py
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chunkscope.chunkers.cells import Cells
from chunkscope.chunkers.chunk_set import ChunkSet
from chunkscope.measures.base import Column, each_cell
from chunkscope.spans.intervals import IntArray, Span
from chunkscope.spans.layout import Layout
from chunkscope.structure.analysis import DocumentAnalysis
from chunkscope.structure.words import Words

CUT_CLASSES = ("character", "row", "code", "number", "word", "words", "sentence", "block", "heading")
"""From the worst cut to the best. A cut has the first class that applies of those inside something; of the others
the last: what stands before a heading also stands before a block."""

_CLASS = {name: number for number, name in enumerate(CUT_CLASSES)}


class Landmarks(NamedTuple):
    """What decides about cuts in one document: what may be torn, and where sentences, blocks and headings start."""

    words: Words
    sentences: IntArray
    blocks: IntArray
    headings: list[int]
    code: list[list[int]]
    rows: list[Span]


def find_landmarks(analysis: DocumentAnalysis) -> Landmarks:
    """Take from a document what decides about cuts."""
    structure = analysis.structure
    return Landmarks(
        words=analysis.words,
        sentences=analysis.sentence_starts,
        blocks=structure.block_starts,
        headings=[heading.start for heading in structure.headings],
        code=structure.code.tolist(),
        rows=sorted(row for table in structure.tables for row in (*table.header, *table.rows)),
    )


def cut_classes(documents: Sequence[Landmarks], layout: Layout) -> NDArray[np.uint8]:
    """Class every place of documents that lie one behind the other, as a place to cut.

    Returns
    -------
    uint8 (n,)
        Entry p is the class, as a place in `CUT_CLASSES`, of a cut before character p.
    """
    edges = layout.edges.tolist()
    classes = np.full(edges[-1], _CLASS["words"], dtype=np.uint8)
    for name, starts in (
        ("sentence", [marks.sentences for marks in documents]),
        ("block", [marks.blocks for marks in documents]),
        ("heading", [np.array(marks.headings, dtype=np.int64) for marks in documents]),
    ):
        classes[layout.lay_offsets(starts)] = _CLASS[name]
    for name, insides in (
        ("word", [marks.words.inside[:-1] for marks in documents]),
        ("number", [marks.words.in_number[:-1] for marks in documents]),
    ):
        np.putmask(classes, np.concatenate([np.empty(0, dtype=np.bool_), *insides]), np.uint8(_CLASS[name]))
    for marks, edge in zip(documents, edges, strict=False):
        for start, end in marks.code:
            classes[edge + start + 1 : edge + end] = _CLASS["code"]
        reach = 0  # rows of tables in tables lie inside one another; each place is written once
        for start, end in marks.rows:
            classes[edge + max(start + 1, reach) : edge + end] = _CLASS["row"]
            reach = max(reach, end)
    insides = [marks.words.in_character[:-1] for marks in documents]
    np.putmask(classes, np.concatenate([np.empty(0, dtype=np.bool_), *insides]), np.uint8(_CLASS["character"]))
    return classes


class CutMeasure:
    """Counts the ends of chunks by class, a document's last end left out."""

    def collect(self, analysis: DocumentAnalysis) -> Landmarks:
        """Take what decides about cuts."""
        return find_landmarks(analysis)

    def bind(self, collected: Sequence[Landmarks], layout: Layout) -> BoundCuts:
        """Class every place of all documents."""
        return BoundCuts(cut_classes(collected, layout))


@dataclass(frozen=True)
class BoundCuts:
    """The class of every place of all documents."""

    classes: NDArray[np.uint8]

    def count(self, cells: Cells) -> dict[str, Column]:
        """Count ends by class."""
        return each_cell(cells, self._count)

    def _count(self, chunks: ChunkSet) -> dict[str, dict[str, int]]:
        counts = np.bincount(self.classes[chunks.cut_offsets], minlength=len(CUT_CLASSES))
        counts[_CLASS["character"]] += chunks.n_ends_inside
        return {"cuts": dict(zip(CUT_CLASSES, counts.tolist(), strict=True))}
