"""Tables written in HTML, in Markdown or in a document of their own.

CommonMark ends an HTML block at a blank line, a browser does not: so the parts in which raw HTML stands are read one
after the other as one stream of tags, by the rules by which browsers close rows and tables that are left open.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from chunkscope.spans.intervals import Span
from chunkscope.structure.model import Table

_OPENING = re.compile(
    r"<(?:(?P<comment>!--)|(?P<cdata>!\[CDATA\[)"
    r"|(?P<close>/?)(?P<name>table|caption|thead|tbody|tfoot|tr|th|td|script|style|textarea)(?=[\s/>]))",
    re.IGNORECASE,
)
# a value in quotes may hold '>'; where the quotes do not pair, the first '>' ends the tag
_REST_OF_TAG = re.compile(r"""(?:[^"'<>]++|"[^"]*+"|'[^']*+')*+>|[^<>]*+>""")
_BLANK_LINE = re.compile(r"(?:\r\n?+|\n)[ \t>]*+(?=[\r\n])")
_TABLE_GOES_ON = re.compile(r"[ \t>]*+</?(?:caption|thead|tbody|tfoot|tr)(?=[\s/>])", re.IGNORECASE)
_RAW_TEXT = {
    name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE | re.ASCII) for name in ("script", "style", "textarea")
}
_SECTIONS = frozenset(("thead", "tbody", "tfoot"))
_LONGEST_QUOTE_PREFIX = 100
"""How far back the marks of block quotes before an unclosed row's end are looked for."""


class Region(NamedTuple):
    """A part of the text in which tags count: raw HTML, or indented code, where only an open table goes on.

    A table without rows yet goes on where the code begins with a tag of tables.
    """

    start: int
    end: int
    is_code: bool


class _Tag(NamedTuple):
    name: str
    closes: bool
    start: int
    end: int


@dataclass(slots=True)
class _Row:
    start: int
    in_head: bool
    end: int = -1
    has_cells: bool = False
    all_headers: bool = True


@dataclass(slots=True)
class _OpenTable:
    """A table being read. `reach` is the end of the last tag that belongs to it, or of a table inside."""

    start: int
    reach: int
    rows: list[_Row] = field(default_factory=list)
    in_row: bool = False
    in_cell: bool = False
    in_head: bool = False


def may_hold_html_table(text: str) -> bool:
    """Tell cheaply whether it is worth to look for HTML tables.

    Examples
    --------
    >>> may_hold_html_table("| a |"), may_hold_html_table("<TABLE>")
    (False, True)
    """
    return ("<t" in text or "<T" in text) and "<table" in text.lower()


def html_tables(text: str, regions: Iterable[Region]) -> list[Table]:
    """Find HTML tables and their rows.

    Parameters
    ----------
    text : str
        The text that the spans are to be of.
    regions : iterable of Region
        Where tags count, in increasing order. Comments are left out here, code must be left out by the caller.

    Returns
    -------
    list of Table
        Tables that have a row, in the order of their starts. The header is made of the rows in ``<thead>``, as far
        as they lead; where there are none, of the leading rows whose cells are all ``<th>``.

    Notes
    -----
    A row or table that is not closed ends where a browser would end it, white space left out: before the next row,
    section or end of the table. Where nothing follows, it ends at the first blank line after its last tag.

    Examples
    --------
    >>> text = "<table><tr><th>a</th></tr><tr><td>1</td></tr></table>"
    >>> html_tables(text, [Region(0, len(text), is_code=False)])
    [Table(kind='html', start=0, end=53, header=((7, 26),), rows=((26, 45),))]
    """
    done: list[_OpenTable] = []
    stack: list[_OpenTable] = []
    for tag in _tags(text, regions, stack):
        if tag.name == "table":
            if not tag.closes:
                if stack and not stack[-1].in_cell:
                    _leave(text, stack, done, tag.start)
                stack.append(_OpenTable(tag.start, tag.end))
            elif stack:
                _end_row(text, stack[-1], tag.start)
                stack[-1].reach = tag.end
                _pop(stack, done)
        elif stack:
            _take(text, stack[-1], tag)
    limit = len(text)
    while stack:
        limit = _leave(text, stack, done, limit)
    return sorted((_table(found) for found in done if found.rows), key=lambda table: (table.start, -table.end))


def _tags(text: str, regions: Iterable[Region], stack: list[_OpenTable]) -> Iterator[_Tag]:
    """Give the tags that tables are made of; `stack` is what is open, as the caller goes along."""
    position = 0
    for start, end, is_code in regions:
        if is_code and not (stack and (stack[-1].rows or _TABLE_GOES_ON.match(text, start))):
            continue
        position = max(position, start)
        while match := _OPENING.search(text, position, end):
            name = (match["name"] or "").lower()
            if not name:
                position = _end_of(text, "-->" if match["comment"] else "]]>", match)
                continue
            rest = _REST_OF_TAG.match(text, match.end())
            position = rest.end() if rest else match.end()
            if name not in _RAW_TEXT:
                if rest:
                    yield _Tag(name, bool(match["close"]), match.start(), position)
            elif not match["close"]:
                closing = _RAW_TEXT[name].search(text, position)
                position = closing.end() if closing else len(text)


def _end_of(text: str, mark: str, opening: re.Match[str]) -> int:
    """Give the end of a comment; one that is never closed takes the rest of the text."""
    # '<!-->' and '<!--->' are whole comments
    begin = opening.start() + 2 if mark == "-->" else opening.end()
    found = text.find(mark, begin)
    return len(text) if found < 0 else found + len(mark)


def _take(text: str, table: _OpenTable, tag: _Tag) -> None:
    """Go on in the innermost open table with a tag."""
    name = tag.name
    if name in _SECTIONS or name == "tr":
        if name == "tr" and tag.closes:
            if table.in_row:
                table.rows[-1].end = tag.end
                table.in_row = False
        else:
            _end_row(text, table, tag.start)
            if name == "tr":
                _start_row(table, tag.start)
            else:
                table.in_head = name == "thead" and not tag.closes
        table.in_cell = False
    else:
        if name != "caption" and not tag.closes:
            if not table.in_row:
                _start_row(table, tag.start)
            row = table.rows[-1]
            row.has_cells = True
            row.all_headers = row.all_headers and name == "th"
        table.in_cell = not tag.closes
    table.reach = tag.end


def _start_row(table: _OpenTable, start: int) -> None:
    table.rows.append(_Row(start, table.in_head))
    table.in_row = True


def _end_row(text: str, table: _OpenTable, limit: int) -> None:
    """End a row that is still open before `limit`, leaving out white space and the marks of quotes."""
    if table.in_row:
        table.rows[-1].end = _trimmed(text, table.reach, limit)
        table.in_row = False


def _trimmed(text: str, start: int, end: int) -> int:
    while True:
        while end > start and text[end - 1].isspace():
            end -= 1
        low = max(start, end - _LONGEST_QUOTE_PREFIX)
        line_end = max(text.rfind("\n", low, end), text.rfind("\r", low, end))
        if line_end < 0 or text[line_end + 1 : end].strip(" \t>"):
            return end
        end = line_end


def _leave(text: str, stack: list[_OpenTable], done: list[_OpenTable], limit: int) -> int:
    """End the innermost table, which nothing closes, before `limit`; give the limit of the table around it."""
    table = stack[-1]
    if table.in_row:
        blank = _BLANK_LINE.search(text, table.reach, limit)
        _end_row(text, table, blank.start() if blank else limit)
        table.reach = limit = table.rows[-1].end
    _pop(stack, done)
    return limit


def _pop(stack: list[_OpenTable], done: list[_OpenTable]) -> None:
    table = stack.pop()
    done.append(table)
    if stack:
        stack[-1].reach = table.reach


def _table(found: _OpenTable) -> Table:
    rows = found.rows
    n_header = _count_header(rows, [row.in_head for row in rows])
    n_header = n_header or _count_header(rows, [row.all_headers for row in rows])
    spans: tuple[Span, ...] = tuple((row.start, row.end) for row in rows)
    return Table("html", found.start, found.reach, spans[:n_header], spans[n_header:])


def _count_header(rows: list[_Row], flags: list[bool]) -> int:
    """Count the leading rows that are flagged; an empty row neither makes a header nor hides one."""
    flags = [flag or not row.has_cells for row, flag in zip(rows, flags, strict=True)]
    n_header = flags.index(False) if False in flags else len(flags)
    while n_header and not rows[n_header - 1].has_cells:
        n_header -= 1
    return n_header
