"""Three places where the parser reads pipe tables otherwise than GitHub does, and how it is brought round.

pulldown-cmark lets a table follow a line of text only if its header starts with a pipe, takes a line that is indented
like code as a further row, and lets white space part the hyphens below a header. All are mended in the copy of the text
that it is given, byte for byte, so that no offset moves: the header gets a pipe for its first character, the line of
code is blanked, and a hyphen too many becomes a letter.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from chunkscope.spans.intervals import Span

_CELLS = rb"\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?[ \t]*+"
_DELIMITER_ROW = re.compile(rb"\n[ \t>]*+" + _CELLS + rb"(?=\r?\n|\Z)")
_PREFIX = re.compile(rb"[ \t>]*+")
_TAB_STOP = 4
_CODE_INDENT = 4


def mark_headers(raw: bytearray, starts: set[int], html: Sequence[Span]) -> bool:
    r"""Put a pipe at the start of lines that are the header of a table below text.

    Parameters
    ----------
    raw : bytearray
        The text, a byte a character, changed in place; its length stays.
    starts : set of int
        The lines that start a block: neither header nor delimiter line is one of them, or the parser has decided.
    html : sequence of (start, end)
        HTML blocks, in order, in which there are no pipe tables.

    Returns
    -------
    bool
        Whether there was such a line.

    Examples
    --------
    >>> raw = bytearray(b"Sales:\nyear | sum\n--- | ---\n")
    >>> mark_headers(raw, {0}, []), raw
    (True, bytearray(b'Sales:\n|ear | sum\n--- | ---\n'))
    """
    changed = False
    for match in _DELIMITER_ROW.finditer(raw):
        line_end = match.start()
        line = raw.rfind(b"\n", 0, line_end) + 1
        if line_end + 1 in starts or line in starts:
            continue
        first = _after_prefix(raw, line)
        if first >= line_end or raw[first] == ord("|") or raw.find(b"|", first, line_end) < 0:
            continue
        number = bisect_right(html, (first, len(raw)))
        if number and first < html[number - 1][1]:
            continue
        width = 2 if raw[first : first + 2] == b"\\|" else 1
        raw[first : first + width] = b"|".ljust(width)
        changed = True
    return changed


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
