"""Two results side by side: which cells are the same setting, and what else differs between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chunkscope.chunkers import parse_chunker
from chunkscope.chunkers.parse import is_splitter, name_of
from chunkscope.chunkers.spelling import parse_settings
from chunkscope.errors import ChunkscopeError
from chunkscope.grid.notation import Overlap, parse_overlaps
from chunkscope.grid.results import has_context, retriever_names

PARAMETERS = ("chunker", "unit", "size", "overlap")
HELD_ALONE = frozenset(
    {"overlaps", "sizes", "chunkers", "chunks", "chunk_fields", "unit", "versions", "price", "count_tokens", "jobs"}
)
"""Settings that are not compared by themselves: the cells say it, or it does not touch what is cut."""

Record = Mapping[str, Any]
Key = tuple[object, ...]


@dataclass(frozen=True)
class Difference:
    """Something that is not the same in both results.

    Attributes
    ----------
    name : str
        Such as ``size``, ``heading.prepend``, ``encoding``, ``versions.tiktoken``.
    old, new : object
        Of the grid, each a list.
    """

    name: str
    old: Any
    new: Any

    def __str__(self) -> str:
        return f"{self.name} {_said(self.old)} -> {_said(self.new)}"

    def to_dict(self) -> dict[str, Any]:
        """Give it as JSON has it."""
        return {"name": self.name, "old": self.old, "new": self.new}


@dataclass(frozen=True)
class PlacedCell:
    """A cell and its place in the grid.

    Attributes
    ----------
    cell : mapping
        As the JSON has it.
    notation : str or None
        Its overlap as it was written, such as ``1/6``: the first entry that makes it.
    """

    cell: Record
    notation: str | None

    def parameter(self, name: str) -> object:
        """Give one of `PARAMETERS`; the overlap as it was written."""
        return self.notation if name == "overlap" and self.notation is not None else self.cell[name]

    def to_dict(self) -> dict[str, Any]:
        """Give its setting."""
        return {name: self.cell[name] for name in PARAMETERS}


@dataclass(frozen=True)
class Pairing:
    """Cells of one setting in both results, in the order of the new one, and those that only one of them has.

    Attributes
    ----------
    pairs : tuple of (old, new)
    only_old, only_new : tuple of PlacedCell
    differences : tuple of Difference
        Parameters that are one in each result and not the same: they play no part in pairing.
    grid : tuple of Difference
        Parameters with several values, which are not the same values.
    """

    pairs: tuple[tuple[Record, Record], ...]
    only_old: tuple[PlacedCell, ...]
    only_new: tuple[PlacedCell, ...]
    differences: tuple[Difference, ...]
    grid: tuple[Difference, ...]


def pair_cells(old: Record, new: Record) -> Pairing:
    """Pair the cells of two results by chunker, unit, size and overlap.

    Examples
    --------
    >>> def result(sizes, share):
    ...     cells = [{"chunker": "fixed", "unit": "char", "size": n, "overlap": n // share} for n in sizes]
    ...     return {"settings": {"overlaps": [f"1/{share}"]}, "cells": cells}
    >>> found = pair_cells(result([100, 200], 5), result([200, 300], 4))
    >>> [(one["size"], one["overlap"], two["overlap"]) for one, two in found.pairs], str(*found.differences)
    ([(200, 40, 50)], 'overlap 1/5 -> 1/4')
    >>> [one.cell["size"] for one in found.only_old], str(*found.grid)
    ([100], 'size 100, 200 -> 200, 300')
    """
    before, after = _placed(old), _placed(new)
    apart = [name for name in PARAMETERS if _is_apart(name, before, after)]

    def key(placed: PlacedCell) -> Key:
        # the overlap that a share comes to is another at another size
        named = placed.parameter if "size" in apart else placed.cell.__getitem__
        return tuple(named(name) for name in PARAMETERS if name not in apart)

    waiting: dict[Key, PlacedCell] = {}
    for placed in before:
        waiting.setdefault(key(placed), placed)
    pairs, met, only_new = [], set(), []
    for placed in after:
        at = key(placed)
        if at in waiting:
            pairs.append((waiting.pop(at).cell, placed.cell))
            met.add(at)
        elif at not in met:
            only_new.append(placed)
    return Pairing(
        tuple(pairs),
        tuple(waiting.values()),
        tuple(only_new),
        tuple(difference for name in apart for difference in _parameter(name, before[0], after[0])),
        tuple(
            Difference(name, one, other)
            for name in PARAMETERS
            for one, other in [(_values(name, before), _values(name, after))]
            if name not in apart and set(one) != set(other)
        ),
    )


def _placed(result: Record) -> list[PlacedCell]:
    settings = result.get("settings")
    written = settings.get("overlaps") if isinstance(settings, dict) else None
    overlaps = _overlaps(written if isinstance(written, list | tuple) else [])
    placed = []
    for cell in result["cells"]:
        size, width = cell["size"], cell["overlap"]
        fitting = [str(overlap) for overlap in overlaps if isinstance(size, int) and overlap.at(size) == width]
        placed.append(PlacedCell(cell, fitting[0] if fitting else None))
    return placed


def _overlaps(written: Sequence[object]) -> tuple[Overlap, ...]:
    try:
        return parse_overlaps(",".join(map(str, written))) if written else ()
    except ChunkscopeError:
        return ()


def _values(name: str, cells: Sequence[PlacedCell]) -> list[object]:
    return list(dict.fromkeys(placed.parameter(name) for placed in cells))


def _is_apart(name: str, old: Sequence[PlacedCell], new: Sequence[PlacedCell]) -> bool:
    before, after = _values(name, old), _values(name, new)
    if len(before) != 1 or len(after) != 1 or before == after:
        return False
    # the same overlap may be written in two ways
    widths = [[(placed.cell["size"], placed.cell["overlap"]) for placed in cells] for cells in (old, new)]
    return name != "overlap" or widths[0] != widths[1]


def _parameter(name: str, old: PlacedCell, new: PlacedCell) -> list[Difference]:
    one, other = old.parameter(name), new.parameter(name)
    return _chunker_settings(str(one), str(other)) if name == "chunker" else [Difference(name, one, other)]


def _chunker_settings(old: str, new: str) -> list[Difference]:
    """Name the settings of one chunker that differ; of two chunkers, the chunker."""
    if is_splitter(name_of(old)) or is_splitter(name_of(new)):
        return _splitter_settings(old, new)
    try:
        before, after = parse_chunker(old), parse_chunker(new)
    except ChunkscopeError:
        return [Difference("chunker", old, new)]
    if type(before) is not type(after):
        return [Difference("chunker", old, new)]
    return [
        Difference(f"{before.name}.{name}", one, other)
        for name in before.__dataclass_fields__
        if name not in PARAMETERS and (one := getattr(before, name)) != (other := getattr(after, name))
    ]


def _splitter_settings(old: str, new: str) -> list[Difference]:
    """Name the settings of one splitter that differ, as they are written: what a result names is not run."""
    try:
        before, after = (dict(parse_settings(text.partition("(")[2].removesuffix(")"), text)) for text in (old, new))
    except ChunkscopeError:
        return [Difference("chunker", old, new)]
    if name_of(old) != name_of(new):
        return [Difference("chunker", old, new)]
    names = [name for name in {**before, **after} if name not in PARAMETERS and before.get(name) != after.get(name)]
    return [Difference(f"{name_of(old)}.{name}", before.get(name), after.get(name)) for name in names]


def find_differences(old: Record, new: Record) -> list[Difference]:
    """Find what else was held fixed, and differs; versions too, for they decide where boundaries fall."""
    before, after = _flat(old), _flat(new)
    names = sorted({*before, *after})
    found = [Difference(name, before.get(name), after.get(name)) for name in names]
    return [one for one in found if one.old != one.new] + _ranking_settings(old, new)


def _flat(result: Record) -> dict[str, Any]:
    settings = result.get("settings")
    settings = settings if isinstance(settings, dict) else {}
    versions = settings.get("versions")
    flat = {f"versions.{name}": value for name, value in versions.items()} if isinstance(versions, dict) else {}
    flat["versions.chunkscope"] = result.get("chunkscope")
    return {**{name: value for name, value in settings.items() if name not in HELD_ALONE}, **flat}


def rankings(cell: Record) -> dict[str, Record]:
    """Give what each retriever found in a cell, by its name."""
    found = cell.get("retrieval")
    several = [one for one in (found if isinstance(found, list | tuple) else [found]) if isinstance(one, dict)]
    return dict(zip(retriever_names(several), several, strict=True))


def paired_rankings(old: Record, new: Record) -> dict[str, tuple[Record, Record]]:
    """Pair what retrievers of one name found in two cells; where each has one, these."""
    before, after = rankings(old), rankings(new)
    if len(before) == len(after) == 1 and before.keys() != after.keys():
        [(one, found), (other, found_now)] = *before.items(), *after.items()
        return {f"{one} -> {other}": (found, found_now)}
    return {name: (before[name], after[name]) for name in after if name in before}


def _ranking_settings(old: Record, new: Record) -> list[Difference]:
    """Find what differs in how chunks were ranked."""
    before, after = _retriever_settings(old), _retriever_settings(new)
    if set(before) != set(after):
        return [Difference("retriever", ", ".join(sorted(before)) or None, ", ".join(sorted(after)) or None)]
    return [
        Difference(f"{retriever}.{name}", one.get(name), after[retriever].get(name))
        for retriever, one in before.items()
        for name in {**one, **after[retriever]}
        if one.get(name) != after[retriever].get(name)
    ]


def _retriever_settings(result: Record) -> dict[str, dict[str, Any]]:
    """Give the settings of each retriever, and k where it was asked for: at equal context each cell has its own."""
    return {
        name: {**group(ranked, "settings"), **({} if has_context(ranked) else {"k": _listed(ranked.get("k"))})}
        for cell in result["cells"][:1]
        for name, ranked in rankings(cell).items()
    }


def group(record: Record, name: str) -> Mapping[str, Any]:
    """Give an object in an object; an empty one where there is none."""
    found = record.get(name)
    return found if isinstance(found, dict) else {}


def _listed(numbers: object) -> str:
    return ",".join(map(str, numbers)) if isinstance(numbers, list | tuple) else str(numbers)


def _said(value: object) -> str:
    if isinstance(value, tuple):
        return "+".join(map(str, value)) or "none"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
