"""The verdict on a sweep: from which size on everything survives, what smaller size does so by luck, and the price."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from chunkscope.grid import parse_overlaps
from chunkscope.results import Cell, SweepResult

CHUNKS_PER_ANSWER = 5


@dataclass(frozen=True)
class Row:
    """The cells of one way of cutting and one overlap, by size: what a verdict speaks of.

    `overlap` is the grid's notation, such as ``1/6``; None where cells have no overlap to speak of.
    """

    chunker: str
    unit: str
    overlap: str | None
    cells: tuple[Cell, ...]

    def first_from_which(self, good: Callable[[Cell], bool]) -> Cell | None:
        """Give the smallest cell from which on it and every larger one is good.

        Examples
        --------
        >>> row = Row("fixed", "char", "0", tuple(Cell("fixed", "char", size, 0, 9) for size in (10, 20, 30)))
        >>> row.first_from_which(lambda cell: cell.size != 10).size
        20
        """
        found = None
        for cell in reversed(self.cells):
            if not good(cell):
                break
            found = cell
        return found


@dataclass(frozen=True)
class RowVerdict:
    """What one row of the grid comes to.

    Attributes
    ----------
    row : Row
    safe : Cell or None
        The smallest from which on no question is split and all table questions are together.
    earlier : Cell or None
        The smallest below it without a split; it may be lucky.
    """

    row: Row
    safe: Cell | None
    earlier: Cell | None


@dataclass(frozen=True)
class Obstacle:
    """A question that stands in the way, and the sizes at which it is split or parted from its header."""

    question: str
    kind: str
    sizes: tuple[int, ...]


@dataclass(frozen=True)
class Verdict:
    """The verdict for each row of the grid, and the best of them: the safe cell that hands on the least."""

    rows: tuple[RowVerdict, ...]
    best: RowVerdict | None


def grid_rows(result: SweepResult) -> tuple[Row, ...]:
    """Group the cells by way of cutting and overlap as it was written, by size."""
    written = [str(overlap) for overlap in result.settings.get("overlaps", ())]
    rows: list[Row] = []
    for chunker, unit in dict.fromkeys((cell.chunker, cell.unit) for cell in result.cells):
        cells = [cell for cell in result.cells if (cell.chunker, cell.unit) == (chunker, unit)]
        whole = tuple(cell for cell in cells if cell.size is None)
        if whole:
            rows.append(Row(chunker, unit, None, whole))
        sized = sorted((cell for cell in cells if cell.size is not None), key=lambda cell: cell.size or 0)
        rest = list(sized)
        for overlap in written:
            at = parse_overlaps(overlap)[0].at
            chosen = [cell for cell in sized if cell.overlap == at(cell.size or 0)]
            if chosen:
                rows.append(Row(chunker, unit, overlap, tuple(chosen)))
            rest = [cell for cell in rest if cell.overlap != at(cell.size or 0)]
        for width in dict.fromkeys(cell.overlap for cell in rest):
            rows.append(Row(chunker, unit, str(width), tuple(cell for cell in rest if cell.overlap == width)))
    return tuple(rows)


def judge(result: SweepResult) -> Verdict:
    """Give the verdict on a sweep with questions."""
    rows = []
    for row in grid_rows(result):
        safe = row.first_from_which(lambda cell: cell.is_whole)
        below = [cell for cell in row.cells if safe is None or (cell.size or 0) < (safe.size or 0)]
        earlier = next((cell for cell in below if not cell.split_questions), None)
        rows.append(RowVerdict(row, safe, earlier))
    safe_rows = [verdict for verdict in rows if verdict.safe]
    best = min(safe_rows, key=lambda verdict: _cost(verdict.safe), default=None)
    return Verdict(tuple(rows), best)


def _cost(cell: Cell | None) -> tuple[float, int]:
    if cell is None:
        raise ValueError("no cell has no cost")
    return characters_per_answer(cell) or 0.0, cell.chunk_characters


def characters_per_answer(cell: Cell) -> float | None:
    """Give what the model is handed for one answer: five chunks of mean length; None without chunks."""
    mean = cell.mean_length
    return None if mean is None else CHUNKS_PER_ANSWER * mean


def guaranteed_overlap(result: SweepResult, unit: str) -> int | None:
    """Give the overlap at which no evidence is ever split: one less than the longest is long.

    Windows that overlap by m - 1 leave no place for a cut through m characters. None without evidence.
    """
    longest = result.questions.longest.get(unit) if result.questions else None
    return longest - 1 if longest else None


def obstacles(row: Row) -> tuple[Obstacle, ...]:
    """List, in the order of the questions' first appearance, which are split or apart at which sizes."""
    sizes: dict[tuple[str, str], list[int]] = {}
    for cell in row.cells:
        for question in cell.split_question_ids or ():
            sizes.setdefault((question, "split"), []).append(cell.size or 0)
        for question in cell.apart_question_ids or ():
            sizes.setdefault((question, "apart"), []).append(cell.size or 0)
    return tuple(Obstacle(question, kind, tuple(found)) for (question, kind), found in sizes.items())


def size_ranges(sizes: Sequence[int], grid: Sequence[int]) -> str:
    """Write sizes short: neighbours in the grid become a range.

    Examples
    --------
    >>> size_ranges([50, 60, 70, 200], range(50, 210, 10))
    '50-70, 200'
    """
    places = {size: place for place, size in enumerate(grid)}
    runs: list[list[int]] = []
    for size in sizes:
        if runs and places[size] == places[runs[-1][-1]] + 1:
            runs[-1].append(size)
        else:
            runs.append([size])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)
