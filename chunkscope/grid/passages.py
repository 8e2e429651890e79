"""What one setting does to the evidence of one question: which chunks hold which part of each passage."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from chunkscope.chunkers.base import Chunker, Chunking
from chunkscope.chunkers.chunk_rows import chunk_document
from chunkscope.corpus.document import Document, Position
from chunkscope.corpus.reading import Corpus
from chunkscope.grid.sweep import find_boundary_problems
from chunkscope.language import Text
from chunkscope.measures.findings import Finding
from chunkscope.questions.labels import LocatedQuestion
from chunkscope.spans.intervals import Span


class Part(NamedTuple):
    """What a chunk holds of a passage.

    Attributes
    ----------
    chunk : int
        Its number in its document.
    first, behind : int
        The characters of the passage that it holds: from this one on, counted from 0, up to that one.
    before, after : int
        Characters of the chunk on either side of these.
    """

    chunk: int
    first: int
    behind: int
    before: int
    after: int


@dataclass(frozen=True)
class Passage:
    """A passage that a question needs, in a document that is cut.

    Attributes
    ----------
    document : Document
    cut : Chunking
    span : (int, int)
    parts : tuple of Part
        Those of all chunks that hold some of it, in order.
    n_missing : int
        Characters of it that are in no chunk.
    lost : tuple of str
        Where the rows that it touches are parted from their header, a sentence each.
    """

    document: Document
    cut: Chunking
    span: Span
    parts: tuple[Part, ...]
    n_missing: int
    lost: tuple[str, ...] = ()

    @property
    def length(self) -> int:
        """Its characters."""
        return self.span[1] - self.span[0]

    @property
    def place(self) -> Position:
        """Its line and column."""
        return self.document.position(self.span[0])

    @property
    def whole(self) -> tuple[Part, ...]:
        """The parts that are all of it."""
        return tuple(part for part in self.parts if part.behind - part.first == self.length)


def find_passages(corpus: Corpus, question: LocatedQuestion, chunker: Chunker) -> tuple[Passage, ...]:
    """Find out what becomes of the evidence of a question.

    Parameters
    ----------
    corpus : Corpus
    question : LocatedQuestion
    chunker : Chunker
        With its size.

    Returns
    -------
    tuple of Passage
        In the order of the question's quotes.

    Examples
    --------
    >>> from chunkscope import FixedChunker, Question, check_labels
    >>> corpus = Corpus.of([Document("rules.md", "宿泊費の上限は1泊12,000円とする。")])
    >>> [one] = check_labels(corpus, [Question.of("q1", doc="rules.md", evidence="上限は1泊")]).valid
    >>> [passage] = find_passages(corpus, one, FixedChunker(8, 2))
    >>> [(part.chunk, part.first, part.behind, part.before, part.after) for part in passage.parts]
    [(0, 0, 4, 4, 0), (1, 2, 5, 0, 5)]
    """
    names = {entry.document for entry in question.evidence}
    documents = {document.name: document for document in corpus if document.name in names}
    cuts = {name: chunk_document(document, chunker) for name, document in documents.items()}
    problems = find_boundary_problems(tuple(documents.values()), [question], chunker)
    lost = [problem for problem in problems if problem.code == "header-lost" and problem.span]
    passages = []
    for entry in question.evidence:
        span = (entry.start, entry.end)
        told = (_told(one) for one in lost if one.document == entry.document and _overlap(one.span or span, span))
        parts, n_missing = _parts(cuts[entry.document], span)
        passages.append(Passage(documents[entry.document], cuts[entry.document], span, parts, n_missing, tuple(told)))
    return tuple(passages)


def _parts(cut: Chunking, span: Span) -> tuple[tuple[Part, ...], int]:
    """Give what chunks hold of a span, and how many of its characters are in none."""
    start, end = span
    first = int(np.searchsorted(cut.spans[:, 1], start, side="right"))
    behind = int(np.searchsorted(cut.spans[:, 0], end, side="left"))
    parts: list[Part] = []
    held = start
    n_missing = 0
    for number, (a, b) in zip(cut.numbers[first:behind].tolist(), cut.spans[first:behind].tolist(), strict=True):
        low, high = max(a, start), min(b, end)
        parts.append(Part(number, low - start, high - start, low - a, b - high))
        n_missing += max(0, low - held)
        held = max(held, high)
    return tuple(parts), n_missing + end - held


def _told(finding: Finding) -> str:
    """Give what a finding says, without the question that it names."""
    message = finding.message
    text = message.values.get("text") if isinstance(message, Text) else None
    return text if isinstance(text, Text) else message


def _overlap(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]
