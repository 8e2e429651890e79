"""Where chunks end: inside a row, code, a number, a word; or between words, sentences, blocks, sections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chunkscope.containment import ChunkSet, Layout
from chunkscope.structure.parts import Parts

CUT_CLASSES = ("character", "row", "code", "number", "word", "words", "sentence", "block", "heading")
"""From the worst cut to the best. A cut has the first class that applies of those inside something; of the others
the last: what stands before a heading also stands before a block."""

_CLASS = {name: number for number, name in enumerate(CUT_CLASSES)}


def cut_classes(parts: Parts) -> NDArray[np.uint8]:
    """Class every place of a text as a place to cut.

    Returns
    -------
    uint8 (n,)
        Entry p is the class, as a place in `CUT_CLASSES`, of a cut before character p.
    """
    structure = parts.structure
    classes = np.full(parts.length, _CLASS["words"], dtype=np.uint8)
    classes[parts.sentence_starts] = _CLASS["sentence"]
    classes[structure.block_starts] = _CLASS["block"]
    classes[[heading.start for heading in structure.headings]] = _CLASS["heading"]
    words = parts.words
    np.putmask(classes, words.inside[:-1], np.uint8(_CLASS["word"]))
    np.putmask(classes, words.in_number[:-1], np.uint8(_CLASS["number"]))
    for start, end in structure.code.tolist():
        classes[start + 1 : end] = _CLASS["code"]
    reach = 0  # rows of tables in tables lie inside one another; each place is written once
    for start, end in sorted(row for table in structure.tables for row in (*table.header, *table.rows)):
        classes[max(start + 1, reach) : end] = _CLASS["row"]
        reach = max(reach, end)
    return classes


class CutMeasure:
    """Counts the ends of chunks by class, a document's last end left out."""

    def observe(self, parts: Parts) -> NDArray[np.uint8]:
        """Class every place of the document."""
        return cut_classes(parts)

    def prepare(self, observed: Sequence[NDArray[np.uint8]], layout: Layout) -> CutGauge:
        """Lay the classes of documents one behind the other."""
        return CutGauge(np.concatenate([np.empty(0, dtype=np.uint8), *observed]))


@dataclass(frozen=True)
class CutGauge:
    """The class of every place of all documents."""

    classes: NDArray[np.uint8]

    def count(self, chunks: ChunkSet) -> dict[str, dict[str, int]]:
        """Count ends by class."""
        counts = np.bincount(self.classes[chunks.cut_offsets], minlength=len(CUT_CLASSES))
        counts[_CLASS["character"]] += chunks.n_ends_inside
        return {"cuts": dict(zip(CUT_CLASSES, counts.tolist(), strict=True))}
