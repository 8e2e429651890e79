"""Which cells of a grid are worth a line: the best of each way of cutting, or the telling sizes of one."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

import numpy as np

from chunkscope.grid.advice import Advice, cuts_of, losses_of, options_of
from chunkscope.grid.choice import floor, start
from chunkscope.grid.limits import ModelLimit
from chunkscope.grid.lines import Line, lines_of
from chunkscope.grid.results import SweepResult

MAX_CELLS = 12
FEW = 20
"""So many sizes that were listed one by one are all shown."""


def ways_of(lines: Sequence[Line]) -> dict[tuple[str, str, bool], list[Line]]:
    """Group the lines of a grid by way of cutting."""
    ways: dict[tuple[str, str, bool], list[Line]] = {}
    for line in lines:
        ways.setdefault(line.way, []).append(line)
    return ways


def chosen_cells(
    result: SweepResult, limit: ModelLimit, *, everything: bool = False, most: int = MAX_CELLS
) -> list[int]:
    """Choose the cells to show, by place: the best of each way, or the telling sizes where there is one way.

    Parameters
    ----------
    result : SweepResult
    limit : ModelLimit
    everything : bool
        All cells, in the order of the lines.
    most : int
        So many sizes of one way, unless they were listed one by one.
    """
    lines = lines_of(result)
    ways = ways_of(lines)
    if everything or (len(ways) == 1 and _is_listed(result)):
        return [place for line in lines for place in line.places]
    if len(ways) == 1:
        return telling(result, lines, most)
    return [best_of(result, members, limit) for members in ways.values()]


def _is_listed(result: SweepResult) -> bool:
    """Tell whether the cells were listed one by one, so that none of them may be left out."""
    sizes = str(result.settings.get("sizes", ""))
    return len(result.cells) <= MAX_CELLS or (".." not in sizes and len(result.cells) <= FEW)


def best_of(result: SweepResult, lines: Sequence[Line], limit: ModelLimit) -> int:
    """Give the advised cell, or the one that the rule would choose among those of one way; where none fits, of all."""
    places = sorted(place for line in lines for place in line.places)
    if isinstance(result.advice, Advice):
        for place in places:
            if result.cells[place].key == result.advice.key:
                return place
    number = {place: rank for rank, place in enumerate(places)}
    own = [dataclasses.replace(line, places=tuple(number[place] for place in line.places)) for line in lines]
    options = options_of([result.cells[place] for place in places], own, limit)
    if not options.fits.any():
        options = dataclasses.replace(options, fits=np.ones(len(options), dtype=np.bool_))
    if result.questions is not None:
        return places[floor(options, losses_of(result)[places], 0.0)]
    cut, totals = cuts_of(result)
    return places[start(options, cut[places], totals)] if len(totals) else places[0]


def telling(result: SweepResult, lines: Sequence[Line], limit: int = MAX_CELLS) -> list[int]:
    """Choose cells of one way: the advised one and its neighbours, the ends, lucky ones, changes, then evenly."""
    chosen: dict[int, None] = {}
    for place in _by_interest(result, lines):
        chosen[place] = None
        if len(chosen) >= limit:
            break
    order = [place for line in lines for place in line.places]
    return sorted(chosen, key=order.index)


def _by_interest(result: SweepResult, lines: Sequence[Line]) -> Iterator[int]:
    advice, cells = result.advice, result.cells
    for line in lines:
        for rank, place in enumerate(line.places):
            if isinstance(advice, Advice) and cells[place].key == advice.key:
                yield place
                yield from line.places[max(rank - 1, 0) : rank + 2]
    for line in lines:
        yield from (line.places[0], line.places[-1])
    if result.questions is not None:
        yield from (place for line in lines for place in line.places if cells[place].is_lucky)
    order = [place for line in lines for place in line.places]
    step = 1
    while step <= 2 * len(order):
        yield from (order[len(order) * odd // step] for odd in range(1, step, 2))
        step *= 2
    yield from order
