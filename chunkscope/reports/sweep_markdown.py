"""A sweep as GitHub Markdown: a table for each row of the grid, and the verdict."""

from __future__ import annotations

import re
from collections.abc import Iterator

from chunkscope.grid.results import SweepResult
from chunkscope.reports.base import SWEEP, Report
from chunkscope.reports.cell_columns import cell_columns, legend
from chunkscope.reports.formatting import plural
from chunkscope.reports.selection import MAX_CELLS, JudgedRow, best_rows, judged_rows
from chunkscope.reports.table import markdown_table
from chunkscope.reports.visible import visible
from chunkscope.reports.wording import head, longest_trouble, row_notes, row_title, trouble, verdict

MAX_QUESTIONS = 30

_SPECIAL = re.compile(r"[\\`*_{}\[\]<>|~#&!$@]|://|www\.")


def escape(text: str) -> str:
    r"""Make an id or a path plain text in Markdown, in a table cell too.

    Examples
    --------
    >>> print(escape("a|b_c.md"), escape("*x*" + chr(10)))
    a\|b\_c.md \*x\*⏎
    """
    return _SPECIAL.sub(lambda match: "\\" + match[0] if len(match[0]) == 1 else _unlinked(match[0]), visible(text))


def _unlinked(text: str) -> str:
    return text.replace(":", "&#58;").replace("www.", "www&#46;")


def to_markdown(result: SweepResult, *, all_rows: bool = False) -> str:
    """Write a sweep as GitHub Markdown.

    Parameters
    ----------
    result : SweepResult
        With questions or without.
    all_rows : bool
        Every cell and question instead of the telling ones.

    Returns
    -------
    str
        Lines, each with its end.

    Examples
    --------
    >>> from chunkscope.measures.lengths import LengthCounts
    >>> from chunkscope.grid.results import Cell, CorpusInfo
    >>> cells = (Cell("fixed", "char", 50, 0, 90, chunks=2, lengths=LengthCounts.of({50: 1, 40: 1})),)
    >>> lines = to_markdown(SweepResult({}, CorpusInfo("docs", 1, 90), None, cells)).splitlines()
    >>> lines[4:8]
    ['### fixed, overlap 0', '', '| size | overlap | chunks | text |', '| ---: | ---: | ---: | ---: |']
    """
    found = judged_rows(result)
    shown = found if all_rows else best_rows(found)
    lines = ["## Chunk boundaries", "", *(f"- {sentence}" for sentence in head(result, escape)), ""]
    for judged in shown:
        lines += [*_row(result, judged, all_rows), ""]
    if len(shown) < len(found):
        rest = plural(len(found) - len(shown), "further row of the grid is", "further rows of the grid are")
        lines += [f"{rest} worse than these.", ""]
    if result.cells:
        lines += ["### Verdict", "", *(f"- {sentence}" for sentence in verdict(result, shown, escape))]
        lines += ["", f"<sub>{legend(result, with_recall=True)}</sub>"]
    return "\n".join(lines).rstrip("\n") + "\n"


def _row(result: SweepResult, judged: JudgedRow, all_rows: bool) -> Iterator[str]:
    cells = judged.row.cells
    places = judged.telling(len(cells) if all_rows else MAX_CELLS)
    yield f"### {row_title(judged.row, escape)}"
    yield ""
    shown = cell_columns(result, judged, [cells[place] for place in places], with_recall=True)
    yield from markdown_table(shown, lambda title: escape(title).replace("\\@", "@"))
    if len(places) < len(cells):
        yield ""
        yield f"{plural(len(cells) - len(places), 'size')} left out."
    everything = trouble(judged.row) if judged.with_questions else []
    found = everything if all_rows else longest_trouble(everything, MAX_QUESTIONS)
    notes = [f"- {escape(question.id)}: {question.where}" for question in found]
    if len(found) < len(everything):
        notes.append(f"- and {len(everything) - len(found):,} more")
    notes += [f"- {note}" for note in row_notes(judged, result.corpus.documents)]
    if notes:
        yield from ("", *notes)


REPORT = Report((SWEEP,), lambda result, options: to_markdown(result))
"""The format ``markdown``."""
