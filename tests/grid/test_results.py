"""Cells as values: their fields by name, and what they say of themselves."""

from __future__ import annotations

import dataclasses

from chunkscope.grid.results import Cell


def test_a_field_is_found_by_its_name_whoever_counted_it():
    cell = Cell("fixed", "char", 8, 0, 90, chunks=12, extra={"vowels": 7})
    assert (cell.value("chunks"), cell.value("vowels"), cell.value("tokens"), cell.value("consonants")) == (
        12,
        7,
        None,
        None,
    )


def test_what_nobody_has_counted_is_zero_or_unknown():
    counted = dataclasses.asdict(Cell("fixed", "char", 8, 0, 90))
    for name in ("chunker", "unit", "size", "overlap", "characters"):
        del counted[name]
    assert not any(value for value in counted.values() if isinstance(value, int))
