"""A sweep for the terminal: what was read, a line for each way of cutting, the advice, how sure it is, what next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from chunkscope.errors import unit_noun
from chunkscope.grid.advice import KINDS, NoAdvice, cut_in_two, harm
from chunkscope.grid.limits import UNNAMED, ModelLimit
from chunkscope.grid.lines import lines_of
from chunkscope.grid.results import Cell, ChunkTokens, SweepResult
from chunkscope.reports.advice_text import Labelled, advice_sentences, cell_notes, damage_words, head
from chunkscope.reports.base import LEAST_WIDTH, SWEEP, Report, ReportOptions
from chunkscope.reports.columns import ADVISED, TOO_LARGE, Shown, cell_columns, way_label
from chunkscope.reports.formatting import plural
from chunkscope.reports.recall_text import render_recall
from chunkscope.reports.selection import chosen_cells
from chunkscope.reports.sparkline import axis, sparkline
from chunkscope.reports.table import TextColumn, lay_table
from chunkscope.reports.visible import visible
from chunkscope.reports.width import BOLD, RED, fit, pad, painted, width, wrap

INDENT = "  "


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
    room = max(options.width, LEAST_WIDTH)

    def name(text: str) -> str:
        return visible(text, ascii=options.ascii)

    lines = [line for sentence in head(result, name) for line in wrap(sentence, room, rest=INDENT)]
    limit = result.limit
    places = chosen_cells(result, limit, everything=options.all_rows)
    cells = [result.cells[place] for place in places]
    if cells:
        shown = Shown(cells, labels_of(cells, name), limit, everything=options.all_rows)
        lines += ["", *(_lit(line, options.color) for line in table_lines(cell_columns(result, shown), options))]
        lines += [line for note in table_notes(result, shown) for line in wrap(note, room, first=INDENT)]
    lines += [""] * bool(cells)
    lines += list(labelled(advice_sentences(result, name), room, options.color))
    return "\n".join(lines).rstrip("\n") + "\n"


def labels_of(cells: Sequence[Cell], name: object = None) -> list[str]:
    """Name the way of each cell; blank where it is that of the cell above."""
    found = [visible(way_label(cell)) for cell in cells]
    return [label if not n or found[n - 1] != label else "" for n, label in enumerate(found)]


def table_lines(columns: Sequence[TextColumn], options: ReportOptions) -> Iterator[str]:
    """Lay out a table whose first three columns tell the rows apart."""
    return lay_table(columns, options.table_width, keys=3, indent="", ascii=options.ascii)


def table_notes(result: SweepResult, shown: Shown) -> list[str]:
    """Say what the marks of a table mean, and what else must be known of its cells."""
    notes = [_legend(result, shown)]
    if any(column.endswith(TOO_LARGE) for column in cell_columns(result, shown)[-1].texts):
        notes.append(f"{TOO_LARGE} above {_limit_words(shown.limit)}")
    if shown.limit.tokens is not None:
        notes.append(
            f"{shown.limit.model} takes {shown.limit.tokens:,} tokens, which cannot be counted here: chunks are "
            f"compared with {shown.limit.limit:,} characters (--model-limit and --model-unit count tokens)"
        )
    if result.tokens is not None:
        notes.append(_tokens(result.tokens))
    if len(shown.cells) < len(result.cells) and not shown.everything:
        notes.append(f"{plural(len(result.cells) - len(shown.cells), 'further cell')}: --all shows them")
    return notes + cell_notes(result, shown.cells)


def _limit_words(limit: ModelLimit) -> str:
    """Say what chunks were compared with, and whose limit that is."""
    if limit == UNNAMED:
        return f"the {limit.limit:,} characters that models take"
    counted = f"{limit.limit:,} {unit_noun(limit.unit)}" if limit.unit else f"{limit.limit:,}"
    return f"the {counted} that {limit.model} takes" if limit.model and limit.tokens is None else counted


def _tokens(tokens: ChunkTokens) -> str:
    """Say how many chunks of the advised cell are above what models take."""

    def counted(n: int) -> str:
        return f"{n:,}" if n else "none"

    (least, n), *more = tokens.above.items()
    told = [f"{counted(n)} {'is' if n < 2 else 'are'} above {least:,} {unit_noun(tokens.unit)}"]
    told += [f"{counted(found)} above {limit:,}" for limit, found in more if n]
    return f"of the {plural(tokens.chunks, 'chunk')} of the advised cell ({ADVISED}), {', '.join(told)}"


def _legend(result: SweepResult, shown: Shown) -> str:
    """Explain the columns that are shown."""
    if result.questions is None:
        return "cut: whole in no chunk" + (
            "; header lost: rows in no chunk with it" if shown.cells[0].table_rows else ""
        )
    lost = "; header lost: a table row that they need is in no chunk with its header"
    harmed = "harmed: either, or for windows as many as are cut on average"
    tables = lost if any(cell.table_questions for cell in shown.cells) else ""
    return f"answer cut: questions for which no chunk holds all they need{tables}; {harmed}"


def labelled(sentences: Iterator[Labelled], room: int, color: bool) -> Iterator[str]:
    """Lay out labelled sentences, the labels in a column."""
    found = list(sentences)
    widest = max((width(label) for label, _ in found), default=0)
    for label, sentence in found:
        first = pad(label, widest) + INDENT
        for line in wrap(sentence, room, first=first):
            yield painted(label, BOLD, color) + line[len(label) :] if line.startswith(label) and label else line


def _lit(line: str, color: bool) -> str:
    """Let stand out what is lost."""
    return painted(line, RED, color) if line.endswith(TOO_LARGE) else line


def render_documents(result: SweepResult, options: ReportOptions) -> str:
    """Write what each document loses at one setting, worst first."""
    lines: list[str] = []
    advised = [] if isinstance(result.advice, NoAdvice | None) else [("", result.worst)]
    for chunker, found in result.damage.items() or advised:
        lines += [visible(chunker, ascii=options.ascii) or "By document, at the advised cell"]
        rows = found if options.all_rows else found[:20]
        names = tuple(visible(one.document, ascii=options.ascii) for one in rows)
        columns = [
            TextColumn("", names, left=True),
            TextColumn("characters", tuple(f"{one.characters:,}" for one in rows)),
            TextColumn("lost", tuple(damage_words(one) for one in rows), left=True),
        ]
        lines += (
            list(lay_table(columns, options.table_width, indent=INDENT, ascii=options.ascii))
            if rows
            else ["  nothing is lost"]
        )
        if len(rows) < len(found):
            lines.append(f"{INDENT}{plural(len(found) - len(rows), 'further document')}: --all shows them")
    return "\n".join(lines) + "\n" if lines else ""


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
            title = (
                f"{visible(way_label(line.cells[0]))}, overlap {line.overlap}: {min(counts):,} to {max(counts):,} lost"
            )
            lines += [
                *wrap(title, room + len(INDENT)),
                INDENT + sparkline(counts, top, columns=room, ascii=options.ascii),
            ]
            sizes = [str(cell.size) for cell in line.cells]
            lines.append(INDENT + fit(axis(sizes, [0, len(sizes) - 1], room), room, ascii=options.ascii))
    return "\n".join(lines) + "\n" if lines else ""


REPORT = Report((SWEEP,), render_sweep)
"""The format ``table``."""
