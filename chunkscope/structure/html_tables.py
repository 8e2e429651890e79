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
from chunkscope.structure.patterns import lazily

_OPENING = lazily(
    r"<(?:(?P<comment>!--)|(?P<cdata>!\[CDATA\[)"
    r"|(?P<close>/?)(?P<name>table|caption|thead|tbody|tfoot|tr|th|td|script|style|textarea)(?=[\s/>]))",
    re.IGNORECASE,
)
# a value in quotes may hold '>'; where the quotes do not pair, the first '>' ends the tag
_REST_OF_TAG = lazily(r"""(?:[^"'<>]++|"[^"]*+"|'[^']*+')*+>|[^<>]*+>""")
_BLANK_LINE = lazily(r"(?:\r\n?+|\n)[ \t>]*+(?=[\r\n])")
_TABLE_GOES_ON = lazily(r"[ \t>]*+</?(?:caption|thead|tbody|tfoot|tr)(?=[\s/>])", re.IGNORECASE)
_RAW_TEXT = {name: lazily(rf"</{name}(?=[\s/>])", re.IGNORECASE | re.ASCII) for name in ("script", "style", "textarea")}
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


_ATTRIBUTE = lazily(r"""(?<=[\s"'])(scope|style)\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s>]++))""", re.IGNORECASE)
_NOT_READ = lazily(
    r"<!--.*?-->|<[^<>]*+>|&(?:nbsp|ensp|emsp|thinsp|#160|#xa0|#12288|#x3000);|[\s\u200b\ufeff]++", re.I | re.S
)
_BOLD = lazily(r"<(b|strong)(?=[\s>])[^<>]*+>.*?</\1\s*+>|\*\*[^*]++\*\*|__[^_]++__", re.IGNORECASE | re.DOTALL)
_IS_BOLD = lazily(r"font-weight\s*+:\s*+(?:bold|[6-9]00)", re.IGNORECASE)
_COLUMN_SCOPES, _ROW_SCOPES = ("col", "colgroup"), ("row", "rowgroup")
_MOST_OF_A_CELL = 400
"""So many characters of a cell tell whether it is empty or bold."""
_MOST_HEADER_ROWS = 16
"""Cells are looked at in so many rows of a table without a ``<thead>``."""


@dataclass(slots=True)
class _Row:
    start: int
    in_head: bool
    end: int = -1
    has_cells: bool = False
    cells: list[_Cell] = field(default_factory=list)


class _Cell(NamedTuple):
    """A cell that may be of a header: its kind, ``th`` or ``td``, and where its tag and its content begin."""

    name: str
    tag: int
    content: int


@dataclass(slots=True)
class _OpenTable:
    """A table being read. `reach` is the end of the last tag that belongs to it, or of a table inside."""

    start: int
    reach: int
    rows: list[_Row] = field(default_factory=list)
    in_row: bool = False
    in_cell: bool = False
    in_head: bool = False


_TABLE_TAG = lazily("<[tT][aA][bB][lL][eE]")


def may_hold_html_table(text: str) -> bool:
    """Tell cheaply whether it is worth to look for HTML tables.

    Examples
    --------
    >>> may_hold_html_table("| a |"), may_hold_html_table("<TABLE>")
    (False, True)
    """
    return _TABLE_TAG.search(text) is not None


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
        as they lead; where there are none, of the leading rows whose cells are all ``<th>`` or of a column's scope, an
        empty corner aside, with a title of one cell above them; where there are none, of those wholly in bold. Where
        nothing stands in a header, the first row stands for it.

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
    tables = (_table(text, found) for found in done if found.rows)
    return sorted(tables, key=lambda table: (table.start, -table.end))


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
            if row.in_head or len(table.rows) <= _MOST_HEADER_ROWS:
                row.cells.append(_Cell(name, tag.start, tag.end))
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


def _table(text: str, found: _OpenTable) -> Table:
    rows = found.rows
    spans: tuple[Span, ...] = tuple((row.start, row.end) for row in rows)
    n_header = _leading(rows, [row.in_head for row in rows])
    looks = _looks(text, rows[: n_header or _MOST_HEADER_ROWS])
    n_header = n_header or _header_rows(rows, looks)
    is_blank = 0 < n_header < len(rows) and all(look.is_blank for look in looks[:n_header])
    first = n_header if is_blank else 0
    return Table(
        "html", found.start, found.reach, spans[first : n_header + is_blank], spans[n_header + is_blank :], is_blank
    )


