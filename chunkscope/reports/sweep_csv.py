"""A sweep as CSV: a cell a row, and every figure that the JSON has of it a column."""

from __future__ import annotations

import csv
import io

from chunkscope.grid.results import SweepResult, flat_cell
from chunkscope.reports.base import SWEEP, Report
from chunkscope.reports.formatting import DIGITS


def to_csv(result: SweepResult) -> str:
    r"""Write a sweep as CSV under a header; rates over zero, and what was not counted, are empty.

    Columns have the names of the JSON, joined by underscores; behind them stands ``cost``, where a price was given.

    Returns
    -------
    str
        Lines that end with ``\n``.

    Examples
    --------
    >>> from chunkscope.measures.lengths import LengthCounts
    >>> from chunkscope.grid.results import Cell, CorpusInfo
    >>> cell = Cell("fixed", "char", 50, 8, 90, chunks=2, lengths=LengthCounts.of({50: 1, 48: 1}))
    >>> to_csv(SweepResult({}, CorpusInfo("docs", 1, 90), None, (cell,))).splitlines()[1][:16]
    'fixed,char,50,8,'
    """
    rows = [flat_cell(cell) for cell in result.cells]
    price = result.settings.get("price")
    if isinstance(price, int | float) and not isinstance(price, bool):
        for row, cell in zip(rows, result.cells, strict=True):
            row["cost"] = None if cell.tokens is None else round(cell.tokens * price / 1_000_000, DIGITS)
    names = list(dict.fromkeys(name for row in rows for name in row))
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([row.get(name) for name in names] for row in rows)
    return file.getvalue()


REPORT = Report((SWEEP,), lambda result, options: to_csv(result))
"""The format ``csv``."""
