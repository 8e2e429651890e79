"""The verdict on a sweep: from which size on everything survives, what smaller size does so by luck, and the price."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from chunkscope.grid.notation import parse_overlaps
from chunkscope.grid.results import Cell, SweepResult

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
    unsplit : Cell or None
        The smallest from which on no question is split, whatever becomes of table questions.
    """

    row: Row
    safe: Cell | None
    earlier: Cell | None
    unsplit: Cell | None = None


@dataclass(frozen=True)
class Obstacle:
    """A question that stands in the way, and the sizes at which it is; 0 are whole sections."""

    question: str
    kind: str
    sizes: tuple[int, ...]


@dataclass(frozen=True)
class Verdict:
    """The verdict for each row of the grid, and the best: the safe cell, not lucky if there is one, of least cost."""

    rows: tuple[RowVerdict, ...]
    best: RowVerdict | None


def grid_rows(result: SweepResult) -> tuple[Row, ...]:
    """Group the cells by way of cutting and overlap as it was written (``settings["overlaps"]``), by size.

    Where nothing is written, overlaps that are a common share of every size make a row, and each other width does.
    """
    written = [(str(overlap), parse_overlaps(str(overlap))[0].at) for overlap in result.settings.get("overlaps", ())]
    rows: list[Row] = []
    groups: dict[tuple[str, str], list[Cell]] = {}
    for cell in result.cells:
        groups.setdefault((cell.chunker, cell.unit), []).append(cell)
    for (chunker, unit), cells in groups.items():
        whole = tuple(cell for cell in cells if cell.size is None)
        if whole:
            rows.append(Row(chunker, unit, None, whole))
        sized = {(cell.size, cell.overlap): cell for cell in cells if cell.size is not None}
        sizes = sorted({size for size, _ in sized})
        rest = dict(sized)
        for overlap, at in written or _shares(sized, sizes):
            keys = [(size, at(size)) for size in sizes if (size, at(size)) in sized]
            if keys:
                rows.append(Row(chunker, unit, overlap, tuple(sized[key] for key in keys)))
            for key in keys:
                rest.pop(key, None)
        by_width: dict[int | None, list[Cell]] = {}
        for place in sorted(rest, key=lambda place: place[0]):
            by_width.setdefault(place[1], []).append(rest[place])
        rows.extend(Row(chunker, unit, str(width), tuple(found)) for width, found in by_width.items())
    return tuple(rows)


COMMON_SHARES = ("1/2", "1/3", "1/4", "1/5", "1/6", "1/8", "1/10", "3/20", "1/20")


def _shares(
    sized: Mapping[tuple[int, int | None], Cell], sizes: Sequence[int]
) -> list[tuple[str, Callable[[int], int]]]:
    """Find common shares at which every size has an overlap, unless a few constant widths explain the grid."""
    if len(sizes) < 3 or len({overlap for _, overlap in sized}) <= len(sized) // len(sizes):
        return []
    shares = [(share, parse_overlaps(share)[0].at) for share in COMMON_SHARES]
    return [(share, at) for share, at in shares if all((size, at(size)) in sized for size in sizes)]


def judge(result: SweepResult) -> Verdict:
    """Give the verdict on a sweep with questions; without a valid one nothing is safe."""
    rows = []
    has_questions = result.questions is not None and result.questions.valid > 0
    for row in grid_rows(result):
        if not has_questions:
            rows.append(RowVerdict(row, None, None))
            continue
        safe = row.first_from_which(lambda cell: cell.is_whole)
        below = [cell for cell in row.cells if safe is None or (cell.size or 0) < (safe.size or 0)]
        earlier = next((cell for cell in below if not cell.split_questions), None)
        unsplit = row.first_from_which(lambda cell: not cell.split_questions)
        rows.append(RowVerdict(row, safe, earlier, unsplit))
    safe_rows = [(cost_order(verdict.safe), verdict) for verdict in rows if verdict.safe]
    best = min(safe_rows, key=lambda ranked: ranked[0], default=(None, None))[1]
    return Verdict(tuple(rows), best)


@dataclass(frozen=True)
class Whole:
    """How one kind of thing fares along a row of the grid.

    Attributes
    ----------
    kind : str
        ``table_rows``, ``sentences``, ``code_blocks`` or ``headings``.
    total : int
    safe : Cell or None
        The smallest from which on all are whole (table rows: with their header).
    best : Cell
        The smallest of those that keep the most.
    kept : int
        How many the best keeps.
    """

    kind: str
    total: int
    safe: Cell | None
    best: Cell
    kept: int


