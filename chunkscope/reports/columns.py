"""What a table of cells shows, as columns of texts: what the terminal and Markdown lay out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from chunkscope.errors import unit_noun
from chunkscope.grid.advice import KINDS, Advice, cut_in_two, harm, kept, largest_chunk
from chunkscope.grid.limits import ModelLimit
from chunkscope.grid.results import Cell, SweepResult
from chunkscope.language import Text, say
from chunkscope.measures.base import Field
from chunkscope.reports.formatting import decimal, money, of, times
from chunkscope.reports.table import TextColumn

ADVISED, TOO_LARGE = ">", "!"


@dataclass(frozen=True)
class ShownCells:
    """The cells of a table, and by what they are told apart.

    Attributes
    ----------
    cells : sequence of Cell
    labels : sequence of str
        The way of cutting of each; blank where the one above is meant too.
    limit : ModelLimit
    everything : bool
        Further columns: chunks, the characters to embed, luck.
    """

    cells: Sequence[Cell]
    labels: Sequence[str]
    limit: ModelLimit
    everything: bool = False

    def column(self, title: str, text: Callable[[Cell], str]) -> TextColumn:
        """Give the column of what is told of each cell."""
        return TextColumn(title, tuple(map(text, self.cells)))


def way_label(cell: Cell, name: Callable[[str], str] = str) -> str:
    """Name the way of cutting of a cell; `name` makes its chunker fit to print.

    Examples
    --------
    >>> way_label(Cell("heading", "char", None, None, 9)), way_label(Cell("sentence", "word", 100, 0, 9))
    ('whole sections', 'sentence in words')
    """
    if cell.size is None:
        return say("whole sections") if cell.chunker == "heading" else name(cell.chunker)
    chunker = name(cell.chunker)
    if cell.chunker.startswith("token"):
        return say("{chunker} (in tokens)", chunker=chunker)
    plain = cell.unit == "char" or cell.unit in cell.chunker
    return chunker if plain else say("{chunker} in {unit}", chunker=chunker, unit=unit_noun(cell.unit))


def labels_of(cells: Sequence[Cell], name: Callable[[str], str]) -> list[str]:
    """Name the way of each cell; blank where it is that of the cell above."""
    found = [way_label(cell, name) for cell in cells]
    return [label if not n or found[n - 1] != label else "" for n, label in enumerate(found)]


def setting(cell: Cell | Advice) -> str:
    """Name a cell among those of its way: size/overlap; blank for whole sections."""
    return "" if cell.size is None else f"{cell.size}/{cell.overlap}"


def cell_columns(result: SweepResult, shown: ShownCells) -> list[TextColumn]:
    """Give the columns for some cells of a sweep."""
    advice = result.advice
    marks = [ADVISED if isinstance(advice, Advice) and cell.key == advice.key else "" for cell in shown.cells]
    columns = [
        TextColumn("", tuple(marks), left=True),
        TextColumn("", tuple(shown.labels), left=True),
        shown.column(say("size/\noverlap"), setting),
    ]
    columns += _structure(shown) if result.questions is None else _questions(result, shown)
    columns += _asked_for(result, shown)
    columns.append(largest_column(shown))
    if shown.everything:
        columns += [
            shown.column(say("chunks"), lambda cell: f"{cell.chunks:,}"),
            shown.column(say("to embed"), lambda cell: times(cell.duplication)),
        ]
    return columns


def _structure(shown: ShownCells) -> list[TextColumn]:
    first = shown.cells[0]
    columns = []
    for kind in KINDS:
        total = kept(first, kind)[1]
        if total:
            columns.append(shown.column(_kind_title(kind, total), partial(_cut, kind)))
    return [*columns, *_header_lost(shown)]


def _kind_title(kind: str, total: int) -> Text:
    if kind == "sentences":
        return say("sentences\ncut of\n{total:,}", total=total)
    if kind == "code_blocks":
        return say("code\ncut of\n{total:,}", total=total)
    if kind == "headings":
        return say("headings\ncut of\n{total:,}", total=total)
    return say("rows\ncut of\n{total:,}", total=total)


def _header_lost(shown: ShownCells) -> list[TextColumn]:
    total = shown.cells[0].table_rows
    title = say("header\nlost of\n{total:,}", total=total)
    return [shown.column(title, lambda cell: f"{total - cell.table_rows_with_header:,}")] if total else []


def _cut(kind: str, cell: Cell) -> str:
    return f"{cut_in_two(cell, kind):,}"


def _questions(result: SweepResult, shown: ShownCells) -> list[TextColumn]:
    total = result.questions.valid if result.questions else 0
    columns = [shown.column(say("answer\ncut"), lambda cell: f"{cell.split_questions:,}")]
    if any(cell.table_questions for cell in shown.cells):
        columns.append(shown.column(say("header\nlost"), lambda cell: f"{cell.header_lost_questions:,}"))
    columns.append(shown.column(say("harmed\nof {total:,}", total=total), lambda cell: _harm(harm(cell))))
    if shown.everything and any(cell.expected_split_questions is not None for cell in shown.cells):
        columns.append(shown.column(say("cut on\naverage"), lambda cell: decimal(cell.expected_split_questions)))
    if shown.everything:
        columns += _header_lost(shown)
    return columns


def _harm(value: float) -> str:
    return f"{round(value):,}" if value == round(value) else decimal(value)


def largest_column(shown: ShownCells) -> TextColumn:
    """Give the column of the largest chunks, with a mark where one is above the limit."""
    return shown.column(say("largest"), partial(_largest, shown.limit))


def _largest(limit: ModelLimit, cell: Cell) -> str:
    largest = largest_chunk(cell, limit)
    return f"{largest:,} {TOO_LARGE}" if largest > limit.limit else f"{largest:,}"


def _asked_for(result: SweepResult, shown: ShownCells) -> list[TextColumn]:
    """Give what the user named: tokens, their price, the fields of further measures."""
    found = []
    price = result.settings.get("price")
    if any(cell.tokens is not None for cell in shown.cells):
        found.append(shown.column(say("tokens"), lambda cell: "" if cell.tokens is None else f"{cell.tokens:,}"))
        if isinstance(price, int | float) and not isinstance(price, bool):
            found.append(shown.column(say("cost"), partial(_cost, price)))
    return found + [shown.column(entry.title, partial(_extra, entry)) for entry in result.fields]


def _cost(price: float, cell: Cell) -> str:
    return "" if cell.tokens is None else cost(cell.tokens, price)


def _extra(entry: Field, cell: Cell) -> str:
    """Write what a measure from outside counted."""
    value = cell.extra.get(entry.name)
    if entry.of is not None and isinstance(value, int):
        return of(value, cell.value(entry.of))
    return "" if value is None else f"{value:,}" if isinstance(value, int) else decimal(value)


def cost(n_tokens: int, price: float) -> str:
    """Write what tokens cost at a price for a million."""
    return money(n_tokens * price / 1_000_000)
