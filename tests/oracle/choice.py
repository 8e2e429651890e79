"""The rule of the advice, cell by cell and line by line, as the design page says it."""

from __future__ import annotations

from typing import NamedTuple


class Cell(NamedTuple):
    """A cell as the rule sees it; `losses` are one number, or one a kind."""

    line: int
    size: int
    fits: bool
    price: float
    chunks: int
    says_nothing: bool
    losses: tuple[float, ...]


def line_of(cells, number):
    """Give the places of the cells of a line that fit, by size."""
    return sorted((p for p, cell in enumerate(cells) if cell.fits and cell.line == number), key=lambda p: cells[p].size)


def counted(cells, place, kind=0):
    """Give the loss that counts: the cell's own, or the mean with its neighbours in size."""
    own = cells[place].losses[kind]
    line = line_of(cells, cells[place].line)
    if not cells[place].fits or len(line) < 3:
        return own
    rank = line.index(place)
    near = [cells[p].losses[kind] for p in line[max(rank - 1, 0) : rank + 2]]
    return max(own, sum(near) / len(near))


def candidates(cells, tolerance):
    """Give the places of the cells that lose at most so much more than the least."""
    able = [p for p, cell in enumerate(cells) if cell.fits and not cell.says_nothing]
    able = able or [p for p, cell in enumerate(cells) if cell.fits]
    least = min(counted(cells, p) for p in able)
    return [p for p in able if counted(cells, p) <= least + tolerance + 1e-9]


def pick(cells, tolerance):
    """Choose the cheapest candidate."""
    return min(
        candidates(cells, tolerance), key=lambda p: (cells[p].price, round(counted(cells, p), 7), cells[p].chunks, p)
    )


def floor(cells, tolerance):
    """Choose the cheapest of the cells from which on nothing is harmed."""
    able, chosen = candidates(cells, tolerance), []
    for number in sorted({cell.line for cell in cells}):
        line = line_of(cells, number)
        safe = [p for rank, p in enumerate(line) if p in able and all(cells[q].losses[0] < 0.5 for q in line[rank:])]
        rest = [p for p in line if p in able]
        if safe:
            chosen.append(safe[0])
        elif rest:
            chosen.append(min(rest, key=lambda p: (counted(cells, p), cells[p].size)))
    return min(chosen, key=lambda p: (cells[p].price, round(cells[p].losses[0]), cells[p].chunks, p))


def start(cells, totals):
    """Choose the cell of which no kind has more than 5 % cut in two, or the one with the lowest worst share."""

    def cuts(place):
        return [counted(cells, place, kind) for kind in range(len(totals))]

    def meets(place):
        return all(cut <= max(0.05 * total, 1) + 1e-9 for cut, total in zip(cuts(place), totals, strict=True))

    def worst(place):
        return round(max(cut / total for cut, total in zip(cuts(place), totals, strict=True)), 9)

    chosen = []
    for number in sorted({cell.line for cell in cells}):
        line = line_of(cells, number)
        met = [p for p in line if meets(p)]
        if line:
            chosen.append(met[0] if met else min(line, key=lambda p: (worst(p), cells[p].size)))
    return min(chosen, key=lambda p: (not meets(p), worst(p), cells[p].price, cells[p].chunks, p))
