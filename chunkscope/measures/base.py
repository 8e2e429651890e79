"""A measure: what a sweep counts in every cell.

It sees each document once (`collect`, on the document's parts alone, so that documents can be looked at anywhere and
in any order), then all observations together (`bind`), and from then on only the chunks of cells (`count`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from chunkscope.chunkers.chunk_set import ChunkSet
from chunkscope.measures.columns import Column
from chunkscope.measures.ladders import WindowGrid
from chunkscope.spans.layout import Layout
from chunkscope.structure.analysis import DocumentAnalysis


class BoundMeasure(Protocol):
    """A measure that has seen all documents."""

    def count(self, chunks: ChunkSet) -> Mapping[str, Any]:
        """Give values for fields of `Cell`."""


@runtime_checkable
class GridMeasure(BoundMeasure, Protocol):
    """A measure that counts the cells of a grid of fixed windows together, faster than one by one."""

    def count_grid(self, windows: WindowGrid) -> Mapping[str, Column]:
        """Give columns of values for fields of `Cell`."""


class Measure(Protocol):
    """What a sweep counts."""

    def collect(self, analysis: DocumentAnalysis) -> Any:
        """Take from one document what counting needs: arrays, no text."""

    def bind(self, collected: Sequence[Any], layout: Layout) -> BoundMeasure:
        """Lay what was taken from the documents one behind the other."""
