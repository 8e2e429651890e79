"""Relevance: at which rank has everything been met that a question needs?

A chunk meets evidence that it holds whole (strict), or whose first character it holds (start). A question is answered
when each evidence that it needs is held whole, and so is each table row in it, with its header: an evidence has parts,
a question has evidence. Neither starts nor ends of chunks ever fall, so the chunks that meet one part stand in a row.

Twin: tests/oracle/recall.py
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from chunkscope.questions.labels import EvidenceTable
from chunkscope.retrieval.ranking import Block, FloatArray
from chunkscope.spans.intervals import BoolArray, IntArray, SpanArray, expand_ranges
from chunkscope.spans.layout import Layout

JUDGEMENTS = ("strict", "start", "answered")


class Ranks(Mapping[str, "int | None"]):
    """First ranks of questions by their ids; None: never.

    Parameters
    ----------
    rows : mapping of str to int
        The row of each question; the cells of a grid share one.
    ranks : int64 (q,)
        From 1; 0: never.

    Examples
    --------
    >>> ranks = Ranks({"q1": 0, "q2": 1}, np.array([3, 0]))
    >>> dict(ranks), ranks.get("q3", "not asked"), "q3" in ranks
    ({'q1': 3, 'q2': None}, 'not asked', False)
    """

    def __init__(self, rows: Mapping[str, int], ranks: IntArray) -> None:
        self._rows = rows
        self.ranks = ranks

    def __getitem__(self, key: str) -> int | None:
        return int(self.ranks[self._rows[key]]) or None

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


@dataclass(frozen=True)
class Qrels:
    """The evidence that questions need, as evaluations of retrieval call it.

    Attributes
    ----------
    spans : int64 (e, 2)
        In the layout's offsets.
    questions : int64 (e,)
        The question of each; never falls.
    any_is_enough : bool (q,)
    """

    spans: SpanArray
    questions: IntArray
    any_is_enough: BoolArray

    @classmethod
    def of(cls, table: EvidenceTable, layout: Layout) -> Qrels:
        """Lay the evidence of questions in a layout that has all its documents."""
        return cls(table.laid(layout), table.questions, table.any_is_enough)

    @property
    def n_questions(self) -> int:
        """How many questions there are."""
        return len(self.any_is_enough)

    def strict(self) -> Parts:
        """Ask for each evidence whole."""
        return Parts(self.spans, np.arange(len(self.spans)))

    def start(self) -> Parts:
        """Ask for the first character of each evidence."""
        return Parts(np.column_stack((self.spans[:, 0], self.spans[:, 0] + 1)), np.arange(len(self.spans)))

    def answered(self, rows: SpanArray, row_evidence: IntArray) -> Parts:
        """Ask for each evidence whole, and for what holds each table row in it with its header."""
        return Parts(np.concatenate((self.spans, rows)), np.concatenate((np.arange(len(self.spans)), row_evidence)))


@dataclass(frozen=True)
class Parts:
    """What chunks have to hold, each part whole in one of them, so that evidence is met.

    Attributes
    ----------
    spans : int64 (p, 2)
    evidence : int64 (p,)
        The evidence that each is a part of; the first part of each comes in its order.
    """

    spans: SpanArray
    evidence: IntArray


def meeting(chunks: SpanArray, targets: SpanArray) -> tuple[IntArray, IntArray]:
    """Give for each target the first chunk that holds it whole, and the one behind the last.

    Parameters
    ----------
    chunks : int64 (n, 2)
        Neither starts nor ends may fall.
    targets : int64 (e, 2)

    Examples
    --------
    >>> first, behind = meeting(np.array([[0, 4], [2, 6], [4, 8]]), np.array([[2, 4], [3, 5], [3, 7]]))
    >>> first.tolist(), behind.tolist()
    ([0, 1, 2], [2, 2, 2])
    """
    first = np.searchsorted(chunks[:, 1], targets[:, 1], side="left")
    behind = np.searchsorted(chunks[:, 0], targets[:, 0], side="right")
    return first, np.maximum(behind, first)


class Relevance:
    """Finds in one cell the chunk with which a question has everything that it needs.

    Parameters
    ----------
    qrels : Qrels
    chunks : int64 (n, 2)
        As they are judged.
    judgements : sequence of Parts
        What has to be met of each evidence, judgement by judgement.

    Examples
    --------
    >>> from chunkscope.retrieval.ranking import RoughBlock
    >>> qrels = Qrels(np.array([[6, 8]]), np.array([0]), np.array([False]))
    >>> row_with_header = np.array([[0, 9]]), np.array([0])
    >>> relevance = Relevance(
    ...     qrels, np.array([[0, 9], [5, 12]]), [qrels.strict(), qrels.answered(*row_with_header)]
    ... )
    >>> relevance.targets(RoughBlock(np.array([0]), np.array([[0.2, 0.7]])), None).tolist()
    [[1, 0]]
    """

    def __init__(self, qrels: Qrels, chunks: SpanArray, judgements: Sequence[Parts]) -> None:
        self.qrels = qrels
        self.n_judgements = n = len(judgements)
        spans = np.concatenate([parts.spans for parts in judgements])
        # a need is one evidence in one judgement; those of a question stand together
        needs = np.concatenate([parts.evidence * n + number for number, parts in enumerate(judgements)])
        order = np.argsort(needs, kind="stable")
        self._needs = needs[order]
        self._parts, self._chunks = expand_ranges(*meeting(chunks, spans[order]))
        self._n_parts = np.bincount(needs, minlength=len(qrels.spans) * n)
        self._n_evidence = np.bincount(qrels.questions, minlength=qrels.n_questions)
        first_needs = np.concatenate(([0], np.cumsum(self._n_evidence))) * n
        self._edges = np.searchsorted(self._parts, np.searchsorted(self._needs, first_needs))

    def targets(self, block: Block, place: IntArray | None) -> IntArray:
        """Give the decisive chunk for each question of a block and each judgement, -1 where there is none.

        A part is met at the rank of its best chunk, and evidence at that of its worst part. Where a question needs all
        of its evidence, the worst decides; where one is enough, the best.

        Returns
        -------
        int64 (b, j)
        """
        questions = block.questions
        is_judged = questions < self.qrels.n_questions
        known = np.where(is_judged, questions, 0)
        rows, pairs = expand_ranges(self._edges[known], np.where(is_judged, self._edges[known + 1], self._edges[known]))
        targets = np.full((len(questions), self.n_judgements), -1, dtype=np.int64)
        if not len(pairs):
            return targets
        chunks, parts = self._chunks[pairs], self._parts[pairs]
        scores = block.complete(rows, chunks)
        ranked = scores > block.floor
        met = _Met(rows[ranked], parts[ranked], chunks[ranked], scores[ranked], place)
        met, _ = met.reduced(met.rows * len(self._needs) + met.groups)
        met = met.grouped(self._needs[met.groups])
        if len(self._needs) > len(self._n_parts):
            met, sizes = met.reduced(met.rows * len(self._n_parts) + met.groups, -1)
            met = met.take(sizes == self._n_parts[met.groups])
        is_any = self.qrels.any_is_enough[questions[met.rows]]
        owners = met.rows * self.n_judgements + met.groups % self.n_judgements
        met, sizes = met.grouped(owners).reduced(owners, np.where(is_any, 1, -1))
        asked = questions[met.rows]
        enough = self.qrels.any_is_enough[asked] | (sizes == self._n_evidence[asked])
        targets.ravel()[met.groups[enough]] = met.chunks[enough]
        return targets


@dataclass(frozen=True)
class _Met:
    """Chunks that meet something for the rows of a block, with their scores; what they meet are groups."""

    rows: IntArray
    groups: IntArray
    chunks: IntArray
    scores: FloatArray
    place: IntArray | None

    def take(self, chosen: IntArray | BoolArray) -> _Met:
        return _Met(self.rows[chosen], self.groups[chosen], self.chunks[chosen], self.scores[chosen], self.place)

    def grouped(self, groups: IntArray) -> _Met:
        return dataclasses.replace(self, groups=groups)

    def reduced(self, keys: IntArray, sign: IntArray | int = 1) -> tuple[_Met, IntArray]:
        """Keep the best of those with one key, or where the sign is -1 the worst, and tell how many there were."""
        places = self.chunks if self.place is None else self.place[self.chunks]
        order = np.lexsort((places * sign, -self.scores * sign, keys))
        ordered = keys[order]
        first = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1]))[: len(keys)])
        return self.take(order[first]), np.diff(np.append(first, len(keys)))
