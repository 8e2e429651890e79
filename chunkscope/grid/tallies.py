"""The counts of many cells, a column a field: quick to add and to hand over; cells are made of their sum."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from chunkscope.chunkers import Chunker
from chunkscope.grid.results import Cell
from chunkscope.measures.columns import Column


@dataclass(frozen=True)
class Tally:
    """What was counted in the cells of one way of cutting over some documents.

    Attributes
    ----------
    characters : int
        Of these documents.
    columns : mapping
        A column for each field of `Cell` that was counted.
    """

    characters: int
    columns: Mapping[str, Column]

    def __add__(self, other: Tally) -> Tally:
        columns = {**other.columns, **self.columns}
        for name in self.columns.keys() & other.columns.keys():
            columns[name] = self.columns[name] + other.columns[name]
        return Tally(self.characters + other.characters, columns)

    def cells(self, chunkers: Sequence[Chunker]) -> Iterator[Cell]:
        """Make the cells."""
        way, names = chunkers[0].at(None), list(self.columns)
        columns = [column.tolist() for column in self.columns.values()]
        rows = zip(*columns, strict=True) if columns else [()] * len(chunkers)
        for chunker, values in zip(chunkers, rows, strict=True):
            overlap = None if chunker.size is None else chunker.overlap
            counts = dict(zip(names, values, strict=True))
            yield Cell(way.label, way.unit, chunker.size, overlap, self.characters, **counts)
