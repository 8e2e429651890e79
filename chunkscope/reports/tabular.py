"""A sweep as CSV: a cell a row, always the same columns, and those of recall behind them where chunks were ranked."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from chunkscope.reports.numbers import DIGITS, rate
from chunkscope.reports.recalls import Recall, recalls
from chunkscope.results import Cell, QuestionsInfo, SweepResult

CUT_CLASSES = ("character", "row", "code", "number", "word", "words", "sentence", "block", "heading")
RATES = (
    ("split_questions", "questions"),
    ("split_evidence", "evidence"),
    ("table_questions_together", "table_questions"),
    ("table_rows_together", "table_rows"),
)
"""Rates, each of a count over another."""

Value = str | int | float | None


def to_csv(result: SweepResult) -> str:
    r"""Write a sweep as CSV: a cell a row under a header; rates over zero, and what was not counted, are empty.

    Returns
    -------
    str
        Lines that end with ``\n``.

    Examples
    --------
    >>> from chunkscope.results import CorpusInfo
    >>> cell = Cell("fixed", "char", 50, 8, 90, chunks=2, lengths={50: 1, 48: 1})
    >>> to_csv(SweepResult({}, CorpusInfo("docs", 1, 90), None, (cell,))).splitlines()[1][:16]
    'fixed,char,50,8,'
    """
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    header: list[str] | None = None
    for cell in result.cells or (Cell("", "", None, None, 0),):
        row = dict(_row(cell, result))
        if header is None:
            header = list(row)
            writer.writerow(header)
        if result.cells:
            writer.writerow(row.values())
    return file.getvalue()


def _row(cell: Cell, result: SweepResult) -> Iterator[tuple[str, Value]]:
    lengths = [length for length, n in cell.lengths.items() if n]
    yield "chunker", cell.chunker
    yield "unit", cell.unit
    yield "size", cell.size
    yield "overlap", cell.overlap
    for name in ("chunks", "blank_chunks", "oversize_chunks", "broken_chunks"):
        yield name, getattr(cell, name)
    yield "chunk_chars_min", min(lengths, default=None)
    yield "chunk_chars_mean", _rounded(cell.mean_length)
    yield "chunk_chars_median", _rounded(cell.median_length)
    yield "chunk_chars_max", max(lengths, default=None)
    yield "chunk_characters", cell.chunk_characters
    yield "duplication", _rounded(cell.duplication)
    yield from _evidence(cell, result.questions)
    for name in CUT_CLASSES:
        yield f"cut_{name}", cell.cuts.get(name) if cell.cuts else None
    for kind in ("sentences", "code_blocks", "headings"):
        yield kind, getattr(cell, kind)
        yield f"{kind}_whole", getattr(cell, f"{kind}_whole")
    for name in ("status_chunks", "unmarked_chunks", "tokens"):
        yield name, getattr(cell, name)
    yield "cost", _cost(cell, result)
    for figure in recalls(cell):
        value = rate(figure.hits, figure.total) if isinstance(figure, Recall) else figure.mean
        yield f"{figure.retriever}_{figure.title.lower()}", value


def _evidence(cell: Cell, questions: QuestionsInfo | None) -> Iterator[tuple[str, Value]]:
    totals = {
        "questions": questions.valid if questions else 0,
        "evidence": questions.evidence if questions else 0,
        "table_questions": cell.table_questions,
        "table_rows": cell.table_rows,
    }
    for name in ("questions", "split_questions", "missing_questions"):
        yield name, totals[name] if name in totals else getattr(cell, name)
    for name in ("evidence", "split_evidence", "missing_evidence", "adjacent_evidence", "longer_evidence"):
        yield name, totals[name] if name in totals else getattr(cell, name)
    yield "expected_split_questions", _rounded(cell.expected_split_questions)
    yield "expected_split_evidence", _rounded(cell.expected_split_evidence)
    yield "lucky", int(cell.is_lucky)
    for name in ("table_questions", "table_questions_together", "table_rows", "table_rows_together"):
        yield name, getattr(cell, name)
    yield "tables_without_header", cell.tables_without_header
    for part, whole in RATES:
        yield f"{part}_rate", rate(getattr(cell, part), totals[whole])


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, DIGITS)


def _cost(cell: Cell, result: SweepResult) -> float | None:
    price = result.settings.get("price")
    if cell.tokens is None or not isinstance(price, int | float) or isinstance(price, bool):
        return None
    return round(cell.tokens * price / 1_000_000, DIGITS)
