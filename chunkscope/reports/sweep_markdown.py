"""A sweep as GitHub Markdown: what was read, the table of the cells that matter, and the advice."""

from __future__ import annotations

import re
from collections.abc import Iterator

from chunkscope.grid.results import SweepResult
from chunkscope.language import Language, Text, in_language, say
from chunkscope.reports.advice_text import advice_sentences, head
from chunkscope.reports.base import SWEEP, Report, ReportOptions
from chunkscope.reports.columns import ShownCells, cell_columns, labels_of
from chunkscope.reports.recall_table import recall_columns, recall_notes, shown_rows
from chunkscope.reports.recall_text import recall_head, recall_sentences, warnings_of
from chunkscope.reports.screen import Labelled
from chunkscope.reports.selection import chosen_cells
from chunkscope.reports.sweep_text import table_notes
from chunkscope.reports.table import markdown_table
from chunkscope.reports.visible import visible

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


def to_markdown(result: SweepResult, options: ReportOptions) -> str:
    """Write a sweep as GitHub Markdown; of the options the language counts, and whether all rows are wanted.

    Examples
    --------
    >>> from chunkscope import Document, sweep
    >>> result = sweep([Document("a.md", "一つ。二つ。")], chunkers="sentence", sizes=[3, 6], overlaps=[0])
    >>> print(to_markdown(result, ReportOptions()).splitlines()[2])
    - 1 document, 6 characters: prose 100 %
    """
    if result.retrieval is not None:
        told = _recall_lines(result, everything=options.all_rows, lang=options.lang)
        return "\n".join(in_language(line, options.lang) for line in told) + "\n"
    lines = [say("## Chunk boundaries"), "", *(_item(sentence) for sentence in head(result, escape)), ""]
    cells = [result.cells[place] for place in chosen_cells(result, result.limit, everything=options.all_rows)]
    if cells:
        shown = ShownCells(cells, labels_of(cells, escape), result.limit, everything=options.all_rows)
        columns = [column.in_language(options.lang) for column in cell_columns(result, shown)]
        lines += [*markdown_table(columns, escape), "", *map(_item, table_notes(result, shown)), ""]
    lines += map(_labelled, advice_sentences(result, escape))
    return "\n".join(in_language(line, options.lang) for line in lines).rstrip("\n") + "\n"


def _recall_lines(result: SweepResult, *, everything: bool, lang: Language) -> Iterator[str]:
    """Give the lines of a sweep that ranked chunks."""
    rows = shown_rows(result, everything=everything)
    columns, _ = recall_columns(result, rows, escape, everything=everything)
    yield from (say("## Recall"), "", *map(_item, recall_head(result, escape)), "")
    yield from (*markdown_table([column.in_language(lang) for column in columns], escape), "")
    yield from (*map(_item, recall_notes(result, rows, escape, everything=everything)), "")
    yield from map(_labelled, recall_sentences(result, escape))
    yield from map(_item, warnings_of(result))


def _item(sentence: str) -> Text:
    return say("- {sentence}", sentence=sentence)


def _labelled(sentence: Labelled) -> Text:
    return say("- **{label}** {sentence}", label=sentence[0], sentence=sentence[1])


REPORT = Report((SWEEP,), to_markdown)
"""The format ``markdown``."""