@dataclass(frozen=True, slots=True)
class _Look:
    """What the cells of a row look like: those of a header, or all in bold; `is_title` has one cell alone."""

    heads: bool
    is_bold: bool
    is_title: bool
    is_blank: bool


def _looks(text: str, rows: list[_Row]) -> list[_Look]:
    """Look at the rows of what may be a header, and at the first that is none."""
    looks: list[_Look] = []
    for row in rows:
        looks.append(_look(text, row))
        if row.has_cells and not (row.in_head or looks[-1].heads or looks[-1].is_bold or len(looks) == 1):
            break
    return looks


def _look(text: str, row: _Row) -> _Look:
    contents = [_content(text, row, number) for number in range(len(row.cells))]
    blank = [not _NOT_READ.sub("", content) for content in contents]
    scopes = [_attributes(text, cell).get("scope", "") for cell in row.cells]
    is_head = [
        scope in _COLUMN_SCOPES or (cell.name == "th" and scope not in _ROW_SCOPES)
        for cell, scope in zip(row.cells, scopes, strict=True)
    ]
    rest = [place for place, head in enumerate(is_head) if not head]
    # a corner has nothing in it, or stands before columns that are named as such
    is_corner = rest == [0] and (blank[0] or row.cells[0].name == "th" or all(scopes[1:]))
    is_margin = all(blank[place] for place in rest) and (sum(is_head) > 1 or rest == [*range(len(rest))])
    bold = [_is_bold(text, row, number, content) for number, content in enumerate(contents)]
    return _Look(
        heads=any(is_head) and (is_corner or is_margin),
        is_bold=any(bold) and all(map(bool.__or__, bold, blank)),
        is_title=len(row.cells) == 1 and not blank[0],
        is_blank=all(blank),
    )


def _content(text: str, row: _Row, number: int) -> str:
    start = row.cells[number].content
    end = row.cells[number + 1].tag if number + 1 < len(row.cells) else row.end
    return text[start : min(end, start + _MOST_OF_A_CELL)]


def _attributes(text: str, cell: _Cell) -> dict[str, str]:
    tag = text[cell.tag : min(cell.content, cell.tag + _MOST_OF_A_CELL)]
    return {name.lower(): (a or b or c).strip().lower() for name, a, b, c in _ATTRIBUTE.findall(tag)}


def _is_bold(text: str, row: _Row, number: int, content: str) -> bool:
    if _IS_BOLD.search(_attributes(text, row.cells[number]).get("style", "")):
        return True
    return bool(_BOLD.search(content)) and not _NOT_READ.sub("", _BOLD.sub("", content))


def _header_rows(rows: list[_Row], looks: list[_Look]) -> int:
    """Count the leading rows that make a header, where there is no ``<thead>``."""
    heads, bold = [look.heads for look in looks], [look.is_bold for look in looks]
    if len(rows) > 1 and looks[0].is_title and len(rows[1].cells) > 1:
        below = _leading(rows[1:], heads[1:]) or _bold_rows(rows[1:], bold[1:])
        if below:
            return 1 + below
    return _leading(rows, heads) or _bold_rows(rows, bold)


def _bold_rows(rows: list[_Row], is_bold: list[bool]) -> int:
    """Count the leading rows in bold, up to one of a single cell, the title of a group; where all is bold, none."""
    n_cells = [len(row.cells) for row in rows]
    n_bold = _leading(rows, [bold and (n > 1 or max(n_cells) == 1) for bold, n in zip(is_bold, n_cells, strict=False)])
    n_bold = n_bold or int(is_bold[:1] == [True])
    return n_bold if n_bold < len(rows) else 0


def _leading(rows: list[_Row], flags: list[bool]) -> int:
    """Count the leading rows that are flagged; an empty row neither makes a header nor hides one."""
    n_header = last = 0
    for number, (row, flag) in enumerate(zip(rows, flags, strict=False), 1):
        if not (flag or not row.has_cells):
            break
        n_header, last = number, number if row.has_cells else last
    return min(n_header, last)
