"""The outline of one document, as JSON has it."""

from __future__ import annotations

from itertools import pairwise

from chunkscope.corpus.document import Document
from chunkscope.spans.intervals import IntArray
from chunkscope.structure.analysis import DocumentAnalysis


def document_title(analysis: DocumentAnalysis) -> str | None:
    r"""Give the title of a document: its first heading of level 1, else its attribute `title`.

    Examples
    --------
    >>> document_title(DocumentAnalysis(Document("a.md", "---\ntitle: 規程\n---\n## 節\n")))
    '規程'
    """
    for heading in analysis.structure.headings:
        if heading.level == 1:
            return heading.title
    title = analysis.document.attributes.get("title")
    return None if title is None else str(title)


def list_structure(document: Document) -> dict[str, object]:
    r"""Give headings, sections, tables, code blocks and sentences of a document as JSON has them.

    Examples
    --------
    >>> found = list_structure(Document("a.md", "# 題\n一つ。二つ。\n"))
    >>> found["headings"]
    [{'start': 0, 'end': 3, 'level': 1, 'title': '題'}]
    >>> found["sections"], found["sentences"]
    ([[0, 11]], [[0, 4], [4, 7], [7, 11]])
    """
    parts = DocumentAnalysis(document)
    structure = parts.structure
    return {
        "document": document.name,
        "characters": parts.length,
        "headings": [
            {"start": heading.start, "end": heading.end, "level": heading.level, "title": heading.title}
            for heading in structure.headings
        ],
        "sections": _tiles(structure.section_starts, parts.length),
        "tables": [
            {
                "start": table.start,
                "end": table.end,
                "header": [list(span) for span in table.header],
                "rows": [list(span) for span in table.rows],
            }
            for table in structure.tables
        ],
        "code": structure.code.tolist(),
        "sentences": _tiles(parts.sentence_starts, parts.length),
    }


def _tiles(starts: IntArray, length: int) -> list[list[int]]:
    edges = [*starts.tolist(), length]
    return [[start, end] for start, end in pairwise(edges)]
