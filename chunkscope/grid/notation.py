"""The grid's notation: which sizes, and which overlaps at each size."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import groupby
from numbers import Integral
from typing import Any

import numpy as np

from chunkscope.chunkers import Chunker, parse_chunkers
from chunkscope.chunkers.base import LARGEST_SIZE
from chunkscope.errors import GridError, SplitterError
from chunkscope.language import Text, say
from chunkscope.spans.intervals import IntArray
from chunkscope.splitters.chunker import as_chunker

DEFAULT_SIZES = "100..1000:100,1200..2000:200,2500..4000:500"
DEFAULT_OVERLAPS = "0,1/6"
DEFAULT_STEP = 10
MOST_SIZES = 10_000
"""So many take seconds even where there is little text."""
LONGEST_ENTRY = 60

_RANGE = re.compile(r"(\d+)\.\.(\d+)(?::(\d+))?")
_SHARE = re.compile(r"(\d+)/(\d+)")
_PERCENT = re.compile(r"(\d+(?:\.\d+)?)%")


@dataclass(frozen=True, slots=True)
class Overlap:
    """An overlap: so many units, or a share of the size, floored.

    Examples
    --------
    >>> Overlap(Fraction(1, 6)).at(310), Overlap(40).at(310)
    (51, 40)
    """

    value: int | Fraction

    def __post_init__(self) -> None:
        if isinstance(self.value, Integral) and not isinstance(self.value, bool) and self.value >= 0:
            object.__setattr__(self, "value", int(self.value))
            return
        if isinstance(self.value, Fraction) and 0 <= self.value < 1:
            return
        raise GridError(
            f"overlap {self.value}: give units from 0, or a share of the size below 1, such as 50, 1/6 or 15%"
        )

    def __str__(self) -> str:
        return str(self.value)

    def at(self, size: int) -> int:
        """Give the overlap in units at a size."""
        return self.value if isinstance(self.value, int) else int(self.value * size)


@dataclass(frozen=True, slots=True)
class Skipped:
    """A pair of the grid that cannot run, and why."""

    size: int
    overlap: int
    reason: str


def parse_sizes(text: str) -> tuple[int, ...]:
    """Read sizes: ``50..800`` (in steps of 10, both ends), ``50..800:25``, ``100,200``, or a mixture.

    Raises
    ------
    GridError
        A range that runs backwards, a size below 1, or something that is no size.

    Examples
    --------
    >>> parse_sizes("100,200..220")
    (100, 200, 210, 220)
    """
    sizes: list[int] = []
    for part in _parts(text, "--sizes"):
        match = _RANGE.fullmatch(part)
        if match:
            first, last, step = int(match[1]), int(match[2]), int(match[3] or DEFAULT_STEP)
            if first > last:
                raise GridError(f"--sizes {part}: the range runs backwards; write {last}..{first}")
            if step < 1:
                raise GridError(f"--sizes {part}: the step must be at least 1")
            if last <= LARGEST_SIZE and (last - first) // step >= MOST_SIZES:
                raise GridError(f"--sizes {part}: more than {MOST_SIZES:,} sizes; give a larger step")
            sizes.extend(range(first, min(last, first + MOST_SIZES * step), step))
            sizes.append(last)
        elif part.isdecimal():
            sizes.append(int(part))
        else:
            raise GridError(f"--sizes {part}: not a size; write 50..800, 50..800:25 or 100,200")
    if len(sizes) > MOST_SIZES:
        raise GridError(f"--sizes {text}: more than {MOST_SIZES:,} sizes; give larger steps")
    if max(sizes) > LARGEST_SIZE:
        raise GridError(f"--sizes {text}: a size must be at most {LARGEST_SIZE:,}")
    if min(sizes) < 1:
        raise GridError(f"--sizes {text}: a size must be at least 1")
    return tuple(dict.fromkeys(sizes))


def parse_overlaps(text: str, option: str = "--overlaps") -> tuple[Overlap, ...]:
    """Read overlaps: ``0,50`` in units, ``1/6`` or ``15%`` of the size, floored; messages name the option.

    Raises
    ------
    GridError
        A share of 1 or more, or something that is no overlap.

    Examples
    --------
    >>> [overlap.at(100) for overlap in parse_overlaps("0,50,1/6,15%")]
    [0, 50, 16, 15]
    """
    return tuple(dict.fromkeys(_parse_overlap(part, option) for part in _parts(text, option)))


def _parse_overlap(part: str, option: str) -> Overlap:
    if part.isdecimal():
        return Overlap(int(part))
    share = _SHARE.fullmatch(part)
    if share and int(share[2]):
        value = Fraction(int(share[1]), int(share[2]))
    elif percent := _PERCENT.fullmatch(part):
        value = Fraction(Decimal(percent[1])) / 100
    else:
        raise GridError(f"{option} {part}: not an overlap; write 0,50 in units, or a share such as 1/6 or 15%")
    if value >= 1:
        raise GridError(f"{option} {part}: a share must be below the whole size")
    return Overlap(value)


def _parts(text: str, option: str) -> list[str]:
    parts = [part.strip() for part in text.split(",")]
    if not all(parts):
        raise GridError(f"{option} {text!r}: an entry is empty")
    longest = max(parts, key=len)
    if len(longest) > LONGEST_ENTRY:
        raise GridError(f"{option} {longest[:LONGEST_ENTRY]}...: too long for a number")
    return parts


def grid_pairs(sizes: Iterable[int], overlaps: Sequence[Overlap | int]) -> tuple[list[tuple[int, int]], list[Skipped]]:
    """Pair sizes with overlaps: those that can run, each once, and those that cannot.

    Examples
    --------
    >>> pairs, skipped = grid_pairs([4, 8], [0, 4])
    >>> pairs
    [(4, 0), (8, 0), (8, 4)]
    >>> skipped[0].reason
    'overlap 4 must be smaller than size 4'
    """
    pairs: dict[tuple[int, int], None] = {}
    skipped: dict[tuple[int, int], Skipped] = {}
    for given in sizes:
        if isinstance(given, bool) or not isinstance(given, Integral):
            raise GridError(f"size {given!r} must be a whole number")
        size = int(given)
        for overlap in overlaps:
            width = (overlap if isinstance(overlap, Overlap) else Overlap(overlap)).at(size)
            if size < 1:
                skipped[size, width] = Skipped(size, width, _too_small(size, width))
            elif width < size:
                pairs[size, width] = None
            else:
                skipped[size, width] = Skipped(size, width, _too_wide(size, width))
    return list(pairs), list(skipped.values())


def _too_small(size: int, overlap: int) -> Text:
    return say("size {size} must be at least 1 (with overlap {overlap})", size=size, overlap=overlap)


def _too_wide(size: int, overlap: int) -> Text:
    return say("overlap {overlap} must be smaller than size {size}", size=size, overlap=overlap)


@dataclass(frozen=True, eq=False)
class GridRow:
    """One chunker at several sizes and overlaps: arrays, no object for each cell.

    Attributes
    ----------
    chunker : Chunker
        Without a size.
    sizes : int64 (c,) or None
        None: one cell, the chunker as it is, such as whole sections.
    overlaps : int64 (c,)
    """

    chunker: Chunker
    sizes: IntArray | None
    overlaps: IntArray

    @classmethod
    def of(cls, chunker: Chunker, pairs: Iterable[tuple[int, int]] | None = None) -> GridRow:
        """Make it of pairs of size and overlap; without any, of the chunker as it is."""
        if pairs is None:
            return cls(chunker, None, np.zeros(1, dtype=np.int64))
        found = np.array(list(pairs), dtype=np.int64).reshape(-1, 2)
        return cls(chunker, found[:, 0], found[:, 1])

    def __len__(self) -> int:
        return len(self.overlaps)

    def pairs(self) -> Iterator[tuple[int | None, int]]:
        """Give size and overlap of each cell."""
        if self.sizes is None:
            return iter([(None, 0)])
        return zip(self.sizes.tolist(), self.overlaps.tolist(), strict=True)

    def chunkers(self) -> Iterator[Chunker]:
        """Give a chunker for each cell."""
        return (self.chunker.at(size, overlap) for size, overlap in self.pairs())


@dataclass(frozen=True)
class Grid:
    """The cells of a sweep, a row a chunker, and the pairs that cannot run.

    Examples
    --------
    >>> grid = Grid.of("fixed", "4,8", "0,4")
    >>> [str(chunker) for chunker in grid.chunkers()]
    ['fixed(size=4)', 'fixed(size=8)', 'fixed(size=8, overlap=4)']
    >>> len(grid), len(grid.skipped)
    (3, 1)
    """

    rows: tuple[GridRow, ...]
    skipped: tuple[tuple[str, str, Skipped], ...] = ()
    overlaps: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        chunkers: str | Chunker | Sequence[Any] | Grid,
        sizes: str | int | Iterable[int] = DEFAULT_SIZES,
        overlaps: str | int | Iterable[int | str | Overlap] = DEFAULT_OVERLAPS,
    ) -> Grid:
        """Set chunkers to every size and overlap; one that has its own size stands as it is.

        A chunker that needs no size gets a cell without one too, one whatever the units. What is neither a chunker nor
        the name of one is taken for a splitter. Equal cells run once. A grid is given back as it is.
        """
        if isinstance(chunkers, Grid):
            return chunkers
        listed = _chunkers(_listed(chunkers))
        parsed_sizes = parse_sizes(sizes) if isinstance(sizes, str) else tuple(_listed(sizes))
        parsed_overlaps = _overlaps(_listed(overlaps))
        any_unsized = any(chunker.size is None for chunker in listed)
        wanted, unable = grid_pairs(parsed_sizes, parsed_overlaps) if any_unsized else ([], [])
        rows: list[GridRow] = []
        taken: dict[Chunker, set[tuple[int, int]]] = {}
        whole: set[Chunker] = set()
        for chunker in listed:
            seen = taken.setdefault(chunker.unsized, set())
            sized = chunker.size is not None
            if not sized and not chunker.needs_size:
                # without a size, units do not matter
                in_any_unit = chunker.in_unit("char") if chunker.takes_size else chunker
                if in_any_unit not in whole:
                    whole.add(in_any_unit)
                    rows.append(GridRow.of(chunker))
            pairs = [(chunker.required_size(), chunker.overlap)] if sized else _taken_by(chunker, wanted)
            fresh = [pair for pair in pairs if pair not in seen]
            if fresh:
                seen.update(fresh)
                rows.append(GridRow.of(chunker.unsized, fresh))
        if not rows:
            given = {"chunker": listed, "size": parsed_sizes, "overlap": parsed_overlaps}
            lacking = [f"no {name} is given" for name, values in given.items() if not values]
            without = [_no_overlap(one) for one in listed if not one.takes_overlap]
            reasons = [*lacking, *(pair.reason for pair in unable), *without]
            raise GridError(f"the grid has no cell that can run: {reasons[0]}")
        unsized = [one for one in listed if one.size is None and one.takes_size]
        skipped = [(one.label, one.shown_unit, pair) for one in unsized for pair in unable]
        skipped += [
            (one.label, one.shown_unit, Skipped(*pair, _no_overlap(one)))
            for one in unsized
            for pair in wanted
            if pair[1] and not one.takes_overlap
        ]
        return cls(
            tuple(_joined(rows)), tuple(dict.fromkeys(skipped)), tuple(str(overlap) for overlap in parsed_overlaps)
        )

    @classmethod
    def of_cells(cls, chunkers: Iterable[Chunker]) -> Grid:
        """Make a grid of settings, a cell and a row each.

        Examples
        --------
        >>> len(Grid.of_cells([parse_chunkers("fixed(size=4)")[0], parse_chunkers("heading")[0]]))
        2
        """
        pairs = [(one, None if one.size is None else [(one.size, one.overlap)]) for one in chunkers]
        return cls(tuple(GridRow.of(one.unsized, found) for one, found in pairs))

    def for_corpus(self, names: Sequence[str], path: str) -> Grid:
        """Give the grid for documents of these names: chunkers that are of some documents alone find theirs."""
        rows = (dataclasses.replace(row, chunker=row.chunker.for_corpus(names, path)) for row in self.rows)
        return dataclasses.replace(self, rows=tuple(rows))

    def __len__(self) -> int:
        return sum(map(len, self.rows))

    def chunkers(self) -> Iterator[Chunker]:
        """Give a chunker for each cell."""
        return (chunker for row in self.rows for chunker in row.chunkers())

    @property
    def unsized(self) -> tuple[Chunker, ...]:
        """The chunkers without their sizes, each once."""
        return tuple(dict.fromkeys(row.chunker for row in self.rows))


def _taken_by(chunker: Chunker, pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Give the pairs of size and overlap that a chunker can be set to."""
    return [(size, overlap) for size, overlap in pairs if chunker.takes_size and (chunker.takes_overlap or not overlap)]


