"""One look at each document of a batch, and from then on arithmetic: the cells of a grid over these documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from chunkscope.chunkers import Chunker
from chunkscope.chunkers.chunk_set import ChunkSet, chunk_set, chunk_sets
from chunkscope.corpus.document import Document
from chunkscope.grid.results import Cell
from chunkscope.grid.tallies import Tally
from chunkscope.measures.base import BoundMeasure, GridMeasure, Measure
from chunkscope.measures.columns import Column, columns_of
from chunkscope.measures.ladders import WindowGrid
from chunkscope.spans.layout import Layout
from chunkscope.structure.analysis import DocumentAnalysis
from chunkscope.structure.units import get_unit

Progress = Callable[[str, int, int], None]
"""Called with a stage ("documents", "cells"), how many are done, and how many there are."""


@dataclass(frozen=True)
class Scan:
    """What one look at each document left: no text, only boundaries and what the measures took.

    Attributes
    ----------
    layout : Layout
    boundaries : mapping
        For each way of cutting the boundaries of all documents.
    bound : sequence of BoundMeasure
    """

    layout: Layout
    boundaries: Mapping[Chunker, Any]
    bound: Sequence[BoundMeasure]

    @property
    def characters(self) -> int:
        """Characters of all documents."""
        return int(self.layout.edges[-1])

    def chunks(self, chunker: Chunker) -> ChunkSet:
        """Give the chunks of one cell."""
        return chunk_set(self.layout, chunker, self.boundaries[chunker.at(None)])

    def cell(self, chunks: ChunkSet) -> Cell:
        """Count one cell."""
        tally = Tally(self.characters, columns_of([_count(self.bound, chunks)]))
        return next(tally.cells([chunks.chunker]))

    def cells(self, chunkers: Sequence[Chunker]) -> Iterator[Cell]:
        """Count each cell."""
        for cells, tally in zip(by_way(chunkers), self.tallies(chunkers), strict=True):
            yield from tally.cells(cells)

    def tallies(self, chunkers: Sequence[Chunker], progress: Progress | None = None) -> Iterator[Tally]:
        """Count all cells, and give those of each way of cutting together."""
        done = 0
        for cells in by_way(chunkers):
            columns, single = self._count_windows(cells)
            rows: list[Mapping[str, Any]] = []
            for chunks in chunk_sets(self.layout, cells, self.boundaries[cells[0].at(None)]) if single else ():
                if progress:
                    progress("cells", done + len(rows), len(chunkers))
                rows.append(_count(single, chunks))
            done += len(cells)
            yield Tally(self.characters, {**columns, **columns_of(rows)})
        if progress:
            progress("cells", done, len(chunkers))

    def _count_windows(self, chunkers: Sequence[Chunker]) -> tuple[dict[str, Column], list[BoundMeasure]]:
        """Count what bound can count of fixed windows together; give also the bound that cannot."""
        windows = WindowGrid.of(self.layout, chunkers)
        columns: dict[str, Column] = {}
        single: list[BoundMeasure] = []
        for bound in self.bound:
            if windows is not None and isinstance(bound, GridMeasure):
                columns.update(bound.count_grid(windows))
            else:
                single.append(bound)
        return columns, single


def by_way(chunkers: Sequence[Chunker]) -> list[list[Chunker]]:
    """Group the cells of a grid by way of cutting, in order."""
    return [list(cells) for _, cells in groupby(chunkers, key=_way)]


def _way(chunker: Chunker) -> tuple[Any, ...]:
    """Give what two cells of one way of cutting have alike; quicker than to make the way."""
    settings = (value for name, value in vars(chunker).items() if name not in ("size", "overlap"))
    return type(chunker), *settings


def _count(bound: Sequence[BoundMeasure], chunks: ChunkSet) -> dict[str, Any]:
    counts: dict[str, Any] = {}
    for one in bound:
        counts.update(one.count(chunks))
    return counts


def scan(
    documents: Sequence[Document], families: Sequence[Chunker], measures: Sequence[Measure], units: Sequence[str] = ()
) -> Scan:
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
    parts = list(DocumentAnalysis.of_all(documents))
    for name in units:
        unit = get_unit(name)
        measured = unit.measure_all([part.document.text for part in parts], [part.document.name for part in parts])
        for part, lengths in zip(parts, measured, strict=True):
            part.keep(unit, lengths)
    boundaries: dict[Chunker, list[Any]] = {family: [] for family in families}
    collected: list[list[Any]] = [[] for _ in measures]
    layout = Layout.of([part.document.name for part in parts], [part.length for part in parts])
    parts.reverse()
    while parts:
        part = parts.pop()  # what was found out about a document goes with it
        for family, found in boundaries.items():
            found.append(family.segment(part))
        for measure, taken in zip(measures, collected, strict=True):
            taken.append(measure.collect(part))
    return Scan(
        layout,
        {family: family.join(found) for family, found in boundaries.items()},
        [measure.bind(taken, layout) for measure, taken in zip(measures, collected, strict=True)],
    )
