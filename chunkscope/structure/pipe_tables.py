"""Five places where the parser reads pipe tables otherwise than GitHub does, and how it is brought round.

pulldown-cmark lets a table follow a line of text only if its header starts with a pipe, wants pipes in both lines above
a column that stands alone and no tabs below, takes a line that is indented like code as a further row, and one that is
a tag of no block element too, and lets white space part the hyphens below a header. All are mended in the copy of the
text that it is given, byte for byte, so that no offset moves: the header gets a pipe for its first character, the line
of code is blanked, the tag gets the name of a paragraph, and a hyphen too many becomes a letter.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence

from chunkscope.spans.intervals import Span
from chunkscope.structure.patterns import lazily

_CELLS = rb"\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?[ \t]*+"
_DELIMITER_ROW = lazily(rb"\n[ \t>]*+" + _CELLS + rb"(?=\r?\n|\Z)")
_ONE_COLUMN = lazily(rb"\n[ \t>]*+(?=[^\n]*[|:])\|?[ \t]*+:?-++:?[ \t]*+\|?[ \t]*+(?=\r?\n|\Z)")
_PREFIX = lazily(rb"[ \t>]*+")
_VALUE = rb"""(?:[^ \t\r\n"'=<>`]++|'[^'\n]*+'|"[^"\n]*+")"""
_TAG = lazily(
    rb"<(?P<name>/[a-zA-Z][a-zA-Z0-9-]*+)[ \t]*+>[ \t]*+(?=\r?\n|\Z)"
    rb"|<(?P<open>[a-zA-Z][a-zA-Z0-9-]*+)(?:[ \t]++[a-zA-Z_:][a-zA-Z0-9_.:-]*+(?:[ \t]*+=[ \t]*+" + _VALUE + rb")?+)*+"
    rb"[ \t]*+/?>[ \t]*+(?=\r?\n|\Z)"
)
_BLANK_CELLS = lazily(
    r"[ \t>*+\-\d.)]*+"
    r"(?:[|\s\u200b\u2060\ufeff]|&(?:nbsp|ensp|emsp|thinsp|ZeroWidthSpace|#160|#xA0|#12288|#x3000);|<br ?/?>)*+",
    re.IGNORECASE,
)
_TAB_STOP = 4
_CODE_INDENT = 4


def mark_headers(raw: bytearray, starts: set[int], html: Sequence[Span], paragraphs: Mapping[int, int]) -> bool:
    r"""Put a pipe at the start of lines that are the header of a table below text.

    Parameters
    ----------
    raw : bytearray
        The text, a byte a character, changed in place; its length stays.
    starts : set of int
        The lines that start a block: neither header nor delimiter line is one of them, or the parser has decided.
    html : sequence of (start, end)
        HTML blocks, in order, in which there are no pipe tables.
    paragraphs : mapping of int to int
        Where the text of paragraphs starts, by the lines they start on: such a line may be the header of one column.

    Returns
    -------
    bool
        Whether there was such a line.

    Examples
    --------
    >>> raw = bytearray(b"Sales:\nyear | sum\n--- | ---\n")
    >>> mark_headers(raw, {0}, [], {0: 0}), raw
    (True, bytearray(b'Sales:\n|ear | sum\n--- | ---\n'))
    """
    changed = False
    for match in _DELIMITER_ROW.finditer(raw):
        line_end = match.start()
        line = raw.rfind(b"\n", 0, line_end) + 1
        if line_end + 1 in starts or (line in starts and line not in paragraphs):
            continue
        first = paragraphs[line] if line in starts else _after_prefix(raw, line)
        number = bisect_right(html, (first, len(raw)))
        if first >= line_end or (number and first < html[number - 1][1]):
            continue
        has_pipe = raw.find(b"|", first, line_end) >= 0
        if not (has_pipe or _ONE_COLUMN.match(raw, line_end)):
            continue
        changed |= _mend_delimiter(raw, line_end + 1, match.end())
        if raw[first] != ord("|") and not (has_pipe and line in starts):
            width = 2 if raw[first : first + 2] == b"\\|" else 1
            raw[first : first + width] = b"|".ljust(width)
            changed = True
    return changed


def _mend_delimiter(raw: bytearray, line: int, end: int) -> bool:
    """Put blanks for tabs into a delimiter row, and a pipe for a colon into one without pipes, in place."""
    first = _after_prefix(raw, line)
    row = bytes(raw[first:end])
    mended = row.replace(b"\t", b" ")
    if b"|" not in mended:
        mended = mended.replace(b":", b"|")
    raw[first:end] = mended
    return mended != row


def is_tag(raw: bytes, row: int) -> bool:
    r"""Tell whether the line at `row` is one complete tag.

    Examples
    --------
    >>> is_tag(b"<br>\n", 0), is_tag(b"<br> a\n", 0)
    (True, False)
    """
    first = _after_prefix(raw, row)
    return raw[first : first + 1] == b"<" and _TAG.match(raw, first) is not None


def end_before_tag(raw: bytearray, row: int) -> bool:
    r"""Let the line at `row`, if it is one complete tag, end a table, in place; tell whether it is one.

    CommonMark starts a block of HTML with such a line, whatever the tag's name, but not within a paragraph. The name of
    a paragraph in its place starts one anywhere, which ends at the next blank line as the other does.

    Examples
    --------
    >>> raw = bytearray(b"|a|b|\n|-|-|\n</Note>\n")
    >>> end_before_tag(raw, 12), raw
    (True, bytearray(b'|a|b|\n|-|-|\n</p   >\n'))
    """
    tag = _TAG.match(raw, _after_prefix(raw, row))
    if tag is None:
        return False
    start, end = tag.span("name" if tag["name"] else "open")
    raw[start:end] = (b"/p" if tag["name"] else b"p").ljust(end - start)
    return True


def is_blank_header(line: str) -> bool:
    """Tell whether all cells of a header have nothing to read in them.

    Examples
    --------
    >>> is_blank_header("|  | \u3000 |&nbsp;|<br>|"), is_blank_header("|  | a |")
    (True, False)
    """
    return "|" in line and _BLANK_CELLS.fullmatch(line) is not None


def is_code_after_table(raw: bytes, row: int, delimiter: int, *, is_contained: bool) -> bool:
    r"""Tell whether the line at `row` is indented so far that it ends the table with the delimiter row `delimiter`.

    In a list or quote, whose own indentation is not known, that of the delimiter row stands for it.

    Examples
    --------
    >>> is_code_after_table(b"a | b\n-|-\n    1\n", 10, 6, is_contained=False)
    True
    """
    base = 0
    if is_contained:
        # the space behind a mark of a quote is no indentation, and may be missing above
        base = _column(raw, delimiter) + (raw[_after_prefix(raw, delimiter) - 1] == ord(">"))
    return _column(raw, row) - base >= _CODE_INDENT


def refuse_delimiter(raw: bytearray, line: int) -> bool:
    r"""Keep the line at `line` from being a delimiter row, in place, if it is none; tell whether it had to be.

    Examples
    --------
    >>> raw = bytearray(b"|a|b|\n|- -|-|")
    >>> refuse_delimiter(raw, 6), raw
    (True, bytearray(b'|a|b|\n|- -|x|'))
    """
    if _DELIMITER_ROW.match(raw, line - 1):
        return False
    end = raw.find(b"\n", line)
    hyphen = raw.rfind(b"-", line, len(raw) if end < 0 else end)
    if hyphen >= 0:
        raw[hyphen] = ord("x")
    return hyphen >= 0


def blank_line(raw: bytearray, line: int) -> None:
    """Blank what stands in a line behind the marks of quotes, changing `raw` in place."""
    first = _after_prefix(raw, line)
    end = raw.find(b"\n", first)
    end = len(raw) if end < 0 else end
    end -= raw[end - 1 : end] == b"\r"
    raw[first:end] = b" " * (end - first)


def _after_prefix(raw: bytes | bytearray, line: int) -> int:
    return _PREFIX.match(raw, line).end()  # type: ignore[union-attr]


def _column(raw: bytes, line: int) -> int:
    """Give the column of the first character of a line behind white space and marks of quotes."""
    column = 0
    for byte in raw[line : _after_prefix(raw, line)]:
        column += _TAB_STOP - column % _TAB_STOP if byte == ord("\t") else 1
    return column
