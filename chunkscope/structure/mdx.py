"""MDX: Markdown in which indentation is no code, tags stand between blocks, and JavaScript stands between paragraphs.

The parser is given a copy in which a line of tags alone is an empty heading, imports and exports are blank but for one,
and indentation that CommonMark would take for code is cut down. What is cut out is known, so that places can be given
back.
"""

from __future__ import annotations

import re

import numpy as np

from chunkscope.spans.intervals import IntArray, Span
from chunkscope.structure.patterns import lazily

_DEPTH = 4
_BRACED = rb"\{[^{}]*+\}"
for _ in range(_DEPTH):
    _BRACED = rb"\{(?:[^{}]++|" + _BRACED + rb")*+\}"
_TAG = rb"</?+(?:[A-Za-z][\w.:-]*+)?+(?:[^<>{}\"'`]++|\"[^\"]*+\"|'[^']*+'|" + _BRACED + rb")*+>"
_OF_HTML = rb"(?!</?(?:table|thead|tbody|tfoot|tr|th|td|caption|colgroup|col|pre|script|style|textarea)\b)"
_EOL = rb"[ \t]*+(?=\r?$)"
_TAGS = lazily(rb"(?:" + _OF_HTML + _TAG + rb"[ \t]*+)++" + _EOL, re.MULTILINE)
_ANY_TAG = lazily(_OF_HTML + rb"</?[A-Za-z]")
_TABLE = lazily(rb"<table\b", re.IGNORECASE)
_EXPRESSION = lazily(_BRACED + _EOL, re.MULTILINE)
_COMMENT = lazily(rb"\{\s*+/\*")
_COMMENT_END = lazily(rb"\*/\s*+\}" + _EOL, re.MULTILINE)
_MODULE = lazily(
    rb"import(?:[ \t]*+[\"'{*]|[ \t]++[^\n]*?\bfrom\b)"
    rb"|export[ \t]++(?:const|let|var|default|function|async|class|\{|\*)"
)
_BLANK_LINE = lazily(rb"\n[ \t]*+\r?+(?=\n)")
_BRACKETS = lazily(rb"[\[\](){}]")
_INDENT = lazily(rb"[ \t]*+")
_FENCE = lazily(rb"(?:`{3,}+(?=[^`\n]*+$)|~{3,}+)", re.MULTILINE)
_ITEM = lazily(rb"(?:[-*+]|\d{1,9}[.)])(?:[ \t]++(?=[^ \t\r\n])|(?=\r?$))", re.MULTILINE)
_CODE_INDENT = _TAB_STOP = 4


def read_mdx(raw: bytes, top: int) -> tuple[bytes, IntArray, list[tuple[int, int, bool]]]:
    r"""Give what the parser should be given for an MDX text.

    Parameters
    ----------
    raw : bytes
        A byte a character.
    top : int
        Where the front matter ends.

    Returns
    -------
    raw : bytes
        Perhaps shorter.
    places : int64 (len(raw) + 1,)
        Where each of its bytes stands in the text.
    marks : list of (start, end, is_code)
        Whole lines, without the last line end, of tags and comments, and of JavaScript, which is code.

    Examples
    --------
    >>> raw, places, marks = read_mdx(b"<Tab>\n      | a |\n      |---|\n</Tab>\n", 0)
    >>> raw, marks, places[:9].tolist()
    (b'#    \n | a |\n |---|\n#     \n', [(0, 5, False), (30, 36, False)], [0, 1, 2, 3, 4, 5, 6, 12, 13])
    """
    reader = _Reader(raw, top)
    reader.run()
    kept = np.ones(len(raw) + 1, dtype=np.bool_)
    for start, end in reader.cut:
        kept[start:end] = False
    places = np.flatnonzero(kept)
    edited = np.frombuffer(bytes(reader.raw) + b"\n", dtype=np.uint8)[kept].tobytes()[:-1]
    return edited, places, reader.marks


