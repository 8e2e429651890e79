"""Headings, tables, code and block starts of a Markdown text, as positions in the text as it is.

The block structure comes from pulldown-cmark, which reports ranges of UTF-8 bytes. It is given a copy of the text in
which one ASCII character stands for each other one, so that its bytes are the characters of the text: only ASCII
characters make blocks. That saves a tenth of the time, measured on 6 million characters of Japanese and English.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from chunkscope.corpus.document import Document
from chunkscope.spans.intervals import IntArray, Span, as_spans
from chunkscope.structure.characters import code_points
from chunkscope.structure.dialects import Mark, read_dialect
from chunkscope.structure.html_tables import Region, html_tables, may_hold_html_table
from chunkscope.structure.html_text import read_html
from chunkscope.structure.model import Heading, Structure, Table
from chunkscope.structure.patterns import lazily
from chunkscope.structure.pipe_tables import (
    blank_line,
    end_before_tag,
    is_blank_header,
    is_code_after_table,
    is_tag,
    mark_headers,
    refuse_delimiter,
)
from chunkscope.structure.plain_text import read_code, read_plain

_BARE_CR = lazily(r"\r(?!\n)")
_BLANK = lazily(r"[ \t\r\n]*+")
_BLANK_OR_QUOTE_MARK = lazily(rb"[ \t\r\n>]*+")
_CODE_LINE = lazily(rb"\n(?=[ \t]*+[^ \t\r\n])")
_QUOTED_CODE_LINE = lazily(rb"\n(?=[ \t>]*+[^ \t\r\n>])")
_ATX = lazily(r"[ \t]*#{1,6}(?:[ \t]+|$)")
_LINE_END = lazily(r"\r\n?+|\n")
_FILLED_LINE = lazily(r"[ \t]*+[^ \t\r\n]")

_ASCII_END = 128
_PIPE = ord("|")
_STAND_IN = ord("$")
"""What no block, tag or definition of a link begins or ends with, and what may stand in all of them."""

_BLOCKS = frozenset(
    ("Paragraph", "Item", "TableRow", "TableHead", "HtmlBlock", "Heading", "CodeBlock", "Table", "List", "BlockQuote")
)

_MAX_CORRECTIONS = 8
"""How often a text is read again after a correction; one is enough but for texts made to need more."""


def read_structure(document: Document) -> Structure:
    r"""Find what a document is made of.

    Parameters
    ----------
    document : Document
        With ``markup="plain"`` or ``"code"`` it is read by `read_plain` or `read_code`, with ``"html"`` by `read_html`.

    Returns
    -------
    Structure
        All positions in code points of `document.text`.

    Notes
    -----
    Headings are those that CommonMark sees at the top level of the document. Block starts are starts of lines,
    except for HTML rows, which start at ``<tr``. A blank line never starts a block: white space belongs to what
    stands before it, and blank lines at the top belong to the first block unless that is a heading.

    Examples
    --------
    >>> structure = read_structure(Document("a.md", "# 表\n\n| a |\n|---|\n| 1 |\n"))
    >>> structure.headings
    (Heading(start=0, end=3, level=1, title='表'),)
    >>> structure.tables
    (Table(kind='pipe', start=5, end=22, header=((5, 10),), rows=((17, 22),)),)
    >>> structure.block_starts.tolist()
    [0, 5, 11, 17]
    """
    text = document.text
    if document.markup == "html":
        return read_html(document)
    if document.markup == "plain":
        return read_plain(text)
    if document.markup == "code":
        return read_code(text)
    top = document.front_matter_end
    reading = read_dialect(text, _source(text, top), top, document.name, document.dialect)
    blocks, raw = _read_blocks(reading.raw)
    may_hold_html = may_hold_html_table(text)
    regions = _html_regions(raw, blocks) if may_hold_html else []
    if reading.places is not None:
        blocks.move(reading.places)
        at = reading.places.tolist()
        regions = [Region(at[start], at[end], is_code) for start, end, is_code in regions]

    starts, code = {*blocks.starts, *reading.starts}, [(block.start, block.end) for block in blocks.code]
    marks = _settle_marks(text, reading.marks, starts, code)
    marked = {line for mark in marks for line in _lines_of(text, mark.start, mark.end)} if marks else set()
    headings = [
        Heading(*span, level, _title(text[slice(*span)])) for span, level in blocks.headings if span[0] not in marked
    ]
    tables = [table.seen_in(text) for table in blocks.tables]
    if may_hold_html:
        found = html_tables(text, regions)
        rows = sorted(start for table in found for start, _ in (*table.header, *table.rows))
        code = _without_rows(text, code, found, starts)
        starts.update(rows)
        tables = sorted([*tables, *found], key=lambda table: (table.start, -table.end))
    if "\f" in text:
        starts = _without_page_breaks(text, starts)
    _settle_first_block(starts, text, top, {heading.start for heading in headings})
    habits = {mark.habit for mark in marks} | ({"mdx"} if reading.places is not None else set())
    return Structure(
        length=len(text),
        front_matter_end=top,
        headings=tuple(headings),
        tables=tuple(tables),
        code=as_spans(code),
        block_starts=np.array(sorted(starts), dtype=np.int64),
        marks=as_spans([(mark.start, mark.end) for mark in marks if not mark.is_code]),
        habits=tuple(sorted(habits)),
    )


def _source(text: str, top: int) -> bytes:
    """Give the text as the parser should see it: a byte a character, and nothing but line ends before `top`.

    Its slow twin is `blocks_slowly` in tests/structure/test_markdown.py, which turns bytes into code points.
    """
    body = text[top:]
    # every line end as the parser's own; and VT, FF are no white space in CommonMark, but are to the parser
    if "\r" in body:
        body = _BARE_CR.sub("\n", body)
    if "\x0b" in body or "\x0c" in body:
        body = body.replace("\x0b", "\x01").replace("\x0c", "\x01")
    if not body.isascii():
        points = code_points(body)
        return b"\n" * top + np.where(points < _ASCII_END, points, _STAND_IN).astype(np.uint8).tobytes()
    return b"\n" * top + body.encode("ascii")


@dataclass(slots=True)
class _PipeTable:
    is_contained: bool
    header: Span = (0, 0)
    delimiter: int = 0
    end: int = 0
    rows: list[Span] = field(default_factory=list)
    is_broken: bool = False

    def seen_in(self, text: str) -> Table:
        """Give the table as it is seen in the text: without the white space at the ends of its lines."""
        header, *rows = (_without_trailing_blanks(text, line) for line in (self.header, *self.rows))
        end = rows[-1][1] if rows else _without_trailing_blanks(text, (self.delimiter, self.end))[1]
        if rows and is_blank_header(text[slice(*header)]):
            return Table("pipe", header[0], end, (rows[0],), tuple(rows[1:]), has_blank_header=True)
        return Table("pipe", header[0], end, (header,), tuple(rows))


class _Code(NamedTuple):
    start: int
    end: int
    is_indented: bool


@dataclass(slots=True)
class _Blocks:
    """What the parser reports. `code_after_tables` and `tags_after_tables` are what it takes for rows, wrongly.

    `paragraphs` has where the text of paragraphs starts, by their first lines.
    """

    starts: list[int] = field(default_factory=list)
    paragraphs: dict[int, int] = field(default_factory=dict)
    headings: list[tuple[Span, int]] = field(default_factory=list)
    tables: list[_PipeTable] = field(default_factory=list)
    code: list[_Code] = field(default_factory=list)
    html: list[Span] = field(default_factory=list)
    code_after_tables: list[int] = field(default_factory=list)
    tags_after_tables: list[int] = field(default_factory=list)

    def move(self, places: IntArray) -> None:
        """Say where everything stands in the text, of which the parser was not given all."""
        at = places.tolist()
        self.starts = [at[start] for start in self.starts]
        self.headings = [((at[start], at[end]), level) for (start, end), level in self.headings]
        self.code = [_Code(at[start], at[end], is_indented) for start, end, is_indented in self.code]
        for table in self.tables:
            table.header = at[table.header[0]], at[table.header[1]]
            table.delimiter, table.end = at[table.delimiter], at[table.end]
            table.rows = [(at[start], at[end]) for start, end in table.rows]


def _read_blocks(raw: bytes) -> tuple[_Blocks, bytes]:
    """Give the blocks, and the text as it was read in the end."""
    blocks = _scan(raw)
    if not (b"|" in raw or b":-" in raw or b"-:" in raw):
        return blocks, raw
    code_lines: list[int] = []
    edited = bytearray(raw)
    for _ in range(_MAX_CORRECTIONS):
        # a line that looks like a delimiter row is one, even if the parser takes it for the header of another table
        decided = set(blocks.starts).difference(table.header[0] for table in blocks.tables)
        changed = mark_headers(edited, decided, blocks.html, blocks.paragraphs)
        for line in blocks.code_after_tables:
            blank_line(edited, line)
        for line in blocks.tags_after_tables:
            changed |= end_before_tag(edited, line)
        for table in blocks.tables:
            changed |= refuse_delimiter(edited, table.delimiter)
        if not changed and not blocks.code_after_tables:
            break
        code_lines += blocks.code_after_tables
        raw = bytes(edited)
        blocks = _scan(raw)
    if code_lines:
        blocks.starts += code_lines
        blocks.code = _with_code_lines(blocks.code, code_lines, raw)
    return blocks, raw


def _with_code_lines(code: list[_Code], lines: list[int], raw: bytes) -> list[_Code]:
    """Add lines that were blanked as indented code, each joined to the indented code below it."""
    ends = {block.start: block.end for block in code if block.is_indented}
    for line in sorted(lines, reverse=True):
        end = _line_end(raw, line)
        below = raw.rfind(b"\n", 0, _BLANK_OR_QUOTE_MARK.match(raw, end).end()) + 1  # type: ignore[union-attr]
        ends[line] = ends.pop(below, end)
    fenced = [block for block in code if not block.is_indented]
    return sorted([*fenced, *(_Code(start, end, is_indented=True) for start, end in ends.items())])


def _scan(raw: bytes) -> _Blocks:
    blocks = _Blocks()
    starts = blocks.starts
    contained_until = 0
    until = {"List": 0, "BlockQuote": 0}
    may_define_links = b"]:" in raw
    ends: set[int] = set()
    line = seen = 0
    for name, value, start, end in _block_events(raw.decode("ascii")):
        # blocks come in the order of their starts, and thousands of them may start on one line: `> > > ...`
        line = raw.rfind(b"\n", seen, start) + 1 or line
        seen = start
        starts.append(line)
        if name == "Item":
            continue
        if name == "Paragraph":
            blocks.paragraphs[line] = start
        elif name in ("TableHead", "TableRow"):
            _add_row(blocks, raw, name, line)
            continue
        elif name == "Heading":
            if start >= contained_until:
                blocks.headings.append(((line, _line_end(raw, end - 1)), int(value["level"][1])))
        elif name == "Table":
            blocks.tables.append(_PipeTable(start < contained_until))
        elif name == "CodeBlock":
            _add_code(
                blocks, raw, (line, start, end), is_indented=value == "Indented", is_quoted=start < until["BlockQuote"]
            )
        elif name == "HtmlBlock":
            blocks.html.append((start, end))
            if raw.startswith(b"<![CDATA[", start):
                _add_code(blocks, raw, (line, start, end), is_indented=False, is_quoted=start < until["BlockQuote"])
        elif name in until:
            until[name] = max(until[name], end)
            contained_until = max(contained_until, end)
        # what follows need not be reported: link definitions are not, nor is text in lists without blank lines
        if may_define_links or start < until["List"]:
            ends.add(end)
    starts += _lines_behind(raw, ends)
    return blocks


def _lines_behind(raw: bytes, ends: Iterable[int]) -> Iterator[int]:
    """Give the start of the first line that is not blank from each of `ends` on, where there is one.

    Its slow twin is `lines_behind_slowly` in tests/structure/test_markdown.py, which looks from each end alone.
    """
    following = line = 0
    for end in sorted(ends):
        if end <= following:
            continue  # all was blank up to there, and may be very much
        seen, following = following, _BLANK_OR_QUOTE_MARK.match(raw, end).end()  # type: ignore[union-attr]
        if following < len(raw):
            line = raw.rfind(b"\n", seen, following) + 1 or line
            yield line


def _block_events(source: str) -> Iterator[tuple[str, Any, int, int]]:
    """Give kind, details, start and end of each block, outer ones first."""
    for event, span in _events(source):
        # an event is a name or a dictionary of one key; most are inline and of no use
        if "Start" in event:
            tag: Any = event["Start"]
            value = None
            if tag.__class__ is not str:
                [(tag, value)] = tag.items()
            if tag in _BLOCKS:
                yield tag, value, span["start"], span["end"]
        elif event == "Rule":
            yield "Rule", None, span["start"], span["end"]


def _events(source: str) -> Iterable[tuple[Any, Any]]:
    import pyromark

    return pyromark.events_with_range(source, options=pyromark.Options.ENABLE_TABLES)


def _add_row(blocks: _Blocks, raw: bytes, name: str, line: int) -> None:
    row = (line, _line_end(raw, line))
    table = blocks.tables[-1]
    if name == "TableHead":
        delimiter = raw.find(b"\n", line) + 1
        blocks.starts.append(delimiter)
        table.header = row
        table.delimiter = delimiter
        table.end = _line_end(raw, delimiter)
    elif not table.is_broken:
        if raw[line] == _PIPE:
            pass  # neither code nor a tag, and so are most rows
        elif is_code_after_table(raw, line, table.delimiter, is_contained=table.is_contained):
            table.is_broken = True
            blocks.code_after_tables.append(line)
        elif is_tag(raw, line):
            table.is_broken = True
            blocks.tags_after_tables.append(line)
        table.rows.append(row)
        table.end = row[1]


def _add_code(blocks: _Blocks, raw: bytes, place: tuple[int, int, int], *, is_indented: bool, is_quoted: bool) -> None:
    line, start, end = place
    pattern = _QUOTED_CODE_LINE if is_quoted else _CODE_LINE
    blocks.starts += [match.end() for match in pattern.finditer(raw, start, end)]
    blocks.code.append(_Code(line, _line_end(raw, end - 1), is_indented))


def _line_end(raw: bytes, inside: int) -> int:
    """Give the end, without the line end, of the line that holds the byte `inside`."""
    end = raw.find(b"\n", inside)
    end = len(raw) if end < 0 else end
    return end - 1 if raw[end - 1 : end] == b"\r" else end


def _without_trailing_blanks(text: str, line: Span) -> Span:
    start, end = line
    seen = len(text[start:end].rstrip())
    # of a row of ideographic spaces alone nothing would be left
    return start, start + seen if seen else end


def _title(lines: str) -> str:
    marks = _ATX.match(lines)
    if marks:
        title = lines[marks.end() :].rstrip(" \t")
        kept = title.rstrip("#")
        # hashes close a title only behind a blank
        return title if kept and kept[-1] not in " \t" else kept.rstrip(" \t")
    return " ".join(line.strip(" \t") for line in _LINE_END.split(lines)[:-1])


def _html_regions(raw: bytes, blocks: _Blocks) -> list[Region]:
    """Give where raw HTML stands, and the indented code that a table with blank lines may turn into."""
    regions = [Region(start, end, is_code=False) for start, end in blocks.html]
    regions += [
        Region(span["start"], span["end"], is_code=False)
        for event, span in _events(raw.decode("ascii"))
        if "InlineHtml" in event
    ]
    return sorted(
        [*regions, *(Region(block.start, block.end, is_code=True) for block in blocks.code if block.is_indented)]
    )


def _without_rows(text: str, code: list[Span], tables: Sequence[Table], starts: set[int]) -> list[Span]:
    """Leave out code that is indented rows of HTML tables, and its lines as starts; what follows a table stays."""
    rows = sorted(start for table in tables for start, _ in (*table.header, *table.rows))
    ends = sorted(table.end for table in tables)
    kept = []
    for start, end in code:
        if bisect_left(rows, start) == bisect_left(rows, end):
            kept.append((start, end))
            continue
        number = bisect_right(ends, end)
        behind = ends[number - 1] if number and ends[number - 1] > start else end
        words = _BLANK.match(text, behind).end()  # type: ignore[union-attr]
        rest = max(text.rfind("\n", behind, words), text.rfind("\r", behind, words)) + 1 or end
        starts.difference_update(range(start, min(rest, end)))
        if rest < end:
            kept.append((rest, end))
    return kept


def _settle_marks(text: str, marks: list[Mark], starts: set[int], code: list[Span]) -> list[Mark]:
    """Let marks be blocks, leaving out those that stand in code, and code what of them is code."""
    if not marks:
        return marks
    begins = [start for start, _ in code]
    kept = []
    for mark in marks:
        number = bisect_right(begins, mark.start)
        if number and mark.start < code[number - 1][1]:
            continue
        kept.append(mark)
        inner = _lines_of(text, mark.start, mark.end)
        (starts.update if mark.is_code else starts.difference_update)(inner)
        starts.add(mark.start)
        words = _BLANK.match(text, mark.end).end()  # type: ignore[union-attr]
        if words < len(text):
            starts.add(max(text.rfind("\n", mark.end, words), text.rfind("\r", mark.end, words)) + 1)
    code += [(mark.start, mark.end) for mark in kept if mark.is_code]
    code.sort()
    return kept


def _lines_of(text: str, start: int, end: int) -> list[int]:
    """Give where the lines in a stretch of whole lines start that are not blank."""
    lines = [start, *(match.end() for match in _LINE_END.finditer(text, start, end))]
    return [line for line in lines if _FILLED_LINE.match(text, line)]


def _settle_first_block(starts: set[int], text: str, top: int, headings: set[int]) -> None:
    """Let the text start with a block, and blank lines at the top belong to it."""
    if not text:
        return
    first = _BLANK.match(text, top).end()  # type: ignore[union-attr]
    line = max(text.rfind("\n", 0, first), text.rfind("\r", 0, first)) + 1
    if top and first < len(text):
        # the text after front matter starts a block of its own, whatever it is
        starts.add(line)
    elif not top and line not in headings:
        starts.discard(line)
    starts.add(0)


def _without_page_breaks(text: str, starts: set[int]) -> set[int]:
    """Leave out paragraphs of form feeds alone: to CommonMark they are no white space, but nobody reads them."""
    edges = sorted(starts)
    return {start for start, end in pairwise([*edges, len(text)]) if text[start:end].strip()}
