"""One look at each document of a batch, and from then on arithmetic: the cells of a grid over these documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from chunkscope.chunkers.base import Chunker
from chunkscope.chunkers.cells import Cells, OneCell, grouped_cells
from chunkscope.chunkers.chunk_set import ChunkSet, chunk_set
from chunkscope.chunkers.windows import Windows
from chunkscope.corpus.document import Document
from chunkscope.errors import ConfigError
from chunkscope.grid.notation import Grid, GridRow
from chunkscope.grid.results import Cell
from chunkscope.measures.base import BoundMeasure, Column, Measure, add_columns
from chunkscope.measures.lengths import DocumentLengths, WindowLengths
from chunkscope.measures.luck import expectations
from chunkscope.spans.intervals import IntArray
from chunkscope.spans.layout import Layout
from chunkscope.structure.analysis import DocumentAnalysis
from chunkscope.structure.units import get_unit


@dataclass
class CellCounts:
    """Counts of all cells of a row of the grid: quick to add and to hand over; cells are made of their sum.

    Attributes
    ----------
    characters : int
        Of these documents.
    n_cells : int
    columns : dict
        A column for each field that was counted.
    """

    characters: int
    n_cells: int
    columns: dict[str, Column] = field(default_factory=dict)

    def put(self, places: IntArray, counts: Mapping[str, Column]) -> None:
        """Take the counts of some of the cells."""
        for name, values in counts.items():
            if isinstance(values, DocumentLengths):
                self.columns[name] = values
                continue
            if isinstance(values, np.ndarray):
                shape = (self.n_cells, *values.shape[1:])
                column: Any = self.columns.setdefault(name, np.empty(shape, dtype=values.dtype))
                column[places] = values
                continue
            column = self.columns.setdefault(name, [None] * self.n_cells)
            for place, value in zip(places.tolist(), values, strict=True):
                column[place] = value

    def __add__(self, other: CellCounts) -> CellCounts:
        columns = {**other.columns, **self.columns}
        for name in self.columns.keys() & other.columns.keys():
            columns[name] = add_columns(self.columns[name], other.columns[name])
        return CellCounts(self.characters + other.characters, self.n_cells, columns)

    def cells(self, row: GridRow) -> Iterator[Cell]:
        """Make the cells."""
        names = list(self.columns)
        columns = [self._values(column, row) for column in self.columns.values()]
        label, unit = row.chunker.label, row.chunker.shown_unit
        values = zip(*columns, strict=True)
        for (size, overlap), found in zip(row.pairs(), values, strict=True):
            yield Cell.of(label, unit, size, overlap, self.characters, dict(zip(names, found, strict=True)))

    def _values(self, column: Column, row: GridRow) -> list[Any]:
        """Give the values of a column as cells have them."""
        if isinstance(column, list):
            return column
        if isinstance(column, DocumentLengths):
            windows = (Windows(size or 1, overlap) for size, overlap in row.pairs())
            n_windows = self._values(self.columns["chunks"], row)
            return [WindowLengths(column, *pair) for pair in zip(windows, n_windows, strict=True)]
        if column.ndim == 2:
            return expectations(column, np.array([(size or 1) - overlap for size, overlap in row.pairs()]))
        values: list[Any] = column.tolist()
        return values


Progress = Callable[[str, int, int], None]
"""Called with a stage ("documents", "cells"), how many are done, and how many there are."""

Bound = TypeVar("Bound")


@dataclass(frozen=True)
class Scan:
    """What one look at each document left: boundaries, and what the measures collected; arrays, no text.

    Attributes
    ----------
    documents : sequence of Document
        Asked for a text only where a finding is shown.
    layout : Layout
    boundaries : mapping
        For each segmenter the boundaries of all documents.
    bound : sequence of BoundMeasure
    later : sequence of BoundMeasure
        Those that count nothing before a cell is looked at once more.
    """

    documents: Sequence[Document]
    layout: Layout
    boundaries: Mapping[Chunker, Any]
    bound: Sequence[BoundMeasure]
    later: Sequence[BoundMeasure] = ()

    @property
    def characters(self) -> int:
        """Characters of all documents."""
        return int(self.layout.edges[-1])

    def chunks(self, chunker: Chunker) -> ChunkSet:
        """Give the chunks of one cell."""
        return chunk_set(self.layout, chunker, self.boundaries[chunker.segmenter])

    def only(self, kinds: tuple[type, ...]) -> Scan:
        """Leave the documents out, and all measures but those of some kinds and those for later."""
        bound = [measure for measure in self.bound if isinstance(measure, kinds)]
        return Scan((), self.layout, self.boundaries, [*bound, *self.later])

    def of_kind(self, kind: type[Bound]) -> Bound | None:
        """Give the measure of a kind, if it is there."""
        return next((measure for measure in self.bound if isinstance(measure, kind)), None)

    def cell(self, chunks: ChunkSet, chunker: Chunker) -> Cell:
        """Count one cell."""
        counts = CellCounts(self.characters, 1)
        counts.put(np.zeros(1, dtype=np.int64), self._count(OneCell(chunks, chunker.overlap, chunker.size)))
        pairs = None if chunker.size is None else [(chunker.size, chunker.overlap)]
        return next(counts.cells(GridRow.of(chunker.unsized, pairs)))

    def count(self, grid: Grid, progress: Progress | None = None) -> list[CellCounts]:
        """Count all cells, and give those of each row of the grid together."""
        found = []
        done = 0
        for row in grid.rows:
            found.append(self._count_row(row, done, len(grid), progress))
            done += len(row)
        if progress:
            progress("cells", done, len(grid))
        return found

    def _count_row(self, row: GridRow, done: int, n_cells: int, progress: Progress | None) -> CellCounts:
        counts = CellCounts(self.characters, len(row))
        boundaries = self.boundaries[row.chunker.segmenter]
        for places, cells in grouped_cells(self.layout, row.chunker, row.sizes, row.overlaps, boundaries):
            if progress:
                progress("cells", done, n_cells)
            counts.put(places, self._count(cells))
            done += len(places)
        return counts

    def _count(self, cells: Cells) -> dict[str, Column]:
        """Ask all measures; a field that two of them count is an error, for one would falsify the other."""
        found: dict[str, Column] = {}
        for measure in self.bound:
            counted = measure.count(cells)
            if twice := found.keys() & counted.keys():
                name = type(measure).__name__
                raise ConfigError(f"field {min(twice)!r} is counted by two measures; {name} must name it otherwise")
            found.update(counted)
        return found


def scan(
    documents: Sequence[Document],
    chunkers: Sequence[Chunker],
    measures: Sequence[Measure],
    units: Sequence[str] = (),
    later: Sequence[Measure] = (),
) -> Scan:
    """Look at each document once.

    Parameters
    ----------
    documents : sequence of Document
    chunkers : sequence of Chunker
    measures : sequence of Measure
    units : sequence of str
        Units in which the documents are measured, each document once; characters need no measuring.
    later : sequence of Measure
        Those that collect now, and count only when a cell is looked at once more.
    """
    analyses = list(DocumentAnalysis.of_all(documents))
    for name in units:
        unit = get_unit(name)
        names = [analysis.document.name for analysis in analyses]
        measured = unit.measure_all([analysis.document.text for analysis in analyses], names)
        for analysis, lengths in zip(analyses, measured, strict=True):
            analysis.keep(unit, lengths)
    boundaries: dict[Chunker, list[Any]] = {chunker.segmenter: [] for chunker in chunkers}
    every = [*measures, *later]
    collected: list[list[Any]] = [[] for _ in every]
    layout = Layout.of([analysis.document.name for analysis in analyses], [one.length for one in analyses])
    analyses.reverse()
    while analyses:
        analysis = analyses.pop()  # what was found out about a document goes with it
        for chunker, found in boundaries.items():
            found.append(chunker.segment(analysis))
        for measure, taken in zip(every, collected, strict=True):
            taken.append(measure.collect(analysis))
    bound = [measure.bind(taken, layout) for measure, taken in zip(every, collected, strict=True)]
    joined = {chunker: chunker.join(found) for chunker, found in boundaries.items()}
    return Scan(documents, layout, joined, bound[: len(measures)], bound[len(measures) :])