@dataclass(frozen=True)
class StructureVerdict:
    """What one row of the grid comes to without questions.

    Attributes
    ----------
    row : Row
    kinds : tuple of Whole
        Those of which the documents have any.
    safe : Cell or None
        The smallest from which on all of all kinds are whole.
    """

    row: Row
    kinds: tuple[Whole, ...]
    safe: Cell | None


KINDS = ("table_rows", "sentences", "code_blocks", "headings")


def kept(cell: Cell, kind: str) -> tuple[int, int]:
    """Give how many of a kind are whole in a cell, and how many there are; (0, 0) where they were not counted.

    Examples
    --------
    >>> kept(Cell("fixed", "char", 50, 0, 9, table_rows=4, table_rows_with_header=1), "table_rows")
    (1, 4)
    """
    ending = "with_header" if kind == "table_rows" else "whole"
    return getattr(cell, f"{kind}_{ending}") or 0, getattr(cell, kind) or 0


def judge_structure(result: SweepResult) -> tuple[StructureVerdict, ...]:
    """Give the verdict without questions: from which size on rows, sentences, code and headings are whole."""
    return tuple(_judge_structure(row) for row in grid_rows(result))


def _judge_structure(row: Row) -> StructureVerdict:
    kinds = tuple(_judge_kind(row, kind) for kind in KINDS if any(kept(cell, kind)[1] for cell in row.cells))
    safe = row.first_from_which(lambda cell: all(_all_kept(cell, whole.kind) for whole in kinds)) if kinds else None
    return StructureVerdict(row, kinds, safe)


def _judge_kind(row: Row, kind: str) -> Whole:
    best = max(row.cells, key=lambda cell: kept(cell, kind)[0])
    n_kept, total = kept(best, kind)
    return Whole(kind, total, row.first_from_which(lambda cell: _all_kept(cell, kind)), best, n_kept)


def _all_kept(cell: Cell, kind: str) -> bool:
    whole, total = kept(cell, kind)
    return whole == total


def cost_order(cell: Cell) -> tuple[bool, float, int]:
    """Order safe cells: lucky ones last, then by characters for an answer, then by characters to embed."""
    return cell.is_lucky, characters_per_answer(cell) or 0.0, cell.chunk_characters


def characters_per_answer(cell: Cell) -> float | None:
    """Give what the model is handed for one answer: five chunks of mean length; None without chunks."""
    mean = cell.lengths.mean
    return None if mean is None else CHUNKS_PER_ANSWER * mean


def guaranteed_overlap(result: SweepResult, unit: str) -> int | None:
    """Give the overlap at which no evidence is ever split: one less than the longest is long.

    Windows that overlap by m - 1 leave no place for a cut through m characters. It holds for `fixed` in characters and
    for raw token windows (`is_guaranteed`), at sizes above it. None without evidence.
    """
    longest = result.questions.longest.get(unit) if result.questions else None
    return longest - 1 if longest else None


def is_guaranteed(row: Row) -> bool:
    """Tell whether an overlap can guarantee that nothing is split: windows of one step, whatever the text.

    Packed chunks promise less: evidence may begin inside a token or word, which then has to fit in too.
    """
    settings = row.chunker.partition("(")[2]
    return (row.chunker.startswith("fixed") and row.unit == "char") or "raw=true" in settings


def obstacles(row: Row) -> tuple[Obstacle, ...]:
    """List which questions are in trouble at which sizes, in the natural order of their ids: q2 before q10."""
    sizes: dict[tuple[str, str], list[int]] = {}
    for cell in row.cells:
        for question in cell.split_question_ids or ():
            sizes.setdefault((question, "split"), []).append(cell.size or 0)
        for question in cell.header_lost_question_ids or ():
            sizes.setdefault((question, "header lost"), []).append(cell.size or 0)
    ordered = sorted(sizes.items(), key=lambda item: _natural(item[0][0]))
    return tuple(Obstacle(question, kind, tuple(found)) for (question, kind), found in ordered)


def _natural(identity: str) -> list[tuple[int, int, str]]:
    parts = re.split(r"(\d+)", identity, flags=re.ASCII)
    return [(1, int(part), "") if part.isdecimal() else (0, 0, part) for part in parts if part]


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
