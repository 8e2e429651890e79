"""What an HTML document is made of: its tables, its code, and the blocks that its tags and blank lines part.

It has no headings: those are of CommonMark, in which indented text would be code, too.
"""

from __future__ import annotations

import re
from bisect import bisect_left

import numpy as np

from chunkscope.corpus.document import Document
from chunkscope.spans.intervals import Span, as_spans
from chunkscope.structure.html_tables import Region, html_tables, may_hold_html_table
from chunkscope.structure.model import Structure
from chunkscope.structure.patterns import lazily

# the elements that the HTML standard lists as blocks, with list items; rows and cells are for `html_tables`
_BLOCKS = (
    "address|article|aside|blockquote|body|caption|center|dd|details|dialog|div|dl|dt|fieldset|figcaption|figure|footer"
    "|form|h[1-6]|head|header|hgroup|hr|html|legend|li|main|menu|nav|ol|option|p|pre|search|section|summary|table|title"
    "|ul"
)
_CLOSED = rf"(?:</(?:{_BLOCKS})\s*+>\s*+)"
_EDGE = lazily(
    r"(?P<comment><!--.*?(?:-->|\Z)|<ac:plain-text-link-body>\s*+<!\[CDATA\[.*?(?:\]\]>|\Z))"
    r"|(?P<code><(?P<name>pre|script|style)(?=[\s/>]).*?(?:</(?P=name)(?=[\s/>])[^>]*+>?+|\Z))"
    r"|(?P<cdata>(?:<ac:plain-text-body>\s*+)?+<!\[CDATA\[.*?(?:\]\]>|\Z))"
    rf"|(?P<open><(?:{_BLOCKS})(?=[\s/>]))|(?:{_CLOSED}|(?:\r\n?+|\n)[^\S\r\n]*+[\r\n]\s*+){_CLOSED}*+",
    re.IGNORECASE | re.DOTALL,
)
_BEHIND = lazily(rf"\s*+(?:{_CLOSED}|</ac:[a-z-]++>\s*+)*+", re.IGNORECASE)
_BEHIND_CDATA = lazily(rf"\s*+(?:{_CLOSED}|</[a-z][\w:.-]*+>\s*+)*+", re.IGNORECASE)
_NOTHING = lazily(r"""(?:\s++|</?[A-Za-z!](?:(?:[^<>"']++|"[^"]*+"|'[^']*+')*+>|[^<>]*+>))*+""")
_CODE_LINE = lazily(r"(?:\r\n?+|\n)(?=[^\S\r\n]*+\S)")


def read_html(document: Document) -> Structure:
    r"""Find what an HTML document is made of.

    Parameters
    ----------
    document : Document

    Returns
    -------
    Structure
        Blocks start at their tags, and at rows of tables, which are one block each. Tags with nothing to read between
        them belong to the block that follows, those that close, and white space, to what stands before. ``pre``,
        ``script``, ``style`` and sections of CDATA, in which Confluence keeps code, are code; but not those that are
        the text of a link. Comments are no blocks.

    Examples
    --------
    >>> text = "<body>\n\n    <p>一つ。</p>\n    <table><tr><td>1</td></tr></table>\n</body>\n"
    >>> structure = read_html(Document("a.html", text, markup="html"))
    >>> [text[start:][:7] for start in structure.block_starts]
    ['<body>\n', '<table>', '<tr><td']
    >>> structure.tables[0].rows, structure.code.tolist()
    (((34, 53),), [])
    """
    text, top = document.text, document.front_matter_end
    tables = html_tables(text, [Region(top, len(text), is_code=False)]) if may_hold_html_table(text) else []
    rows = sorted(row for table in tables for row in (*table.header, *table.rows))
    blocks, code = _blocks_and_code(text, top)
    outer = _outermost(rows)
    blocks += [line.end() for start, end in code for line in _CODE_LINE.finditer(text, start, end)]
    code = [span for span in code if not _is_inside(span[0], outer)]
    starts = {place for place in blocks if not _is_inside(place, outer)}
    starts.update((start for start, _ in rows), [0] if text else [])
    first = len(text) - len(text[top:].lstrip())
    if top and first < len(text):
        starts.add(first)
    return Structure(len(text), top, (), tuple(tables), as_spans(code), np.array(sorted(starts), dtype=np.int64))


def _blocks_and_code(text: str, top: int) -> tuple[list[int], list[Span]]:
    """Give where blocks start that something to read stands before, and what is code.

    Its slow twin is `obvious_starts` in tests/structure/test_html_text.py, which goes place by place.
    """
    starts: list[int] = []
    code: list[Span] = []
    has_words, read = False, top
    for edge in _EDGE.finditer(text, top):
        start, end = edge.span()
        has_words = has_words or not _NOTHING.fullmatch(text, min(read, start), start)
        read = end
        if edge["comment"]:
            continue
        is_code = edge["code"] or edge["cdata"]
        place = start if edge["open"] or is_code else end
        if place < len(text) and has_words:
            starts.append(place)
            has_words = False
        if edge["open"]:
            read = start
        elif is_code:
            code.append((start, end))
            read = (_BEHIND_CDATA if edge["cdata"] else _BEHIND).match(text, end).end()  # type: ignore[union-attr]
            if read < len(text):
                starts.append(read)
    return starts, code


def _outermost(rows: list[Span]) -> list[Span]:
    """Leave out rows of tables in rows."""
    outer: list[Span] = []
    for row in rows:
        if not outer or row[0] >= outer[-1][1]:
            outer.append(row)
    return outer


def _is_inside(place: int, spans: list[Span]) -> bool:
    """Tell whether a place is behind the start of one of these spans, which lie apart and in order, and in it."""
    number = bisect_left(spans, (place, 0)) - 1
    return number >= 0 and place < spans[number][1]
