"""One look at each document of a batch, and from then on arithmetic: the cells of a grid over these documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from chunkscope.chunkers import Chunker
from chunkscope.containment import ChunkSet, Layout, chunk_set, chunk_sets
from chunkscope.documents import Document
from chunkscope.measures.base import Gauge, Measure
from chunkscope.results import Cell
from chunkscope.structure.parts import Parts
from chunkscope.structure.units import get_unit

Progress = Callable[[str, int, int], None]
"""Called with a stage ("documents", "cells"), how many are done, and how many there are."""


@dataclass(frozen=True)
class Survey:
    """What one look at each document left: no text, only boundaries and what the measures took.

    Attributes
    ----------
    layout : Layout
    segments : mapping
        For each way of cutting the boundaries of all documents.
    gauges : sequence of Gauge
    """

    layout: Layout
    segments: Mapping[Chunker, Any]
    gauges: Sequence[Gauge]

    def chunks(self, chunker: Chunker) -> ChunkSet:
        """Give the chunks of one cell."""
        return chunk_set(self.layout, chunker, self.segments[chunker.at(None)])

    def cell(self, chunks: ChunkSet) -> Cell:
        """Count one cell."""
        chunker = chunks.chunker
        counts: dict[str, Any] = {}
        for gauge in self.gauges:
            counts.update(gauge.count(chunks))
        overlap = None if chunker.size is None else chunker.overlap
        return Cell(chunker.label, chunker.unit, chunker.size, overlap, int(self.layout.edges[-1]), **counts)

    def cells(self, chunkers: Sequence[Chunker], progress: Progress | None = None) -> Iterator[Cell]:
        """Count each cell."""
        done = 0
        for family, cells in groupby(chunkers, key=lambda chunker: chunker.at(None)):
            for chunks in chunk_sets(self.layout, list(cells), self.segments[family]):
                if progress:
                    progress("cells", done, len(chunkers))
                yield self.cell(chunks)
                done += 1
        if progress:
            progress("cells", done, len(chunkers))


def survey(
    documents: Sequence[Document], families: Sequence[Chunker], measures: Sequence[Measure], units: Sequence[str] = ()
) -> Survey:
    """Look at each document once.

    Parameters
    ----------
    documents : sequence of Document
    families : sequence of Chunker
        Ways of cutting, without sizes.
    measures : sequence of Measure
    units : sequence of str
        Units in which the documents are measured, each document once; characters need no measuring.
    """
    parts = list(Parts.of_all(documents))
    for name in units:
        unit = get_unit(name)
        measured = unit.measure_all([part.document.text for part in parts], [part.document.name for part in parts])
        for part, lengths in zip(parts, measured, strict=True):
            part.keep(unit, lengths)
    segments: dict[Chunker, list[Any]] = {family: [] for family in families}
    observed: list[list[Any]] = [[] for _ in measures]
    layout = Layout.of([part.document.name for part in parts], [part.length for part in parts])
    parts.reverse()
    while parts:
        part = parts.pop()  # what was found out about a document goes with it
        for family, found in segments.items():
            found.append(family.segment(part))
        for measure, taken in zip(measures, observed, strict=True):
            taken.append(measure.observe(part))
    return Survey(
        layout,
        {family: family.join(found) for family, found in segments.items()},
        [measure.prepare(taken, layout) for measure, taken in zip(measures, observed, strict=True)],
    )