class _Reader:
    """Goes through the lines once, and knows in which lists and in which block of code it is."""

    def __init__(self, raw: bytes, top: int) -> None:
        self.source, self.raw = raw, bytearray(raw)
        self.place = top
        self.marks: list[tuple[int, int, bool]] = []
        self.cut: list[Span] = []
        self._lists: list[tuple[int, int]] = []  # where the text of items begins: as written, and as cut
        self._fence = b""
        self._table_until = 0
        self._last_table = raw.rfind(b"</table")
        self._comment_end = (-1, -1)
        self._may_be_module = True
        self._modules_end = True

    def run(self) -> None:
        """Read all lines."""
        while self.place < len(self.source):
            start = self.place
            first = _INDENT.match(self.source, start).end()  # type: ignore[union-attr]
            end = self.source.find(b"\n", first)
            end = len(self.source) if end < 0 else end
            self.place = end + 1
            if self.source[first:end] in (b"", b"\r"):
                self._may_be_module = True
                continue
            self._read_line(start, first, end)
            if self.place == end + 1:
                self._may_be_module = False

    def _read_line(self, start: int, first: int, end: int) -> None:
        if self._fence and not self._closes(first, end):
            return
        width = _width(self.source[start:first])
        wanted = self._indentation(width)
        if wanted != width and first - start >= wanted:
            self.raw[start:first] = b" " * (first - start)
            self.cut.append((start + wanted, first))
        if self._fence:
            self._fence = b""
            return
        column = 0
        while item := _ITEM.match(self.source, first):
            column += item.end() - first
            self._lists.append((width + column, wanted + column))
            first = item.end()
        if fence := _FENCE.match(self.source, first):
            self._fence = fence[0]
        else:
            self._read_marks(start, first)

    def _closes(self, first: int, end: int) -> bool:
        """Tell whether a line closes the block of code that is open."""
        line = self.source[first:end].rstrip()
        return len(line) >= len(self._fence) and not line.strip(self._fence[:1])

    def _indentation(self, width: int) -> int:
        """Give how far a line is to be indented: as far as it is within its list, but never as code is."""
        while self._lists and width < self._lists[-1][0]:
            self._lists.pop()
        written, cut = self._lists[-1] if self._lists else (0, 0)
        return cut + (width - written if width - written < _CODE_INDENT else 1)

    def _read_marks(self, start: int, first: int) -> None:
        """Take lines out that are no Markdown, from one on."""
        source, sign = self.source, self.source[first : first + 1]
        if sign == b"<" and first >= self._table_until:
            if tags := _TAGS.match(source, first):
                self._take_out(start, first, tags.end())
            elif _TABLE.match(source, first) and first < self._last_table:
                self._table_until = source.find(b"</table", first)
            elif _ANY_TAG.match(source, first):
                self.raw[first : first + 1] = b"$"  # or it would hold Markdown from the parser, up to a blank line
        elif sign == b"{":
            if end := self._end_of_comment(first):
                self._take_out(start, first, end)
            elif expression := _EXPRESSION.match(source, first):
                self._take_out(start, first, expression.end(), is_code=b"\n" in expression[0])
        elif sign in (b"i", b"e") and start == first and self._may_be_module and _MODULE.match(source, first):
            self._take_out(start, first, self._end_of_module(first), is_code=True)
            self._may_be_module = True

    def _take_out(self, start: int, first: int, end: int, *, is_code: bool = False) -> None:
        """Leave one empty heading of some lines, and go on behind them."""
        self.raw[first:end] = re.sub(rb"[^\r\n]", b" ", self.source[first:end])
        self.raw[first : first + 1] = b"#"
        self.marks.append((start, end, is_code))
        following = self.source.find(b"\n", end)
        self.place = len(self.source) if following < 0 else following + 1

    def _end_of_comment(self, first: int) -> int:
        opening = _COMMENT.match(self.source, first)
        if opening is None:
            return 0
        searched_from, found = self._comment_end
        if not searched_from <= opening.end() <= found:
            found = self.source.find(b"*/", opening.end())
            found = len(self.source) if found < 0 else found
            self._comment_end = (opening.end(), found)
        end = _COMMENT_END.match(self.source, found)
        return end.end() if end else 0

    def _end_of_module(self, first: int) -> int:
        """Give the end of imports and exports: a blank line outside brackets, else the first one."""
        source, end = self.source, len(self.source.rstrip(b"\r\n"))
        depth, seen, blank_line = 0, first, 0
        for blank in _BLANK_LINE.finditer(source, first):
            depth, seen = depth + self._opened(seen, blank.start()), blank.start()
            blank_line = blank_line or seen
            if depth <= 0 or not self._modules_end:
                break
        else:
            depth, seen = depth + self._opened(seen, end), end
        if depth > 0:
            self._modules_end = False
            seen = blank_line or end
        return seen - (source[seen - 1 : seen] == b"\r")

    def _opened(self, start: int, end: int) -> int:
        """Count the brackets that a stretch opens, less those that it closes."""
        return sum(1 if sign in b"[({" else -1 for sign in _BRACKETS.findall(self.source, start, end))


def _width(indent: bytes) -> int:
    if b"\t" not in indent:
        return len(indent)
    width = 0
    for sign in indent:
        width += _TAB_STOP - width % _TAB_STOP if sign == ord("\t") else 1
    return width
