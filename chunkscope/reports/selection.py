"""Which rows and cells of a large grid are worth a line."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator

from chunkscope.grid.results import Cell, SweepResult
from chunkscope.grid.verdict import Row, RowVerdict, StructureVerdict, cost_order, judge, judge_structure, kept

MAX_CELLS = 12
MAX_ROWS = 12
FEW_ROWS = 4
"""Up to so many rows of the grid get all their lines; more share them."""


def asks(result: SweepResult) -> bool:
    """Tell whether questions were asked, of which at least one counts."""
    return result.questions is not None and result.questions.valid > 0


class JudgedRow:
    """One row of the grid and its verdict, with or without questions.

    Attributes
    ----------
    row : Row
    with_questions : bool
    verdict : RowVerdict
    structure : StructureVerdict
    """

    def __init__(self, verdict: RowVerdict, structure: StructureVerdict, with_questions: bool) -> None:
        self.row: Row = verdict.row
        self.verdict = verdict
        self.structure = structure
        self.with_questions = with_questions

    @property
    def safe(self) -> Cell | None:
        """The smallest cell from which on everything is whole."""
        return self.verdict.safe if self.with_questions else self.structure.safe

    @property
    def key_cell(self) -> Cell:
        """The cell to speak of: the safe one, else the largest."""
        return self.safe or self.row.cells[-1]

    def spoilt(self, cell: Cell) -> tuple[int, int]:
        """Give what a cell spoils, worst first: split and parted questions, or all that is not whole."""
        if self.with_questions:
            return cell.split_questions, cell.header_lost_questions
        counts = [kept(cell, whole.kind) for whole in self.structure.kinds]
        return sum(total - whole for whole, total in counts), 0

    def telling(self, limit: int) -> list[int]:
        """Choose cells, by place: ends, the verdict's cells and their neighbours, worst and best, changes, the rest."""
        n_cells = len(self.row.cells)
        if n_cells <= limit:
            return list(range(n_cells))
        chosen: dict[int, None] = {}
        for place in self._by_interest():
            if 0 <= place < n_cells:
                chosen[place] = None
            if len(chosen) >= limit:
                break
        return sorted(chosen)

    def _by_interest(self) -> Iterator[int]:
        cells = self.row.cells
        place_of = {cell.key: place for place, cell in enumerate(cells)}
        named = [place_of[cell.key] for cell in self.named() if cell.key in place_of]
        yield from (0, len(cells) - 1, *named)
        for place in named:
            yield from (place - 1, place + 1)
        spoilt = [self.spoilt(cell) for cell in cells]
        yield from (spoilt.index(max(spoilt)), spoilt.index(min(spoilt)))
        clean = [not any(found) for found in spoilt]
        yield from (place for place in range(1, len(cells)) if clean[place] != clean[place - 1])
        yield from _spread(len(cells))

    def named(self) -> list[Cell]:
        """Give the cells that the verdict names."""
        if self.with_questions:
            cells = [self.safe, self.verdict.earlier, self.verdict.unsplit]
        else:
            cells = [self.safe, *(whole.safe or whole.best for whole in self.structure.kinds)]
        return [cell for cell in cells if cell is not None]


def _spread(n: int) -> Iterator[int]:
    """Give all places, halves first, then quarters and so on."""
    step = 1
    while step <= 2 * n:
        yield from (n * odd // step for odd in range(1, step, 2))
        step *= 2
    yield from range(n)


def judged_rows(result: SweepResult) -> list[JudgedRow]:
    """Pair each row of the grid with its verdict."""
    with_questions = asks(result)
    structures = judge_structure(result)
    if result.questions is not None and not with_questions:
        # Questions of which none counts are no verdict, and what the documents hold must not pass for one.
        structures = tuple(dataclasses.replace(structure, safe=None) for structure in structures)
    pairs = zip(judge(result).rows, structures, strict=True)
    return [JudgedRow(verdict, structure, with_questions) for verdict, structure in pairs]


def best_rows(found: Iterable[JudgedRow], limit: int = MAX_ROWS) -> list[JudgedRow]:
    """Choose the rows of a large grid that come nearest to keeping everything whole at the least cost; order stays."""
    found = list(found)
    order = sorted(range(len(found)), key=lambda place: (_rank(found[place]), place))
    return [found[place] for place in sorted(order[:limit])]


def _rank(judged: JudgedRow) -> tuple[bool, tuple[int, int], tuple[bool, float, int]]:
    cell = judged.safe or min(judged.row.cells, key=judged.spoilt)
    return judged.safe is None, judged.spoilt(cell), cost_order(cell)


def cheapest(found: Iterable[JudgedRow]) -> JudgedRow | None:
    """Give the row with the best safe cell: not lucky if there is one, then the least to hand on for an answer."""
    safe = [(cost_order(judged.safe), judged) for judged in found if judged.safe is not None]
    return min(safe, key=lambda ranked: ranked[0])[1] if safe else None
