"""What stood above: the best chunks of every question of a cell, kept as arrays and written out when asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from chunkscope.corpus.document import Document
from chunkscope.grid.ranks import Hit, QuestionRank
from chunkscope.grid.results import Cell, CellKey, retriever_names
from chunkscope.questions.question import Question
from chunkscope.retrieval.causes import CAUSES
from chunkscope.retrieval.ranking import FloatArray
from chunkscope.retrieval.relevance import Parts, Qrels
from chunkscope.spans.intervals import BoolArray, IntArray, SpanArray
from chunkscope.spans.layout import Layout

FIRST_WORDS = 120
"""So many characters of what was returned are kept, white space joined."""


@dataclass(frozen=True)
class CellRanks:
    """What came first in a cell, question by question.

    Attributes
    ----------
    top : int64 (q, k)
        Chunks, -1 where no more are ranked.
    scores : float (q, k)
    spans : int64 (n, 2)
        What each chunk returns, in the layout's offsets.
    ranks, causes : int64 (q,)
    missed : bool (q,)
    needed : Parts
        What answers, of the evidence of `qrels`.
    """

    top: IntArray
    scores: FloatArray
    spans: SpanArray
    layout: Layout
    ranks: IntArray
    causes: IntArray
    missed: BoolArray
    qrels: Qrels
    needed: Parts

    def write(
        self,
        asked: Sequence[Question],
        documents: Sequence[Document],
        *,
        rows: IntArray | None = None,
        most: int | None = None,
    ) -> list[QuestionRank]:
        """Write everything out, or some.

        Parameters
        ----------
        asked : sequence of Question
        documents : sequence of Document
            In the order of the layout.
        rows : int64 (r,), optional
            These questions only.
        most : int, optional
            So many chunks of each.
        """
        written = np.arange(len(asked)) if rows is None else rows
        top = self.top[written, :most]
        wanted = np.unique(self.layout.documents_of(self.spans[top[top >= 0], 0])).tolist()
        # one of a file would read it once for each hit
        texts = {number: _in_memory(documents[number]) for number in wanted}
        parts: list[list[tuple[int, int]]] = [[] for _ in asked]
        owners = self.qrels.questions[self.needed.evidence].tolist()
        for owner, (start, end) in zip(owners, self.needed.spans.tolist(), strict=True):
            parts[owner].append((start, end))
        found = []
        for row, chunks in zip(written.tolist(), top, strict=True):
            question, places = asked[row], chunks[chunks >= 0]
            above = tuple(
                self._hit(texts, span, float(score), parts[row])
                for span, score in zip(self.spans[places].tolist(), self.scores[row].tolist(), strict=False)
            )
            cause = CAUSES[self.causes[row]] if self.missed[row] else None
            rank = int(self.ranks[row]) or None
            found.append(QuestionRank(question.id, question.question or "", rank, cause, above))
        return found

    def _hit(
        self, texts: Mapping[int, Document], span: Sequence[int], score: float, parts: Sequence[tuple[int, int]]
    ) -> Hit:
        number = int(np.searchsorted(self.layout.edges, span[0], side="right")) - 1
        base, document = int(self.layout.edges[number]), texts[number]
        start, end = span[0] - base, span[1] - base
        text = re.sub(r"\s+", " ", document.text[start : min(end, start + FIRST_WORDS)]).strip()
        meets = any(span[0] <= first and behind <= span[1] for first, behind in parts)
        return Hit(document.name, start, end, document.position(start).line, score, text, meets)


def _in_memory(document: Document) -> Document:
    return Document(document.name, document.text, document.fields, document.markup, dialect=document.dialect)


def first_rows(missed: Sequence[BoolArray], most: int) -> list[IntArray]:
    """Choose questions of several cells, at most so many in all: those that are missed before others.

    Examples
    --------
    >>> cells = [np.array([False, True, False]), np.array([True, False, True])]
    >>> [rows.tolist() for rows in first_rows(cells, 4)]
    [[0, 1], [0, 2]]
    """
    lengths = [len(one) for one in missed]
    order = np.argsort(~np.concatenate([*missed, np.empty(0, dtype=np.bool_)]), kind="stable")[:most]
    taken = np.zeros(sum(lengths), dtype=np.bool_)
    taken[order] = True
    return [np.flatnonzero(part) for part in np.split(taken, np.cumsum(lengths)[:-1])] if lengths else []


class RanksByCell(Mapping[tuple[CellKey, str], "list[QuestionRank]"]):
    """The ranks of every cell and retriever, written out when asked for.

    Parameters
    ----------
    cells : sequence of Cell
        Of a measure that has kept ranks.
    documents : sequence of Document
        In the order in which they were ranked.
    """

    def __init__(self, cells: Sequence[Cell], documents: Sequence[Document]) -> None:
        self._documents = documents
        self._found = {
            (cell.key, name): one
            for cell in cells
            for name, one in zip(retriever_names(cell.retrieval or ()), cell.retrieval or (), strict=True)
        }

    def __getitem__(self, key: tuple[CellKey, str]) -> list[QuestionRank]:
        found = self._found[key]
        written: list[QuestionRank] = found["_ranks"].write(found["_asked"], self._documents)
        return written

    def __iter__(self) -> Iterator[tuple[CellKey, str]]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)
