"""A sweep as CSV: a cell a row, always the same columns, and those of recall behind them where chunks were ranked."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from functools import partial
from operator import attrgetter

from chunkscope.grid.results import Cell, QuestionsInfo, SweepResult
from chunkscope.reports.base import SWEEP, Report
from chunkscope.reports.cell_columns import recalls
from chunkscope.reports.formatting import DIGITS, rate

CUT_CLASSES = ("character", "row", "code", "number", "word", "words", "sentence", "block", "heading")
Value = str | int | float | None
Take = Callable[[Cell], Value]


def to_csv(result: SweepResult) -> str:
    r"""Write a sweep as CSV: a cell a row under a header; rates over zero, and what was not counted, are empty.

    Returns
    -------
    str
        Lines that end with ``\n``.

    Examples
    --------
    >>> from chunkscope.measures.lengths import LengthCounts
    >>> from chunkscope.grid.results import CorpusInfo
    >>> cell = Cell("fixed", "char", 50, 8, 90, chunks=2, lengths=LengthCounts.of({50: 1, 48: 1}))
    >>> to_csv(SweepResult({}, CorpusInfo("docs", 1, 90), None, (cell,))).splitlines()[1][:16]
    'fixed,char,50,8,'
    """
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    columns = _columns(result)
    writer.writerow([*columns, *(_recalls(result.cells[0]) if result.cells else ())])
    for cell in result.cells:
        writer.writerow([*(take(cell) for take in columns.values()), *_recalls(cell).values()])
    return file.getvalue()


def _columns(result: SweepResult) -> dict[str, Take]:
    """Name the columns, and tell what of a cell stands in each."""
    return {
        **_plain("chunker", "unit", "size", "overlap", "chunks", "blank_chunks", "oversize_chunks", "broken_chunks"),
        "chunk_chars_min": attrgetter("lengths.shortest"),
        "chunk_chars_mean": _rounded("lengths.mean"),
        "chunk_chars_median": _rounded("lengths.median"),
        "chunk_chars_max": attrgetter("lengths.longest"),
        "chunk_characters": attrgetter("chunk_characters"),
        "duplication": _rounded("duplication"),
        **_evidence(result.questions),
        **{f"cut_{name}": _cut(name) for name in CUT_CLASSES},
        **_plain(*(name for kind in ("sentences", "code_blocks", "headings") for name in (kind, f"{kind}_whole"))),
        **_plain("status_chunks", "unmarked_chunks", "tokens"),
        "cost": _cost(result.settings.get("price")),
        **{entry.name: partial(Cell.value, name=entry.name) for entry in result.fields},
    }


def _evidence(questions: QuestionsInfo | None) -> dict[str, Take]:
    n_questions = questions.valid if questions else 0
    n_evidence = questions.evidence if questions else 0
    return {
        "questions": lambda cell: n_questions,
        **_plain("split_questions", "missing_questions"),
        "evidence": lambda cell: n_evidence,
        **_plain("split_evidence", "missing_evidence", "evidence_in_two_chunks", "evidence_longer_than_size"),
        "expected_split_questions": _rounded("expected_split_questions"),
        "expected_split_evidence": _rounded("expected_split_evidence"),
        "lucky": lambda cell: int(cell.is_lucky),
        **_plain("table_questions", "table_questions_with_header", "table_rows", "table_rows_with_header"),
        **_plain("tables_without_header"),
        "split_questions_rate": lambda cell: rate(cell.split_questions, n_questions),
        "split_evidence_rate": lambda cell: rate(cell.split_evidence, n_evidence),
        "table_questions_with_header_rate": lambda cell: rate(cell.table_questions_with_header, cell.table_questions),
        "table_rows_with_header_rate": lambda cell: rate(cell.table_rows_with_header, cell.table_rows),
    }


def _plain(*names: str) -> dict[str, Take]:
    return {name: attrgetter(name) for name in names}


def _rounded(name: str) -> Take:
    def take(cell: Cell) -> float | None:
        value = attrgetter(name)(cell)
        return None if value is None else round(value, DIGITS)

    return take


def _cut(name: str) -> Take:
    return lambda cell: cell.cuts.get(name) if cell.cuts else None


def _cost(price: object) -> Take:
    if not isinstance(price, int | float) or isinstance(price, bool):
        return lambda cell: None
    return lambda cell: None if cell.tokens is None else round(cell.tokens * price / 1_000_000, DIGITS)


def _recalls(cell: Cell) -> dict[str, Value]:
    """Give what was found when the chunks were ranked: the same figures in all cells of a sweep."""
    return {f"{one.retriever}_{one.title.lower().replace(' ', '_')}": one.value for one in recalls(cell)}


REPORT = Report((SWEEP,), lambda result, options: to_csv(result))
"""The format ``csv``."""
