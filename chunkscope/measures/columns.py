"""Counts of many cells, a column a field: quick to add and to hand over."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from chunkscope.measures.lengths import LengthCounts


class Column(Protocol):
    """Values of one field, a cell each: an array of numbers, or anything that adds up cell by cell."""

    def __add__(self, other: Any, /) -> Any: ...

    def tolist(self) -> Any:
        """Give the values as fields of `Cell`."""


class Values:
    """A column of any values of fields.

    Examples
    --------
    >>> (Values([1, None]) + Values([2, 5])).tolist()
    [3, 5]
    """

    def __init__(self, values: list[Any]) -> None:
        self._values = values

    def __add__(self, other: Values) -> Values:
        return Values([added(one, two) for one, two in zip(self._values, other._values, strict=True)])

    def tolist(self) -> list[Any]:
        """Give the values."""
        return self._values


def columns_of(rows: Sequence[Mapping[str, Any]]) -> dict[str, Column]:
    """Make columns of what was counted cell by cell."""
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: Values([row.get(name) for row in rows]) for name in names}


def added(one: Any, other: Any) -> Any:
    """Add two values of a field; what was not counted on one side is what the other side counted."""
    if one is None or other is None:
        return one if other is None else other
    if isinstance(one, LengthCounts):
        return one + other
    if isinstance(one, Mapping):
        total = Counter(one)
        total.update(other)
        return dict(total)
    return one + other
