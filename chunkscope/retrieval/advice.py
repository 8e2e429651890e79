"""Advice in words, each from a figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from chunkscope.grid.results import Cell

FAR = 0.1
"""Shares that differ by this much are far apart."""
STEPS = (1, 2, 5, 10, 20, 25, 50, 100, 200, 500)
"""Widths of a grid that people write."""
NEAR = 0.02
"""Shares that differ by no more are equal, for advice."""


def advise(cells: Sequence[Cell], found: Sequence[Mapping[str, Any]], choice: int, alike: Sequence[int]) -> list[str]:
    """Write what the figures of the chosen cell, and the spread over all cells, suggest.

    Parameters
    ----------
    cells : sequence of Cell
    found : sequence of mapping
        What one retriever found in each.
    choice : int
        The chosen cell.
    alike : sequence of int
        The cells that do not differ from the best, the best included.
    """
    one = found[choice]
    k = one["k"][-1]
    if not one["strict"][str(k)][1]:
        return []
    return [
        text
        for text in (
            _crossing(one, k),
            _below(one, k),
            _ranking(found),
            _finer(cells, choice, alike),
        )
        if text
    ]


def _recall(found: Mapping[str, Any], k: int, judgement: str = "strict") -> float:
    hits, total = found[judgement][str(k)]
    return hits / total if total else 0.0


def _points(share: float) -> str:
    return f"{100 * share:.1f}"


def _crossing(one: Mapping[str, Any], k: int) -> str:
    strict, start = _recall(one, k), _recall(one, k, "start")
    if start - strict < FAR:
        return ""
    return (
        f"recall@{k} is {_points(start)} % where the start of the evidence counts, but {_points(strict)} % where all "
        "of it has to be in one chunk: evidence crosses cuts; overlap or larger chunks may help"
    )


def _below(one: Mapping[str, Any], k: int) -> str:
    misses = one["misses"][str(k)]
    n_misses = sum(misses.values())
    if not n_misses or misses["below"] * 2 <= n_misses:
        return ""
    return (
        f"{misses['below']} of {n_misses} misses at k = {k} are intact but ranked below: the ranking misses "
        "them, not the cut"
    )


def _ranking(found: Sequence[Mapping[str, Any]]) -> str:
    ks = found[0]["k"]
    if any(one["k"] != ks for one in found):
        return ""
    large = [k for k in ks if k >= 10]
    small = [k for k in ks if k <= 3]
    if not large or not small or len(found) < 2:
        return ""
    spread = {k: _spread([_recall(one, k) for one in found]) for k in (*small, large[0])}
    apart = [k for k in small if spread[k] >= FAR]
    if spread[large[0]] > NEAR or not apart:
        return ""
    return (
        f"cells are equal at k = {large[0]} (within {_points(spread[large[0]])} points) but "
        f"{_points(spread[apart[0]])} points apart at k = {apart[0]}: the ranking differs, not what can be found"
    )


def _spread(values: Sequence[float]) -> float:
    return max(values) - min(values)


def _finer(cells: Sequence[Cell], choice: int, alike: Sequence[int]) -> str:
    """Propose a grid around those cells of the chosen chunker that do not differ from the best."""
    chunker = (cells[choice].chunker, cells[choice].unit)
    sizes = sorted({cell.size for cell in cells if cell.size is not None and (cell.chunker, cell.unit) == chunker})
    good = {cells[place].size for place in alike if (cells[place].chunker, cells[place].unit) == chunker}
    places = [place for place, size in enumerate(sizes) if size in good]
    if not places or len(sizes) < 2:
        return ""
    low, high = sizes[max(places[0] - 1, 0)], sizes[min(places[-1] + 1, len(sizes) - 1)]
    step = max((width for width in STEPS if width * 8 <= high - low), default=1)
    if len(places) == 1 and places[0] == 0 and low > 1:
        return f"the best is the smallest size of the grid: try smaller ones, --sizes {max(low // 2, 1)}..{low}:{step}"
    if len(places) == 1 and places[0] == len(sizes) - 1:
        return f"the best is the largest size of the grid: try larger ones, --sizes {high}..{high * 2}:{step * 4}"
    if high - low < 4:
        return ""
    around = (
        "the best cell"
        if len(alike) == 1
        else f"the {len(alike)} cells that differ from the best by no more than chance"
    )
    return f"a finer grid worth trying next, around {around}: --sizes {low}..{high}:{step}"
