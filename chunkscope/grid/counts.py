"""What was counted in the cells of one chunker over some documents, a column a field."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from chunkscope.chunkers.windows import Windows
from chunkscope.grid.notation import GridRow
from chunkscope.grid.results import Cell
from chunkscope.measures.base import Column, add_columns
from chunkscope.measures.lengths import DocumentLengths, WindowLengths
from chunkscope.measures.luck import expectations
from chunkscope.spans.intervals import IntArray


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
        label, unit = row.chunker.label, row.chunker.unit
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