def _no_overlap(chunker: Chunker) -> Text:
    return say("{chunker} takes no overlap", chunker=chunker.label)


def _joined(rows: Sequence[GridRow]) -> Iterator[GridRow]:
    """Join rows of one chunker that follow one another."""
    for (chunker, is_whole), found in groupby(rows, key=lambda row: (row.chunker, row.sizes is None)):
        pairs = [pair for row in found for pair in row.pairs()]
        yield GridRow.of(chunker, None if is_whole else [(size, overlap) for size, overlap in pairs if size])


def _listed(given: Any) -> Iterable[Any]:
    """Take one value for a list of one."""
    return given if isinstance(given, Iterable) and not isinstance(given, str) else [given]


def _chunkers(chunkers: Iterable[Any]) -> tuple[Chunker, ...]:
    """Read the chunkers that are written, and take the others as they are."""
    found: dict[Chunker, None] = {}
    for chunker in chunkers:
        if isinstance(chunker, str):
            found.update(dict.fromkeys(parse_chunkers(chunker)))
        elif isinstance(chunker, Chunker):
            found[chunker] = None
        else:
            found[_splitter(chunker)] = None
    return tuple(found)


def _splitter(given: object) -> Chunker:
    try:
        return as_chunker(given)
    except SplitterError as error:
        kind = type(given).__name__
        raise GridError(
            f"{kind!r} is no chunker; write 'fixed', or FixedChunker(), or give a splitter: {error}"
        ) from None


def _overlaps(overlaps: Iterable[int | str | Overlap]) -> tuple[int | Overlap, ...]:
    parsed: list[int | Overlap] = []
    for overlap in overlaps:
        parsed += parse_overlaps(overlap) if isinstance(overlap, str) else [overlap]
    return tuple(parsed)
