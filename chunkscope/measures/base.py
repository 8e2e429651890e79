"""A measure: what a sweep counts in every cell.

It looks at each document once (`collect`, at one document's analysis alone, so that documents can be looked at
anywhere and in any order), then at all that was collected (`bind`), and from then on only at the chunks of cells
(`count`). What it counts it declares as `fields`; counts of some documents and of the others add up to those of all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from chunkscope.chunkers.cells import Cells
from chunkscope.chunkers.chunk_set import ChunkSet
from chunkscope.measures.lengths import DocumentLengths
from chunkscope.plugins import Registry
from chunkscope.spans.layout import Layout
from chunkscope.structure.analysis import DocumentAnalysis

Column: TypeAlias = NDArray[Any] | list[Any] | DocumentLengths
"""Values of one field, a cell each. Numbers that stand in an array of two columns are expectations (see `luck`)."""


@dataclass(frozen=True)
class Field:
    """A field that a measure adds to every cell.

    Attributes
    ----------
    name : str
        In the JSON and the CSV.
    title : str
        Over its column.
    of : str or None
        The field with the total, where it is a part of one.
    """

    name: str
    title: str
    of: str | None = None


class BoundMeasure(Protocol):
    """A measure that has seen all documents."""

    def count(self, cells: Cells) -> Mapping[str, Column]:
        """Give a value for each field and each of the cells."""


class Measure(Protocol):
    """What a sweep counts.

    A measure may have `fields`, a sequence of `Field` (those that a `Cell` has anyway need no mention), and
    `needs_all_documents = True` where its counts do not add up over documents, because chunks of all compete.
    """

    def collect(self, analysis: DocumentAnalysis) -> Any:
        """Take from one document what counting needs: arrays, no text."""

    def bind(self, collected: Sequence[Any], layout: Layout) -> BoundMeasure:
        """Lay what was collected from the documents one behind the other."""


MEASURES = Registry("measure", "chunkscope.measures", {})
"""Measures that installed packages offer, beside those that every sweep has."""


def find_measure(measure: str | Measure) -> Measure:
    """Give a measure by its name; one that is a value is given back as it is.

    Raises
    ------
    PluginError
        No installed package offers it.
    """
    if not isinstance(measure, str):
        return measure
    found: Measure = MEASURES.find(measure)()
    return found


def each_cell(cells: Cells, count: Callable[[ChunkSet], Mapping[str, Any]]) -> dict[str, Column]:
    """Count cell by cell, for measures that have no quicker way."""
    rows = [count(chunks) for chunks in cells]
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


def alike(cells: Cells, values: Mapping[str, int]) -> dict[str, Column]:
    """Give columns of what is the same in all cells."""
    return {name: np.full(len(cells), value, dtype=np.int64) for name, value in values.items()}


def add_columns(one: Column, other: Column) -> Column:
    """Add two columns cell by cell.

    Examples
    --------
    >>> add_columns([1, None, {"a": 1}], [2, 5, {"a": 2}])
    [3, 5, {'a': 3}]
    """
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return one + other
    if isinstance(one, DocumentLengths) and isinstance(other, DocumentLengths):
        return one + other
    if isinstance(one, DocumentLengths) or isinstance(other, DocumentLengths):
        raise TypeError("lengths of windows add up with each other only")
    return [add_values(mine, theirs) for mine, theirs in zip(one, other, strict=True)]


def add_values(one: Any, other: Any) -> Any:
    """Add two values of a field; what was not counted on one side is what the other side counted."""
    if one is None or other is None:
        return one if other is None else other
    if isinstance(one, Mapping):
        total = Counter(one)
        total.update(other)
        return dict(total)
    return one + other
