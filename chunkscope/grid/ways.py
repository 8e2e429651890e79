"""The ways of cutting that are compared where none is named."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from chunkscope.chunkers import Chunker, parse_chunker
from chunkscope.grid.notation import DEFAULT_OVERLAPS, DEFAULT_SIZES, Grid, Overlap, parse_sizes
from chunkscope.structure.units import is_here

DEFAULT_WAYS = ("fixed", "sentence", "heading(merge=true)", "heading", "token")
"""``heading`` makes whole sections too."""
CHARACTERS_OF_A_TOKEN = 4
"""Default sizes in tokens are those in characters over this."""


def available_ways() -> tuple[tuple[Chunker, ...], tuple[str, ...]]:
    """Give the default ways of cutting, and those that are left out because their vocabulary is not here.

    Examples
    --------
    >>> [str(chunker) for chunker in available_ways()[0]][:3]
    ['fixed', 'sentence', 'heading(merge=true)']
    """
    found, missing = [], []
    for way in map(parse_chunker, DEFAULT_WAYS):
        if is_here(way.unit):
            found.append(way)
        else:
            missing.append(str(way))
    return tuple(found), tuple(missing)


def grid_of_ways(
    chunkers: Sequence[Chunker],
    sizes: str | int | Iterable[int] | None,
    overlaps: str | int | Iterable[int | str | Overlap],
) -> Grid:
    """Set the default ways to sizes and overlaps; without sizes, each to its default ones.

    Examples
    --------
    >>> grid = grid_of_ways(available_ways()[0], None, "0")
    >>> [(str(row.chunker), len(row)) for row in grid.rows][:4]
    [('fixed', 19), ('sentence', 19), ('heading(merge=true)', 19), ('heading', 1)]
    """
    if sizes is None:
        default = parse_sizes(DEFAULT_SIZES)
        in_tokens = [size // CHARACTERS_OF_A_TOKEN for size in default]
        parts = [Grid.of(one, in_tokens if one.unit not in ("char", "word") else default, overlaps) for one in chunkers]
    else:
        sizes = sizes if isinstance(sizes, str | int) else list(sizes)
        overlaps = overlaps if isinstance(overlaps, str | int) else list(overlaps)
        parts = [Grid.of(one, sizes, overlaps) for one in chunkers]
    # without a size there is nothing to merge sections up to: those are whole sections
    rows = [
        row for part in parts for row in part.rows if row.sizes is not None or not getattr(row.chunker, "merge", False)
    ]
    skipped = dict.fromkeys(pair for part in parts for pair in part.skipped)
    return Grid(tuple(rows), tuple(skipped), parts[0].overlaps)


def default_grid(
    sizes: str | int | Iterable[int] | None = None,
    overlaps: str | int | Iterable[int | str | Overlap] = DEFAULT_OVERLAPS,
) -> Grid:
    """Give the grid of a sweep for which no way of cutting is named."""
    return grid_of_ways(available_ways()[0], sizes, overlaps)
