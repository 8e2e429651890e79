"""What has to be told of how documents are read: habits of a dialect, and what looks like structure and is none.

Grid tables and tables of Org mode are text to us. A line that a full-width blank keeps from being a heading is text to
everybody, but not meant to be.
"""

from __future__ import annotations

import re
from collections import Counter

from chunkscope.corpus.dialect import of_document
from chunkscope.corpus.document import Document
from chunkscope.spans.intervals import SpanArray, as_spans, within
from chunkscope.structure.dialects import NEEDLES
from chunkscope.structure.patterns import lazily

GRID, ORG, WIDE = "grid_tables", "org_tables", "wide_headings"

_UNREAD = {
    # a line of the grid, and all lines of the table below it
    GRID: (
        "+--",
        lazily(r"^[ \t>]*+\+(?:[-=:]++\+)++[ \t]*+\r?\n(?:[ \t>]*+[|+][^\n]*+(?:\n|\Z))++", re.MULTILINE),
    ),
    ORG: ("-+-", lazily(r"^[ \t]*+\|-++(?:\+-++)++\|?[ \t]*+(?:\r?\n[ \t]*+\|[^\n]*+)*+", re.MULTILINE)),
    WIDE: ("#\u3000", lazily(r"^ {0,3}#{1,6}\u3000[^\n]", re.MULTILINE)),
}


def may_be_seen(document: Document) -> bool:
    """Tell cheaply whether anything may have to be told of a document."""
    if document.markup != "markdown":
        return document.markup == "plain" and any(needle in document.text for needle, _ in _UNREAD.values())
    if "mdx" in (of_document(document.name, document.dialect) or ()):
        return True
    return any(needle in document.text for needle in (*NEEDLES, *(needle for needle, _ in _UNREAD.values())))


def count_unread(text: str, code: SpanArray) -> Counter[str]:
    r"""Count what looks like structure and is none, outside code.

    Examples
    --------
    >>> from chunkscope.spans.intervals import as_spans
    >>> count_unread("##\u3000題\n\n| a |\n|---+---|\n| 1 |\n", as_spans([]))
    Counter({'org_tables': 1, 'wide_headings': 1})
    """
    found: Counter[str] = Counter()
    for kind, (needle, pattern) in _UNREAD.items():
        if needle in text:
            starts = [(match.start(), match.start() + 1) for match in pattern.finditer(text)]
            found[kind] = len(starts) - int(within(code, as_spans(starts)).sum())
    return +found
