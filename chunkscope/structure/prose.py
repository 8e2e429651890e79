"""Which sentences of a text are prose, and how much of it is prose, code and tables.

Twin: tests/oracle/wholeness.py
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from chunkscope.spans.intervals import BoolArray, Span, SpanArray, as_spans, union, within
from chunkscope.structure.characters import JAPANESE, WORD, character_flags, code_points
from chunkscope.structure.model import Structure

KINDS = ("prose", "code", "tables")

COMMENTS = (("<!--", "-->"), ("{/*", "*/}"))
"""How comments of HTML and of MDX open and close."""


def is_prose(text: str, structure: Structure, sentences: SpanArray) -> BoolArray:
    r"""Tell which sentences are of paragraphs, list items and quotes.

    Those of code, tables, headings, front matter, comments and marks of a dialect are not, nor are those without a
    letter or digit.

    Parameters
    ----------
    text : str
    structure : Structure
    sentences : int64 (n, 2)
        Without the blanks behind them.

    Returns
    -------
    bool (n,)

    Examples
    --------
    >>> from chunkscope.corpus.document import Document
    >>> from chunkscope.structure.markdown import read_structure
    >>> text = "# T\n\nOne. Two.\n\n---\n\n<!-- no -->\n"
    >>> spans = as_spans([[0, 3], [5, 9], [10, 14], [16, 19], [21, 32]])
    >>> is_prose(text, read_structure(Document("a.md", text)), spans).tolist()
    [False, True, True, False, False]
    """
    others: list[Span] = [
        *map(tuple, structure.code.tolist()),
        *map(tuple, structure.marks.tolist()),
        *((table.start, table.end) for table in structure.tables),
    ]
    others += [(heading.start, heading.end) for heading in structure.headings]
    others += _comments(text)
    if structure.front_matter_end:
        others.append((0, structure.front_matter_end))
    return ~within(union(as_spans(sorted(others))), sentences) & _has_word(text, sentences)


def characters_of_kinds(structure: Structure, prose: SpanArray) -> dict[str, int]:
    r"""Count the characters of prose, code and tables; the rest is headings, front matter, comments and blanks.

    Parameters
    ----------
    structure : Structure
    prose : int64 (n, 2)
        The sentences that are.
    """
    spans = (prose, structure.code, as_spans(sorted((table.start, table.end) for table in structure.tables)))
    joined = (union(found[np.argsort(found[:, 0], kind="stable")]) for found in spans)
    return {kind: int((found[:, 1] - found[:, 0]).sum()) for kind, found in zip(KINDS, joined, strict=True)}


def _comments(text: str) -> Iterator[Span]:
    for opening, closing in COMMENTS:
        start = text.find(opening)
        while start >= 0:
            end = text.find(closing, start + len(opening))
            if end < 0:
                break
            yield start, end + len(closing)
            start = text.find(opening, end + len(closing))


def _has_word(text: str, spans: SpanArray) -> BoolArray:
    """Tell which spans have a letter or a digit."""
    behind = np.zeros(len(text) + 1, dtype=np.int64)
    np.cumsum(character_flags(code_points(text)) & (WORD | JAPANESE) > 0, out=behind[1:])
    found: BoolArray = behind[spans[:, 1]] > behind[spans[:, 0]]
    return found
