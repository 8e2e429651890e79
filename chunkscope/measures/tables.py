"""Tables: which data rows are in one chunk with their header."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chunkscope.chunkers import Chunker
from chunkscope.chunkers.chunk_set import ChunkSet
from chunkscope.measures.columns import Column
from chunkscope.measures.ladders import WindowGrid
from chunkscope.spans.intervals import BoolArray, SpanArray, as_spans
from chunkscope.spans.layout import Layout, Targets
from chunkscope.structure.analysis import DocumentAnalysis
from chunkscope.structure.model import Table


@dataclass(frozen=True)
class RowSpans:
    """The data rows of tables with a header.

    Attributes
    ----------
    rows : int64 (n, 2)
    hulls : int64 (n, 2)
        From the start of the header to the end of the row: what one chunk must hold to hold both.
    """

    rows: SpanArray
    hulls: SpanArray


def row_spans(tables: Sequence[Table]) -> RowSpans:
    """Collect the data rows of all tables that have a header."""
    rows = [row for table in tables if table.header for row in table.rows]
    heads = [table.header[0][0] for table in tables if table.header for _ in table.rows]
    spans = as_spans(rows)
    hulls = spans.copy()
    if heads:
        hulls[:, 0] = heads
    return RowSpans(spans, hulls)


def rows_with_header(chunks: ChunkSet, rows: Targets, hulls: Targets) -> BoolArray:
    """Tell which rows one chunk holds with their header, or holds while it prepends the header."""
    return chunks.contains(rows if prepends_header(chunks.chunker) else hulls)


def prepends_header(chunker: Chunker) -> bool:
    """Tell whether chunks prepend the header of a table, so that it is enough to hold a row."""
    return "table-header" in chunker.prepend


class TableMeasure:
    """Counts the rows together with their header; tables without one are listed, and left out of the rate."""

    def collect(self, analysis: DocumentAnalysis) -> tuple[RowSpans, int]:
        """Take the rows, and how many tables have no header."""
        return row_spans(analysis.tables), sum(not table.header for table in analysis.tables)

    def bind(self, collected: Sequence[tuple[RowSpans, int]], layout: Layout) -> BoundTables:
        """Lay the rows of documents one behind the other."""
        return BoundTables(
            Targets.joined([spans.rows for spans, _ in collected], layout),
            Targets.joined([spans.hulls for spans, _ in collected], layout),
            sum(headless for _, headless in collected),
        )


@dataclass(frozen=True)
class BoundTables:
    """Rows of all documents."""

    rows: Targets
    hulls: Targets
    n_headless: int

    def count(self, chunks: ChunkSet) -> dict[str, int]:
        """Count rows together."""
        together = int(np.count_nonzero(rows_with_header(chunks, self.rows, self.hulls)))
        return {**self._found, "table_rows_with_header": together}

    def count_grid(self, windows: WindowGrid) -> dict[str, Column]:
        """Count rows together."""
        targets = self.rows if prepends_header(windows.chunkers[0]) else self.hulls
        together = windows.count(lambda ladder: {"table_rows_with_header": ladder.count(ladder.whole(targets))})
        return {**windows.constants(self._found), **together}

    @property
    def _found(self) -> dict[str, int]:
        return {"table_rows": len(self.rows), "tables_without_header": self.n_headless}
