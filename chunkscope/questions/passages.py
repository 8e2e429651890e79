"""What of a document can be quoted: its sentences, list items, rows of tables and lines of code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

import numpy as np

from chunkscope.spans.intervals import Span, union, within
from chunkscope.structure.analysis import DocumentAnalysis
from chunkscope.structure.prose import is_prose

PassageKind = Literal["row", "item", "code", "prose"]
KINDS: tuple[PassageKind, ...] = ("row", "item", "code", "prose")

_ITEM = re.compile(r"(?:[-*+・]|[0-9]{1,9}[.)])[ \t\u3000]?")
_FENCE = ("```", "~~~")
# tags of blocks; one of an emphasis would part from its other half
_BLOCK_TAG = (
    r"<(?:/?(?:p|div|br|hr|li|[uod]l|d[td]|t[rdh]|table|t(?:head|body|foot)|caption|h[1-6]|section|article|aside|main|nav"
    r"|header|footer|body|html|blockquote|details|summary|fig(?:ure|caption)|pre)\b|!)[^<>]*+>"
)
_TAGS_BEFORE = re.compile(rf"(?:\s*+{_BLOCK_TAG})*+\s*+", re.IGNORECASE)
_QUOTE_MARKS = re.compile(r"(?:>[ \t]*+)*+")
_TAG_BEHIND = re.compile(rf"{_BLOCK_TAG}\s*\Z", re.IGNORECASE)
_LONGEST_TAG = 200


class Quotable(NamedTuple):
    """What can be quoted: its span, what it is, and of a row the header of its table."""

    start: int
    end: int
    kind: PassageKind
    header: Span | None = None


def passages_of(analysis: DocumentAnalysis) -> list[Quotable]:
    r"""Give what can be quoted of a document, in order; no two overlap.

    Headings, front matter, comments and what has no letter and no digit are left out, and so are the tags around a
    sentence.

    Examples
    --------
    >>> from chunkscope.corpus.document import Document
    >>> text = "# T\n\nOne. Two.\n\n- three\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
    >>> [(text[one.start : one.end], one.kind) for one in passages_of(DocumentAnalysis(Document("a.md", text)))]
    [('One.', 'prose'), ('Two.', 'prose'), ('- three', 'item'), ('| 1 | 2 |', 'row')]
    """
    found = sorted([*_rows(analysis), *_sentences(analysis)])
    kept: list[Quotable] = []
    for one in found:
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return kept


def _rows(analysis: DocumentAnalysis) -> Iterator[Quotable]:
    text = analysis.document.text
    for table in analysis.tables:
        header = (table.header[0][0], table.header[-1][1]) if table.header else None
        for start, end in table.rows:
            if any(map(str.isalnum, text[start:end])):
                yield Quotable(start, end, "row", header)


def _sentences(analysis: DocumentAnalysis) -> Iterator[Quotable]:
    text, structure = analysis.document.text, analysis.structure
    starts = analysis.sentence_starts
    spans = analysis.without_trailing_blanks(starts, np.append(starts[1:], analysis.length))
    prose = is_prose(text, structure, spans)
    code = within(union(structure.code), spans)
    for (start, end), in_prose, in_code in zip(spans.tolist(), prose.tolist(), code.tolist(), strict=True):
        if in_code:
            line = text[start:end].lstrip()
            if not line.startswith(_FENCE) and any(map(str.isalnum, line)):
                yield Quotable(end - len(line), end, "code")
        elif in_prose:
            marks = _QUOTE_MARKS.match(text, start, end)
            trimmed = _without_tags(text, marks.end() if marks else start, end)
            if trimmed:
                yield Quotable(*trimmed, "item" if _ITEM.match(text, *trimmed) else "prose")


def _without_tags(text: str, start: int, end: int) -> Span | None:
    """Leave out the tags at both ends of a sentence, and the blanks; None where nothing else is there."""
    before = _TAGS_BEFORE.match(text, start, end)
    start = before.end() if before else start
    while (behind := _TAG_BEHIND.search(text, max(start, end - _LONGEST_TAG), end)) is not None:
        end = behind.start()
        end = start + len(text[start:end].rstrip())
    return (start, end) if start < end else None


def headers_of(passages: list[Quotable]) -> list[Span]:
    """Give the headers of tables that passages are rows of, each once, in order, none that overlaps the one before."""
    found: list[Span] = []
    for one in sorted({one.header for one in passages if one.header is not None}):
        if not found or one[0] >= found[-1][1]:
            found.append(one)
    return found
