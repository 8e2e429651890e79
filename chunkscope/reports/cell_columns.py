"""The table of a row of the grid, as columns of texts: what the terminal and Markdown lay out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from chunkscope.grid.results import Cell, SweepResult, retriever_names
from chunkscope.grid.verdict import KINDS, kept
from chunkscope.measures.base import Field
from chunkscope.reports.formatting import NOTHING, decimal, money, of, percent, rate, times
from chunkscope.reports.selection import JudgedRow
from chunkscope.reports.table import TextColumn

TITLES = {"strict": "recall", "start": "start", "answered": "answered"}
"""What tables call the judgements: in the first k chunks all evidence whole, its start, rows with headers."""


@dataclass(frozen=True)
class Figure:
    """How well one retriever did: how many questions the first k chunks answer, or the mean of 1 / rank.

    Attributes
    ----------
    retriever : str
        Its name; with a number where several have the same.
    title : str
        Such as ``recall@5``, or ``recall`` and ``k`` where that differs from cell to cell, ``MRR``, or ``recall in 1500
        char`` of the chunks that fit into a budget.
    value : float or None
        None over no question.
    shown : str
    """

    retriever: str
    title: str
    value: float | None
    shown: str

    @classmethod
    def of_hits(cls, retriever: str, title: str, hits: int, total: int) -> Figure:
        """Make one of counts."""
        return cls(retriever, title, rate(hits, total), percent(hits, total))


def recalls(cell: Cell) -> Iterator[Figure]:
    """Give the figures of a cell, retriever by retriever; none where it was not ranked.

    Examples
    --------
    >>> counts = {name: {"1": [1, 2]} for name in ("strict", "start", "answered")}
    >>> found = {"retriever": "bm25", "settings": {}, "k": [1], **counts, "mrr": 0.75}
    >>> cell = Cell("fixed", "char", 50, 0, 90, retrieval=(found, found))
    >>> [f"{figure.retriever} {figure.title}" for figure in recalls(cell)][2:5]
    ['bm25 answered@1', 'bm25 MRR', 'bm25-2 recall@1']
    """
    ranked = cell.retrieval or ()
    for name, found in zip(retriever_names(ranked), ranked, strict=True):
        differs = "context" in found["settings"]
        if differs:
            yield Figure(name, "k", found["k"][0], f"{found['k'][0]:,}")
        for judgement, title in TITLES.items():
            for k in found["k"]:
                yield Figure.of_hits(name, title if differs else f"{title}@{k}", *found[judgement][str(k)])
        if "budget" in found:
            budget = found["settings"]["budget"]
            for judgement, title in TITLES.items():
                yield Figure.of_hits(
                    name, f"{title} in {budget['limit']} {budget['unit']}", *found["budget"][judgement]
                )
        mean = found["mrr"]
        yield Figure(name, "MRR", mean, NOTHING if mean is None else f"{mean:.3f}")


KIND_TITLES = {"table_rows": "rows", "sentences": "sentences", "code_blocks": "code", "headings": "headings"}
INSIDE = ("character", "row", "code", "number", "word")
CLEAN = ("sentence", "block", "heading")
LUCKY, SAFE = "lucky", "safe from here"


def cell_columns(
    result: SweepResult, judged: JudgedRow, cells: Sequence[Cell], *, with_recall: bool = False
) -> list[TextColumn]:
    """Give the columns for cells of one row of the grid; those with nothing in them are left out.

    Parameters
    ----------
    result : SweepResult
    judged : JudgedRow
    cells : sequence of Cell
    with_recall : bool
        Add what was found when chunks were ranked; the terminal has a table of its own for that.
    """
    chosen = [
        _column("size", 0, cells, lambda cell: "section" if cell.size is None else str(cell.size)),
        _column("overlap", 8, cells, lambda cell: "" if cell.overlap is None else str(cell.overlap)),
        _column("chunks", 3, cells, lambda cell: f"{cell.chunks:,}"),
    ]
    chosen += _structure_columns(cells) if result.questions is None else _question_columns(result, cells)
    price = result.settings.get("price")
    chosen += [
        _column("text", 9, cells, lambda cell: times(cell.duplication)),
        _column("tokens", 10, cells, lambda cell: "" if cell.tokens is None else f"{cell.tokens:,}"),
    ]
    if isinstance(price, int | float) and not isinstance(price, bool):
        chosen.append(_column("cost", 5, cells, lambda cell: "" if cell.tokens is None else cost(cell.tokens, price)))
    chosen += [_column(entry.title, 2, cells, partial(_extra, entry)) for entry in result.fields]
    if with_recall:
        chosen += _recall_columns(cells)
    chosen.append(TextColumn("", tuple(mark(judged, cell) for cell in cells), 1, left=True))
    return [column for column in chosen if any(column.texts)]


def _question_columns(result: SweepResult, cells: Sequence[Cell]) -> list[TextColumn]:
    valid = result.questions.valid if result.questions else 0
    found = [
        _column("split", 1, cells, lambda cell: f"{cell.split_questions:,}"),
        _column(f"of {valid:,}", 2, cells, lambda cell: percent(cell.split_questions, valid)),
        _column("expected", 6, cells, lambda cell: decimal(cell.expected_split_questions)),
    ]
    if any(cell.table_questions for cell in cells):
        found.append(
            _column("tables", 2, cells, lambda cell: of(cell.table_questions_with_header, cell.table_questions))
        )
    if any(cell.table_rows for cell in cells):
        found.append(_column("rows", 7, cells, lambda cell: of(cell.table_rows_with_header, cell.table_rows)))
    return found


def _structure_columns(cells: Sequence[Cell]) -> list[TextColumn]:
    found = []
    if any(cell.cuts for cell in cells):
        found = [
            _column("bad cuts", 5, cells, lambda cell: percent(*cut_share(cell, INSIDE))),
            _column("clean cuts", 6, cells, lambda cell: percent(*cut_share(cell, CLEAN))),
        ]
    for rank, kind in enumerate(KINDS, 1):
        if any(kept(cell, kind)[1] for cell in cells):
            found.append(_column(KIND_TITLES[kind], rank, cells, partial(_kept, kind)))
    return found


def _recall_columns(cells: Sequence[Cell]) -> list[TextColumn]:
    several = any(len(cell.retrieval or ()) > 1 for cell in cells)
    found = []
    for figures in zip(*(recalls(cell) for cell in cells), strict=True):
        title = f"{figures[0].retriever} {figures[0].title}" if several else figures[0].title
        found.append(TextColumn(title, tuple(figure.shown for figure in figures), 11))
    return found


def _kept(kind: str, cell: Cell) -> str:
    return of(*kept(cell, kind))


def _extra(entry: Field, cell: Cell) -> str:
    """Write what a measure from outside counted."""
    value = cell.extra.get(entry.name)
    if entry.of is not None and isinstance(value, int):
        return of(value, cell.value(entry.of))
    return "" if value is None else f"{value:,}" if isinstance(value, int) else decimal(value)


def _column(title: str, rank: int, cells: Sequence[Cell], text: Callable[[Cell], str]) -> TextColumn:
    return TextColumn(title, tuple(text(cell) for cell in cells), rank)


def cut_share(cell: Cell, classes: Sequence[str]) -> tuple[int, int]:
    """Give how many ends of chunks are of some classes, and how many ends there are."""
    return sum(cell.cuts.get(name, 0) for name in classes), sum(cell.cuts.values())


def cost(n_tokens: int, price: float) -> str:
    """Write what tokens cost at a price for a million."""
    return money(n_tokens * price / 1_000_000)


def mark(judged: JudgedRow, cell: Cell) -> str:
    """Say what the verdict says of a cell."""
    words = [SAFE] if judged.safe is not None and cell.key == judged.safe.key else []
    if judged.with_questions and cell.is_lucky:
        words.append(LUCKY)
    return ", ".join(words)


def legend(result: SweepResult, *, with_recall: bool = False) -> str:
    """Explain the columns."""
    if result.questions is None:
        return (
            "bad cuts: chunks that end inside a table row, code, a number or a word; clean cuts: that end between "
            "sentences, blocks or sections; the rest end between words. rows: table rows with their header; sentences, "
            "code blocks, headings with their first block: whole in a chunk; text: all chunks over the documents, in "
            "characters."
        )
    text = (
        "split: questions whose evidence no chunk holds whole; expected: how many are on average, wherever the "
        "first cut falls; tables, rows: table questions and table rows with their header; text: all "
        "chunks over the documents, in characters."
    )
    ranked = next((cell.retrieval[0] for cell in result.cells if cell.retrieval), None) if with_recall else None
    if ranked is None:
        return text
    text = (
        f"{text[:-1]}; recall@k: questions whose evidence stands whole in the first k chunks; start@k: whose first "
        "characters do; answered@k: with the header of each table row; MRR: mean of 1 / rank"
    )
    if "context" in ranked["settings"]:
        text += f"; k: so many chunks come nearest to {ranked['settings']['context']:,} characters"
    if "budget" in ranked:
        budget = ranked["settings"]["budget"]
        text += f"; in {budget['limit']} {budget['unit']}: of the chunks that fit into that"
    return f"{text}."
