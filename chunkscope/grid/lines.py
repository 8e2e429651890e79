"""The lines of a grid: the cells of one way of cutting and one overlap as typed, by size."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from chunkscope.grid.notation import parse_overlaps
from chunkscope.grid.results import Cell, SweepResult


@dataclass(frozen=True)
class Line:
    """The cells of one way of cutting and one overlap, by size.

    Attributes
    ----------
    chunker, unit : str
    overlap : str or None
        As typed, such as ``1/6``; None for the one cell of a way that has no size.
    places : tuple of int
        Where the cells stand in the result.
    cells : tuple of Cell
    """

    chunker: str
    unit: str
    overlap: str | None
    places: tuple[int, ...]
    cells: tuple[Cell, ...]

    @property
    def way(self) -> tuple[str, str, bool]:
        """What tells ways of cutting apart: chunker, unit, and whether there is a size."""
        return self.chunker, self.unit, self.overlap is not None


def lines_of(result: SweepResult) -> tuple[Line, ...]:
    """Group the cells of a result into lines, in the order of the grid.

    A cell belongs to the first of the overlaps as typed (``settings["overlaps"]``) that makes it. Where nothing is
    typed, overlaps that are a common share of every size make a line, and each other width does.

    Examples
    --------
    >>> from chunkscope import Document, sweep
    >>> result = sweep([Document("a.md", "一つ。二つ。")], chunkers="fixed", sizes=[2, 4], overlaps=["0", "1/2"])
    >>> [(line.chunker, line.overlap, line.places) for line in lines_of(result)]
    [('fixed', '0', (0, 2)), ('fixed', '1/2', (1, 3))]
    """
    typed = [(str(overlap), parse_overlaps(str(overlap))[0].at) for overlap in result.settings.get("overlaps", ())]
    groups: dict[tuple[str, str], list[int]] = {}
    for place, cell in enumerate(result.cells):
        groups.setdefault((cell.chunker, cell.unit), []).append(place)
    lines: list[Line] = []
    for (chunker, unit), places in groups.items():
        by_pair = {(cell.size, cell.overlap): place for place in places for cell in [result.cells[place]]}
        found: dict[str | None, list[int]] = {}
        sizes = sorted({size for size, _ in by_pair if size is not None})
        for overlap, at in typed or _shares(by_pair, sizes):
            for size in sizes:
                if (size, at(size)) in by_pair:
                    found.setdefault(overlap, []).append(by_pair.pop((size, at(size))))
        for (rest, width), place in sorted(by_pair.items(), key=lambda item: item[0][0] or 0):
            found.setdefault(None if rest is None else str(width), []).append(place)
        for name, members in found.items():
            members.sort(key=lambda place: result.cells[place].size or 0)
            cells = tuple(result.cells[place] for place in members)
            lines.append(Line(chunker, unit, name, tuple(members), cells))
    return tuple(sorted(lines, key=lambda line: min(line.places)))


COMMON_SHARES = ("1/2", "1/3", "1/4", "1/5", "1/6", "1/8", "1/10", "3/20", "1/20")


def _shares(
    by_pair: Mapping[tuple[int | None, int | None], int], sizes: Sequence[int]
) -> list[tuple[str, Callable[[int], int]]]:
    """Find common shares at which every size has an overlap, unless a few constant widths explain the grid."""
    n_sized = sum(size is not None for size, _ in by_pair)
    if len(sizes) < 3 or len({overlap for size, overlap in by_pair if size is not None}) <= n_sized // len(sizes):
        return []
    shares = [(share, parse_overlaps(share)[0].at) for share in COMMON_SHARES]
    return [(share, at) for share, at in shares if all((size, at(size)) in by_pair for size in sizes)]
