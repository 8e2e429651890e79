"""A sweep for the terminal: bars over all sizes, the telling cells, the questions in trouble, and the verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from operator import attrgetter

from chunkscope.grid.results import Cell, SweepResult
from chunkscope.grid.verdict import kept
from chunkscope.reports.base import SWEEP, ReportOptions
from chunkscope.reports.cell_columns import LUCKY, SAFE, cell_columns, legend
from chunkscope.reports.formatting import plural
from chunkscope.reports.retrieval_text import render_retrieval
from chunkscope.reports.selection import FEW_ROWS, MAX_CELLS, JudgedRow, best_rows, judged_rows
from chunkscope.reports.sparkline import axis, sparkline
from chunkscope.reports.table import lay_table
from chunkscope.reports.visible import visible
from chunkscope.reports.width import BOLD, GREEN, LEAST_WIDTH, YELLOW, fit, pad, painted, width, wrap
from chunkscope.reports.wording import cuts_sentence, head, longest_trouble, row_notes, row_title, trouble, verdict

MAX_QUESTIONS = 30
MAX_ID = 20
INDENT = "  "


@dataclass(frozen=True)
class Style:
    """How to lay out: terminal cells in a line, colours, and whether only ASCII marks can be shown."""

    width: int = 80
    color: bool = False
    ascii: bool = False

    def name(self, text: str) -> str:
        """Make an id or a path fit to print."""
        return visible(text, ascii=self.ascii)

    def paint(self, code: str, text: str) -> str:
        """Colour a text that has its final width."""
        return painted(text, code, self.color)

    def wrap(self, text: str, first: str = "", rest: str | None = None) -> list[str]:
        """Break a sentence into lines."""
        return wrap(text, self.width, first=first, rest=rest)


class SweepTable:
    """The format ``table``: what cuts do, and what was found where chunks were ranked."""

    takes = (SWEEP,)

    def render(self, result: SweepResult, options: ReportOptions) -> str:
        """Write a sweep for people."""
        width, all_rows, ascii = options.width, options.all_rows, options.ascii
        text = render_sweep(result, width=width, all_rows=all_rows, color=options.color, ascii=ascii)
        ranked = render_retrieval(result, width=width, all_rows=all_rows, ascii=ascii)
        return f"{text}\n{ranked}" if ranked else text


def render_sweep(
    result: SweepResult, *, width: int = 80, all_rows: bool = False, color: bool = False, ascii: bool = False
) -> str:
    """Write a sweep for people: what was looked at, each row of the grid, and the verdict.

    Parameters
    ----------
    result : SweepResult
        With questions or without.
    width : int
        Terminal cells in a line; no line is wider.
    all_rows : bool
        Every cell and question instead of the telling ones.
    color : bool
        With ANSI colours.
    ascii : bool
        Marks of ASCII only, for consoles that cannot show bars; ids and paths stay as they are.

    Returns
    -------
    str
        Lines, each with its end.

    Examples
    --------
    >>> from chunkscope.measures.lengths import LengthCounts
    >>> from chunkscope.grid.results import Cell, CorpusInfo
    >>> cells = (Cell("fixed", "char", 50, 0, 90, chunks=2, lengths=LengthCounts.of({50: 1, 40: 1})),)
    >>> print(render_sweep(SweepResult({}, CorpusInfo("docs", 1, 90), None, cells)).splitlines()[0])
    docs: 1 document, 90 characters
    """
    style = Style(max(width, LEAST_WIDTH), color, ascii)
    found = judged_rows(result)
    shown = found if all_rows else best_rows(found)
    lines: list[str] = []
    for sentence in head(result, style.name):
        lines += style.wrap(sentence, rest=INDENT)
    if result.cells:
        lines += ["", *style.wrap(legend(result))]
    for judged in shown:
        lines += ["", *_row(result, judged, style, None if all_rows else len(shown))]
    if len(shown) < len(found):
        rest = plural(len(found) - len(shown), "further row of the grid is", "further rows of the grid are")
        lines += ["", *style.wrap(f"{rest} worse than these; --all shows them.")]
    if result.cells:
        lines += ["", style.paint(BOLD, "Verdict")]
        for sentence in verdict(result, shown, style.name):
            lines += style.wrap(sentence, first="- ")
    return "\n".join(lines) + "\n"


def _row(result: SweepResult, judged: JudgedRow, style: Style, n_shown: int | None) -> Iterator[str]:
    """Write one row of the grid; `n_shown` rows share the room, None: no limit."""
    title = row_title(judged.row, style.name)
    for line in style.wrap(title, rest=INDENT):
        yield style.paint(BOLD, line)
    yield from _bars(result, judged, style)
    limit = _limit(n_shown, len(judged.row.cells))
    places = judged.telling(limit)
    shown = cell_columns(result, judged, [judged.row.cells[place] for place in places])
    for line in lay_table(shown, style.width, ascii=style.ascii):
        yield _highlight(line, style)
    n_left = len(judged.row.cells) - len(places)
    if n_left:
        yield from style.wrap(f"{plural(n_left, 'size')} left out; --all shows every size.", first=INDENT)
    yield from _trouble(judged, style, n_shown)
    ends = {cell.key: cuts_sentence(cell) for cell in (judged.row.cells[0], judged.key_cell)}
    for sentence in filter(None, ends.values()):
        yield from style.wrap(sentence, first=INDENT, rest=INDENT * 2)
    for note in row_notes(judged, result.corpus.documents):
        yield from style.wrap(note, first=f"{INDENT}! ")


def _limit(n_shown: int | None, n_cells: int) -> int:
    if n_shown is None:
        return n_cells
    return MAX_CELLS if n_shown <= FEW_ROWS else MAX_CELLS // 2


def _bars(result: SweepResult, judged: JudgedRow, style: Style) -> Iterator[str]:
    cells = judged.row.cells
    if len(cells) < 2:
        return
    room = style.width - len(INDENT)
    shown = {cell.key for cell in judged.named()}
    under = axis([str(cell.size) for cell in cells], [n for n, cell in enumerate(cells) if cell.key in shown], room)
    for label, total, counts, top in _bar_rows(result, judged):
        highest = max(counts)
        told = f"{label}, by size (worst: {highest:,} of {total:,})" if highest else f"{label}: none"
        yield from style.wrap(told, first=INDENT)
        if highest:
            yield INDENT + sparkline(counts, top, columns=room, ascii=style.ascii)
            yield INDENT + fit(under, room, ascii=style.ascii)


def _bar_rows(result: SweepResult, judged: JudgedRow) -> Iterator[tuple[str, int, list[int], int]]:
    """Give label, total, counts by size, and the highest count of the whole grid, which all its rows are drawn to."""
    counted: list[tuple[str, int, Callable[[Cell], int]]] = []
    if judged.with_questions and result.questions:
        counted.append(("questions split", result.questions.valid, attrgetter("split_questions")))
        n_tables = judged.row.cells[0].table_questions
        if n_tables:
            counted.append(("table questions separated from the header", n_tables, attrgetter("header_lost_questions")))
    else:
        counted += [(LOST[whole.kind], whole.total, partial(lost, whole.kind)) for whole in judged.structure.kinds]
    for label, total, count in counted:
        yield label, total, [count(cell) for cell in judged.row.cells], max(map(count, result.cells))


def lost(kind: str, cell: Cell) -> int:
    """Give how many of a kind are not whole in a cell."""
    whole, total = kept(cell, kind)
    return total - whole


LOST = {
    "table_rows": "table rows separated from the header",
    "sentences": "sentences cut",
    "code_blocks": "code blocks cut",
    "headings": "headings cut off their block",
}


def _highlight(line: str, style: Style) -> str:
    for word, code in ((SAFE, GREEN), (LUCKY, YELLOW)):
        if line.endswith(word):
            return line[: -len(word)] + style.paint(code, word)
    return line


def _trouble(judged: JudgedRow, style: Style, n_shown: int | None) -> Iterator[str]:
    if not judged.with_questions:
        return
    if any(cell.split_question_ids is None for cell in judged.row.cells):
        if any(not cell.is_whole for cell in judged.row.cells):
            yield from style.wrap("question ids are left out of large grids; --ids names them", first=INDENT)
        return
    everything = trouble(judged.row)
    limit = len(everything) if n_shown is None else MAX_QUESTIONS if n_shown <= FEW_ROWS else MAX_QUESTIONS // 3
    found = longest_trouble(everything, limit)
    room = min(MAX_ID, style.width // 3)
    ids = [fit(style.name(question.id), room, ascii=style.ascii) for question in found]
    widest = max(map(width, ids), default=0)
    for question_id, question in zip(ids, found, strict=True):
        yield from style.wrap(question.where, first=INDENT + pad(question_id, widest) + INDENT)
    if len(everything) > len(found):
        n_left = len(everything) - len(found)
        yield from style.wrap(f"and {n_left:,} more (--format json lists them)", first=INDENT)
