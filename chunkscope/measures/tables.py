"""Tables: which data rows are in one chunk with their header.

Twin: tests/oracle/tables.py
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chunkscope.chunkers.base import Chunker
from chunkscope.chunkers.cells import Cells, Sizes
from chunkscope.chunkers.chunk_set import ChunkSet
from chunkscope.chunkers.pieces import Pieces
from chunkscope.measures.base import Column, alike
from chunkscope.spans.intervals import BoolArray, IntArray, SpanArray, as_spans, expand, holders
from chunkscope.spans.layout import Layout, Targets
from chunkscope.structure.analysis import DocumentAnalysis
from chunkscope.structure.model import Table


def prepends_header(chunker: Chunker) -> bool:
    """Tell whether chunks prepend the header of a table, so that it is enough to hold a row."""
    return "table-header" in chunker.prepend


@dataclass(frozen=True)
class RowSpans:
    """The data rows of one document's tables with a header.

    Attributes
    ----------
    rows : int64 (n, 2)
    hulls : int64 (n, 2)
        From the start of the header to the end of the row: what one chunk must hold to hold both.
    headers : int64 (n, 2)
        The header of each: what a piece may repeat in front instead.
    """

    rows: SpanArray
    hulls: SpanArray
    headers: SpanArray

    @classmethod
    def of(cls, tables: Sequence[Table]) -> RowSpans:
        """Collect the data rows of all tables that have a header."""
        rows = as_spans([row for table in tables if table.header for row in table.rows])
        heads = [(table.header[0][0], table.header[-1][1]) for table in tables if table.header for _ in table.rows]
        headers = as_spans(heads)
        return cls(rows, np.column_stack((headers[:, 0], rows[:, 1])), headers)

    def take(self, chosen: IntArray) -> RowSpans:
        """Choose some of the rows, perhaps several times."""
        return RowSpans(self.rows[chosen], self.hulls[chosen], self.headers[chosen])

    def touched(self, spans: SpanArray) -> tuple[IntArray, IntArray]:
        """Find the rows that spans overlap.

        Rows of nested tables lie inside one another, so only their starts are in order: a row is looked at if it
        starts before a span ends, and no row before it reaches as far as the span.

        Returns
        -------
        spans, rows : int64 (n,)
            Pairs of a span and a row, by span, then row.
        """
        order = np.argsort(self.rows[:, 0], kind="stable")
        rows = self.rows[order]
        reach = np.maximum.accumulate(rows[:, 1]) if len(rows) else rows[:, 1]
        first = np.searchsorted(reach, spans[:, 0], side="right")
        behind = np.maximum(np.searchsorted(rows[:, 0], spans[:, 1], side="left"), first)
        owners, number = expand(behind - first)
        candidates = first[owners] + number
        found = rows[candidates, 1] > spans[owners, 0]
        owners, chosen = owners[found], order[candidates[found]]
        sort = np.lexsort((chosen, owners))
        return owners[sort], chosen[sort]


@dataclass(frozen=True)
class Rows:
    """Data rows of all documents, what must be held to hold them with their header, and that header."""

    rows: Targets
    hulls: Targets
    headers: SpanArray

    @classmethod
    def joined(cls, found: Sequence[RowSpans], layout: Layout) -> Rows:
        """Move the rows of each document, in the layout's order, to the layout's offsets."""
        rows, hulls = ([getattr(spans, side) for spans in found] for side in ("rows", "hulls"))
        headers = layout.lay_spans([spans.headers for spans in found])
        return cls(Targets.joined(rows, layout), Targets.joined(hulls, layout), headers)

    def wanted(self, chunker: Chunker) -> Targets:
        """Give what one chunk must hold: the rows where the header is prepended, else the hulls."""
        return self.rows if prepends_header(chunker) else self.hulls

    def least_sizes(self, cells: Cells) -> Sizes:
        """Give for each row the size from which on a chunk holds it with its header."""
        least = cells.least_sizes(self.wanted(cells.chunker))
        if cells.pieces is not None:
            rows, _ = self.repeated(cells.pieces)
            least[rows] = 0
        return least

    def with_header(self, chunks: ChunkSet) -> BoolArray:
        """Tell which rows a chunk holds with their header."""
        held = chunks.contains(self.wanted(chunks.chunker))
        if chunks.pieces is not None:
            held[self.repeated(chunks.pieces)[0]] = True
        return held

    def repeated(self, pieces: Pieces) -> tuple[IntArray, IntArray]:
        """Find the pieces that hold a row and repeat its header in front.

        Returns
        -------
        rows, pieces : int64 (n,)
            In the order of the rows; a row may stand in several pieces.
        """
        repeats = np.unique(pieces.owners)
        rows, places = holders(pieces.spans[repeats], self.rows.spans)
        found = pieces.repeats(repeats[places], self.headers[rows])
        return rows[found], repeats[places[found]]

    def take(self, chosen: BoolArray | IntArray) -> Rows:
        """Choose some of the rows."""
        return Rows(self.rows.take(chosen), self.hulls.take(chosen), self.headers[chosen])

    def __len__(self) -> int:
        return len(self.rows)


class TableMeasure:
    """Counts the rows with their header; tables without one are counted apart, and left out of the rate."""

    def collect(self, analysis: DocumentAnalysis) -> tuple[RowSpans, int]:
        """Take the rows, and how many tables have no header."""
        return RowSpans.of(analysis.tables), sum(not table.header for table in analysis.tables)

    def bind(self, collected: Sequence[tuple[RowSpans, int]], layout: Layout) -> BoundTables:
        """Lay the rows of documents one behind the other."""
        rows = Rows.joined([spans for spans, _ in collected], layout)
        return BoundTables(rows, sum(headless for _, headless in collected))


@dataclass(frozen=True)
class BoundTables:
    """Rows of all documents."""

    rows: Rows
    n_headless: int

    def count(self, cells: Cells) -> dict[str, Column]:
        """Count the rows with their header."""
        found = alike(cells, {"table_rows": len(self.rows), "tables_without_header": self.n_headless})
        with_header = cells.count(self.rows.least_sizes(cells))
        # where the header is prepended, a row that is whole is with it
        whole = with_header if prepends_header(cells.chunker) else cells.count(cells.least_sizes(self.rows.rows))
        return {**found, "table_rows_with_header": with_header, "table_rows_whole": whole}
