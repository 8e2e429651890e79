"""A sweep for the terminal: what was read, a line for each way of cutting, the advice, how sure it is, what next."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from chunkscope.errors import unit_noun
from chunkscope.grid.advice import KINDS, NoAdvice, cut_in_two, harm
from chunkscope.grid.lines import lines_of
from chunkscope.grid.results import Cell, SweepResult
from chunkscope.language import Text, say
from chunkscope.measures.damage import DocumentDamage
from chunkscope.reports.advice_text import advice_sentences, cell_notes, damage_words, further_cells, head, limit_notes
from chunkscope.reports.base import LEAST_WIDTH, SWEEP, Report, ReportOptions
from chunkscope.reports.columns import ShownCells, cell_columns, labels_of, way_label
from chunkscope.reports.recall_text import render_recall
from chunkscope.reports.screen import INDENT, labelled, lit, said, sentence_lines, table_lines
from chunkscope.reports.selection import chosen_cells
from chunkscope.reports.sparkline import axis, sparkline
from chunkscope.reports.table import TextColumn
from chunkscope.reports.visible import visible
from chunkscope.reports.width import fit


def render_sweep(result: SweepResult, options: ReportOptions) -> str:
    """Write a sweep for people: what was looked at, the cells that matter, and the advice.

    Returns
    -------
    str
        Lines, each with its end; none is wider than ``options.width``.

    Examples
    --------
    >>> from chunkscope import Document, sweep
    >>> result = sweep([Document("a.md", "一つ。二つ。")], chunkers="sentence", sizes=[3, 6], overlaps=[0])
    >>> print(render_sweep(result, ReportOptions()).splitlines()[0])
    1 document, 6 characters: prose 100 %
    """
    if result.retrieval is not None:
        return render_recall(result, options)
    name = partial(visible, ascii=options.ascii)
    lines = [line for sentence in head(result, name) for line in sentence_lines(sentence, options, rest=INDENT)]
    cells = [result.cells[place] for place in chosen_cells(result, result.limit, everything=options.all_rows)]
    if cells:
        shown = ShownCells(cells, labels_of(cells, name), result.limit, everything=options.all_rows)
        lines += ["", *lit(table_lines(cell_columns(result, shown), options, keys=3, indent=""), options)]
        lines += [line for note in table_notes(result, shown) for line in sentence_lines(note, options, first=INDENT)]
        lines += [""]
    lines += labelled(advice_sentences(result, name), options)
    return "\n".join(lines).rstrip("\n") + "\n"


def table_notes(result: SweepResult, shown: ShownCells, *, with_marks: bool = True) -> list[Text]:
    """Say what the columns of a table mean, and what else must be known of its cells.

    A page, which has no marks, has all cells too.
    """
    notes = [_legend(result, shown), *limit_notes(result, shown, with_marks=with_marks)]
    if with_marks and not shown.everything:
        notes += further_cells(result, shown.cells)
    return notes + cell_notes(result, shown.cells)


def _legend(result: SweepResult, shown: ShownCells) -> Text:
    """Explain the columns that are shown."""
    if result.questions is None:
        told = [say("cut: no chunk holds it whole")]
        told += (
            [say("header lost: no chunk holds the row together with its table's header")]
            if shown.cells[0].table_rows
            else []
        )
        return say("{clauses:; }", clauses=told)
    told = [say("answer cut: a passage that the question needs is whole in no chunk")]
    harmed = say("harmed: as many, or for fixed windows the number cut on average over all places of the first cut")
    if any(cell.table_questions for cell in shown.cells):
        told.append(say("header lost: no chunk holds a row that it needs together with its table's header"))
        harmed = say(
            "harmed: either; for fixed windows at least the number cut on average over all places of the first cut"
        )
    return say("{clauses:; }", clauses=[*told, harmed])


def render_documents(result: SweepResult, options: ReportOptions) -> str:
    """Write what each document loses at one setting, worst first."""
    lines: list[str] = []
    advised = [] if isinstance(result.advice, NoAdvice | None) else [("", result.worst)]
    for chunker, found in result.damage.items() or advised:
        lines += [said(chunker or say("By document, at the advised setting"), options)]
        rows = found if options.all_rows else found[:20]
        lines += table_lines(_document_columns(rows, options), options) if rows else [_nothing_lost(options)]
        if len(rows) < len(found):
            told = say("{n:,} further {n:document|documents}: --all shows them", n=len(found) - len(rows))
            lines += sentence_lines(told, options, first=INDENT)
    return "\n".join(lines) + "\n" if lines else ""


def _document_columns(rows: Sequence[DocumentDamage], options: ReportOptions) -> list[TextColumn]:
    return [
        TextColumn("", [visible(one.document, ascii=options.ascii) for one in rows], left=True),
        TextColumn(unit_noun("char"), [f"{one.characters:,}" for one in rows]),
        TextColumn(say("lost"), [damage_words(one) for one in rows], left=True),
    ]


def _nothing_lost(options: ReportOptions) -> str:
    return INDENT + said(say("nothing is lost"), options)


def cuts(cell: Cell) -> int:
    """Give how many things of all kinds a cell cuts in two."""
    return sum(cut_in_two(cell, kind) for kind in KINDS)


def render_chart(result: SweepResult, options: ReportOptions) -> str:
    """Draw for each line of the grid what its sizes lose: questions harmed, else all that is cut in two."""
    lost = {cell.key: round(harm(cell)) if result.questions else cuts(cell) for cell in result.cells}
    top = max(lost.values(), default=0)
    room = max(options.width, LEAST_WIDTH) - len(INDENT)
    lines: list[str] = []
    for line in lines_of(result):
        if len(line.cells) > 1:
            counts = [lost[cell.key] for cell in line.cells]
            title = say(
                "{way}, overlap {overlap}: {least:,} to {most:,} lost",
                way=way_label(line.cells[0], visible),
                overlap=line.overlap,
                least=min(counts),
                most=max(counts),
            )
            lines += sentence_lines(title, options)
            lines.append(INDENT + sparkline(counts, top, columns=room, ascii=options.ascii))
            sizes = [str(cell.size) for cell in line.cells]
            lines.append(INDENT + fit(axis(sizes, [0, len(sizes) - 1], room), room, ascii=options.ascii))
    return "\n".join(lines) + "\n" if lines else ""


REPORT = Report((SWEEP,), render_sweep)
"""The format ``table``."""
