"""The cuts themselves: which evidence one setting splits, which rows it parts from their header, and where."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from chunkscope.chunkers import Chunker, parse_chunker
from chunkscope.chunkers.chunk_set import ChunkSet, chunk_set
from chunkscope.corpus.document import Document
from chunkscope.measures.tables import row_spans, rows_with_header
from chunkscope.questions.labels import Labels, LocatedQuestion
from chunkscope.spans.intervals import SpanArray, as_spans
from chunkscope.spans.layout import Layout, Targets
from chunkscope.structure.analysis import DocumentAnalysis
from chunkscope.structure.units import get_unit

Code = Literal["evidence-split", "evidence-missing", "header-lost"]


@dataclass(frozen=True)
class Finding:
    """One cut that matters.

    Attributes
    ----------
    code : str
        ``evidence-split``; ``evidence-missing``: some of it is in no chunk; ``header-lost``: no chunk has the row with
        its header.
    document : str
    question : str or None
        The question that needs it; None for rows that no question needs.
    start, end : int
        The evidence or the row, in code points.
    cut : int
        Offset of the first cut that does it.
    line, column : int
        Where the cut is, from 1.
    text : str
        The evidence or the row.
    before, after : str
        The document's text on both sides of the cut.
    """

    code: Code
    document: str
    question: str | None
    start: int
    end: int
    cut: int
    line: int
    column: int
    text: str
    before: str
    after: str


CONTEXT = 400


def find_boundary_problems(
    documents: Iterable[Document], questions: Labels | Sequence[LocatedQuestion], chunker: Chunker | str
) -> list[Finding]:
    """Find the cuts of one setting that split evidence or part table rows from their header.

    Parameters
    ----------
    documents : iterable of Document
    questions : Labels or sequence of LocatedQuestion
        Their evidence, and the rows it overlaps, are looked at; without any, all rows of all tables are.
    chunker : Chunker or str
        With a size.

    Returns
    -------
    list of Finding
        By document, then place.

    Examples
    --------
    >>> from chunkscope import FixedChunker
    >>> from chunkscope.questions.question import Question
    >>> from chunkscope.questions.check import check_labels
    >>> rules = Document("rules.md", "宿泊費の上限は1泊12,000円とする。")
    >>> labels = check_labels([rules], [Question.of("q1", doc="rules.md", evidence="上限は1泊12,000円")])
    >>> [finding] = find_boundary_problems([rules], labels.valid, FixedChunker(13))
    >>> finding.before[-8:] + "│" + finding.after[:6], finding.column
    ('限は1泊12,0│00円とする', 14)
    """
    if isinstance(chunker, str):
        chunker = parse_chunker(chunker)
    if isinstance(questions, Labels):
        questions = questions.valid
    asked: dict[str, list[tuple[str, int, int]]] = {}
    for resolved in questions:
        for entry in resolved.evidence:
            asked.setdefault(entry.document, []).append((resolved.question.id, entry.start, entry.end))
    found: list[Finding] = []
    for document in documents:
        if document.text and (document.name in asked or not questions):
            found.extend(_of_document(DocumentAnalysis(document), asked.get(document.name, []), chunker))
    return found


def _of_document(analysis: DocumentAnalysis, asked: Sequence[tuple[str, int, int]], chunker: Chunker) -> list[Finding]:
    document = analysis.document
    layout = Layout.of([document.name], [analysis.length])
    if chunker.unit != "char":
        analysis.measured(get_unit(chunker.unit))
    chunks = chunk_set(layout, chunker, chunker.segment(analysis))
    found = list(_split(document, layout, chunks, asked))
    found.extend(_apart(analysis, layout, chunks, asked))
    return sorted(found, key=lambda finding: (finding.cut, finding.start, finding.code))


def _split(
    document: Document, layout: Layout, chunks: ChunkSet, asked: Sequence[tuple[str, int, int]]
) -> Iterator[Finding]:
    targets = Targets.of(as_spans([(start, end) for _, start, end in asked]), layout)
    reach = chunks.reach(targets).tolist()
    covered = chunks.covered(targets).tolist()
    for (question, start, end), farthest, whole in zip(asked, reach, covered, strict=True):
        if farthest < end:
            code: Code = "evidence-split" if whole else "evidence-missing"
            yield _finding(document, code, question, start, end, max(farthest, start))


def _apart(
    analysis: DocumentAnalysis, layout: Layout, chunks: ChunkSet, asked: Sequence[tuple[str, int, int]]
) -> Iterator[Finding]:
    table = row_spans(analysis.tables)
    rows, hulls = Targets.of(table.rows, layout), Targets.of(table.hulls, layout)
    apart = ~rows_with_header(chunks, rows, hulls)
    prepends = "table-header" in chunks.chunker.prepend
    # Where the header is prepended, only a cut through the row itself parts them.
    cuts = chunks.reach(rows if prepends else hulls)
    for row in np.flatnonzero(apart).tolist():
        start, end = table.rows[row].tolist()
        for question in _askers(table.rows[row], asked) if asked else [None]:
            head = start if prepends else int(table.hulls[row, 0])
            yield _finding(analysis.document, "header-lost", question, start, end, max(int(cuts[row]), head))


def _askers(row: SpanArray, asked: Sequence[tuple[str, int, int]]) -> list[str]:
    return list(dict.fromkeys(question for question, start, end in asked if start < row[1] and end > row[0]))


def _finding(document: Document, code: Code, question: str | None, start: int, end: int, cut: int) -> Finding:
    line, column = document.position(cut)
    return Finding(
        code=code,
        document=document.name,
        question=question,
        start=start,
        end=end,
        cut=cut,
        line=line,
        column=column,
        text=document.text[start:end],
        before=document.text[max(0, cut - CONTEXT) : cut],
        after=document.text[cut : cut + CONTEXT],
    )
