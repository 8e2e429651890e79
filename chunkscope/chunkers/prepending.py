"""What a chunk prepends in front of its body: headings, title, table header, a line of the front matter.

Prepending moves no boundary. A chunk prepends only what it does not hold, and nothing twice.

Twin: tests/oracle/prepending.py
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from chunkscope.chunkers.base import FRONT_MATTER_PREFIX, Chunker
from chunkscope.corpus.document import LINE_END, Document
from chunkscope.spans.intervals import IntArray, SpanArray, as_spans
from chunkscope.spans.layout import Layout
from chunkscope.structure.analysis import DocumentAnalysis
from chunkscope.structure.model import Structure, Table

MAX_LEVEL = 6

NONE = np.empty(0, dtype=np.int64)
NO_HEADINGS = as_spans([]), NONE, np.empty((0, MAX_LEVEL), dtype=np.int64), NONE


@dataclass(frozen=True)
class Prependable:
    """What chunks of one document, or of all documents, can prepend; all offsets in the text or the layout.

    Attributes
    ----------
    headings : int64 (h, 2)
        The lines of each heading.
    sections : int64 (s,)
        Where sections start.
    paths : int64 (s, 6)
        For each section the headings above and at it, outermost first, as rows of `headings`; -1 fills up.
    scopes : int64 (h,)
        The first section behind those under each heading.
    header : int64 (t, 2)
        Header of each table, with the delimiter line of a pipe table.
    rows : int64 (r, 2)
        The data rows of these tables, table by table.
    tables, levels : int64 (r,)
        The table of each row, as a row of `header`, and a number that tables have alike only if they do not overlap.
    title, line : int64 (n, 2)
        Of each document that has them: the title's line, and the line of the front matter that is asked for.
    """

    headings: SpanArray
    sections: IntArray
    paths: IntArray
    scopes: IntArray
    header: SpanArray
    rows: SpanArray
    tables: IntArray
    levels: IntArray
    title: SpanArray
    lines: dict[str, SpanArray]


def find_prependable(analysis: DocumentAnalysis, prepends: Collection[str] = ("headings",)) -> Prependable:
    """Find what chunks of a document can prepend, and nothing but what `prepends` names."""
    document = analysis.document
    keys = sorted(what.removeprefix(FRONT_MATTER_PREFIX) for what in prepends if what.startswith(FRONT_MATTER_PREFIX))
    tables = [table for table in analysis.tables if table.header and table.rows] if "table-header" in prepends else []
    n_rows = [len(table.rows) for table in tables]
    headings, sections, paths, scopes = _heading_paths(analysis.structure) if "headings" in prepends else NO_HEADINGS
    return Prependable(
        headings=headings,
        sections=sections,
        paths=paths,
        scopes=scopes,
        header=as_spans([_header_lines(document.text, table) for table in tables]),
        rows=as_spans([row for table in tables for row in table.rows]),
        tables=np.repeat(np.arange(len(tables)), n_rows),
        levels=np.repeat(_levels(tables), n_rows),
        title=as_spans(_title(document, analysis.structure) if "title" in prepends else []),
        lines={key: as_spans(front_matter_line(document, key)) for key in keys},
    )


def _heading_paths(structure: Structure) -> tuple[SpanArray, IntArray, IntArray, IntArray]:
    """Give headings, sections, paths and scopes."""
    rows = {id(heading): row for row, heading in enumerate(structure.headings)}
    paths = np.full((len(structure.section_starts), MAX_LEVEL), -1, dtype=np.int64)
    scopes = np.zeros(len(structure.headings), dtype=np.int64)
    for section, path in enumerate(structure.heading_paths()):
        for depth, heading in enumerate(path):
            paths[section, depth] = rows[id(heading)]
            scopes[rows[id(heading)]] = section + 1
    headings = as_spans([(heading.start, heading.end) for heading in structure.headings])
    return headings, structure.section_starts, paths, scopes


def _header_lines(text: str, table: Table) -> tuple[int, int]:
    start, end = table.header[0][0], table.header[-1][1]
    if table.kind == "html" or table.has_blank_header:
        return start, end
    line_end = LINE_END.search(text, end)
    following = LINE_END.search(text, line_end.end()) if line_end else None
    return start, following.start() if following else len(text)


def _levels(tables: Sequence[Table]) -> IntArray:
    """Give each table the lowest number that no earlier table which reaches into it has."""
    reach: list[int] = []
    levels = []
    for table in tables:
        level = next((level for level, end in enumerate(reach) if end <= table.start), len(reach))
        reach[level : level + 1] = [table.end]
        levels.append(level)
    return np.array(levels, dtype=np.int64)


def _title(document: Document, structure: Structure) -> list[tuple[int, int]]:
    for heading in structure.headings:
        if heading.level == 1:
            return [(heading.start, heading.end)]
    return front_matter_line(document, "title")


def front_matter_line(document: Document, key: str) -> list[tuple[int, int]]:
    """Find the line of a key at the outermost level of the front matter."""
    end = document.front_matter_end
    if document.text.find(key, 0, end) < 0:
        return []
    sign = "=" if document.text.startswith("+++") else r":(?![^ \t\r\n])"
    line = re.compile(rf"""(?:^|[\r\n])((["']?){re.escape(key)}\2[ \t]*{sign}[^\r\n]*)""")
    match = line.search(document.text, 0, end)
    return [match.span(1)] if match else []


def join_prependable(parts: Sequence[Prependable], layout: Layout) -> Prependable:
    """Lay what documents can prepend one behind the other."""
    bases = layout.edges[:-1].tolist()
    n_headings = np.cumsum([0, *(len(part.headings) for part in parts)])
    n_sections = np.cumsum([0, *(len(part.sections) for part in parts)])
    n_tables = np.cumsum([0, *(len(part.header) for part in parts)])
    rows = list(zip(parts, bases, n_headings.tolist(), n_sections.tolist(), strict=False))
    none = np.empty((0, 2), dtype=np.int64)
    empty = np.empty(0, dtype=np.int64)
    return Prependable(
        headings=np.concatenate([none] + [part.headings + base for part, base, _, _ in rows]),
        sections=np.concatenate([empty] + [part.sections + base for part, base, _, _ in rows]),
        paths=np.concatenate(
            [np.empty((0, MAX_LEVEL), dtype=np.int64)]
            + [np.where(part.paths >= 0, part.paths + first, -1) for part, _, first, _ in rows]
        ),
        scopes=np.concatenate([empty] + [part.scopes + first for part, _, _, first in rows]),
        header=np.concatenate([none] + [part.header + base for part, base, _, _ in rows]),
        rows=np.concatenate([none] + [part.rows + base for part, base, _, _ in rows]),
        tables=np.concatenate([empty] + [part.tables + n for part, n in zip(parts, n_tables.tolist(), strict=False)]),
        levels=np.concatenate([empty] + [part.levels for part in parts]),
        title=np.concatenate([none] + [part.title + base for part, base, _, _ in rows]),
        lines={
            key: np.concatenate([none] + [part.lines[key] + base for part, base, _, _ in rows])
            for key in (parts[0].lines if parts else ())
        },
    )


def chunk_paths(prependable: Prependable, chunker: Chunker, chunks: SpanArray) -> IntArray:
    """Give the heading path of each chunk as rows of `prependable.headings`, -1 filling up.

    A chunk has the path of the section in which it starts; a chunk of joined sections has their longest common one.

    Returns
    -------
    int64 (m, 6)
    """
    if not len(prependable.headings):
        return np.full((len(chunks), MAX_LEVEL), -1, dtype=np.int64)
    first = np.searchsorted(prependable.sections, chunks[:, 0], side="right") - 1
    paths = prependable.paths[first]
    if chunker.merges_sections:
        last = np.searchsorted(prependable.sections, chunks[:, 1], side="left") - 1
        shared = prependable.scopes[paths] > last[:, None]
        paths = np.where((paths >= 0) & shared, paths, -1)
    return paths


def prepended_spans(
    prependable: Prependable, chunker: Chunker, chunks: SpanArray, layout: Layout
) -> tuple[IntArray, SpanArray]:
    """Give what each chunk prepends.

    Returns
    -------
    owners : int64 (c,)
        The chunk that prepends each span; never falls.
    spans : int64 (c, 2)
        Per chunk in the order of the document, no character twice.
    """
    if not len(chunks):
        return np.empty(0, dtype=np.int64), np.empty((0, 2), dtype=np.int64)
    found: list[tuple[IntArray, SpanArray]] = []
    for what in chunker.prepend:
        if what == "headings":
            found.extend(_headings(prependable, chunker, chunks))
        elif what == "title":
            found.append(_of_document(prependable.title, chunks, layout))
        elif what == "table-header":
            found.extend(_table_headers(prependable, chunks))
        elif what.startswith(FRONT_MATTER_PREFIX):
            found.append(_of_document(prependable.lines[what.removeprefix(FRONT_MATTER_PREFIX)], chunks, layout))
    owners = np.concatenate([np.empty(0, dtype=np.int64)] + [owner for owner, _ in found])
    spans = np.concatenate([np.empty((0, 2), dtype=np.int64)] + [span for _, span in found])
    held = (spans[:, 0] >= chunks[owners, 0]) & (spans[:, 1] <= chunks[owners, 1])
    owners, spans = owners[~held], spans[~held]
    order = np.lexsort((-spans[:, 1], spans[:, 0], owners))
    owners, spans = owners[order], spans[order]
    # what ends no later than something before it, with the same chunk, lies inside it
    reach = owners * (layout.edges[-1] + 1) + spans[:, 1]
    new = np.ones(len(owners), dtype=np.bool_)
    new[1:] = reach[1:] > np.maximum.accumulate(reach)[:-1]
    return owners[new], spans[new]


def _headings(prependable: Prependable, chunker: Chunker, chunks: SpanArray) -> list[tuple[IntArray, SpanArray]]:
    paths = chunk_paths(prependable, chunker, chunks)
    found = []
    for level in range(MAX_LEVEL):
        owners = np.flatnonzero(paths[:, level] >= 0)
        found.append((owners, prependable.headings[paths[owners, level]]))
    return found


def _of_document(spans: SpanArray, chunks: SpanArray, layout: Layout) -> tuple[IntArray, SpanArray]:
    """Give each chunk the one span of its document, where there is one."""
    if not len(spans):
        return np.empty(0, dtype=np.int64), spans
    wanted = layout.documents_of(chunks[:, 0])
    have = layout.documents_of(spans[:, 0])
    place = np.minimum(np.searchsorted(have, wanted), len(have) - 1)
    owners = np.flatnonzero(have[place] == wanted)
    return owners, spans[place[owners]]


def _table_headers(prependable: Prependable, chunks: SpanArray) -> list[tuple[IntArray, SpanArray]]:
    """Give each chunk that holds part of a row the header of its table.

    Of tables that do not overlap, a chunk can lack the header only of the first of which it holds part of a row.
    """
    found = []
    for level in range(int(prependable.levels.max(initial=-1)) + 1):
        here = np.flatnonzero(prependable.levels == level)
        row = np.searchsorted(prependable.rows[here, 1], chunks[:, 0], side="right")
        row = here[np.minimum(row, len(here) - 1)]
        table = prependable.tables[row]
        holds_part = (prependable.rows[row, 0] < chunks[:, 1]) & (chunks[:, 0] < prependable.rows[row, 1])
        owners = np.flatnonzero(holds_part)
        found.append((owners, prependable.header[table[owners]]))
    return found
