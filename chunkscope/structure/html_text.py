"""What an HTML document is made of: its tables, and the blocks that its tags and blank lines part.

It has no headings and no code in the sense of Markdown: those are of CommonMark, in which indented text would be code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from chunkscope.documents import Document
from chunkscope.spans import as_spans
from chunkscope.structure.html_tables import Region, html_tables, may_hold_table
from chunkscope.structure.model import Structure

# the elements that the HTML standard lists as blocks, with list items, cells left out
_BLOCKS = (
    "address|article|aside|blockquote|body|caption|center|dd|details|dialog|div|dl|dt|fieldset|figcaption|figure|footer"
    "|form|h[1-6]|head|header|hgroup|hr|html|legend|li|main|menu|nav|ol|option|p|pre|script|search|section|style"
    "|summary|table|title|ul"
)
_EDGE = re.compile(
    rf"<(?:{_BLOCKS})(?=[\s/>])|(?:</(?:{_BLOCKS})\s*+>\s*+)++|(?:\r\n?+|\n)[^\S\r\n]*+[\r\n]\s*+", re.IGNORECASE
)
_NOTHING = re.compile(r"(?:\s++|<[^<>]*+>)*+")


def read_html(document: Document) -> Structure:
    r"""Find what an HTML document is made of.

    Parameters
    ----------
    document : Document

    Returns
    -------
    Structure
        Blocks start at their tags. Tags that open with nothing to read between them belong to the block that follows;
        those that close, and white space, to what stands before them.

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
    tables = html_tables(text, [Region(top, len(text), is_code=False)]) if may_hold_table(text) else []
    rows = {start for table in tables for start, _ in (*table.header, *table.rows)}
    starts = rows.union(_block_starts(text, top), [0] if text else [])
    first = len(text) - len(text[top:].lstrip())
    if top and first < len(text):
        starts.add(first)
    return Structure(len(text), top, (), tuple(tables), as_spans([]), np.array(sorted(starts), dtype=np.int64))


def _block_starts(text: str, top: int) -> Iterator[int]:
    """Give where blocks start that something to read stands before."""
    read = top
    for edge in _EDGE.finditer(text, top):
        place = edge.start() if edge.group()[1:2].isalpha() else edge.end()
        if place < len(text) and _NOTHING.match(text, read, place).end() < place:  # type: ignore[union-attr]
            yield place
        read = place
