"""Relevance: at which rank has everything been met that a question needs?

A chunk meets evidence that it holds whole (strict), or whose first character it holds (start). A question is answered
when each evidence that it needs is held whole, and so is each table row in it, with its header: an evidence has parts,
a question has evidence.

Twin: tests/oracle/recall.py
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from chunkscope.measures.evidence import EvidenceTable
from chunkscope.retrieval.ranking import Block, FloatArray
from chunkscope.spans.intervals import BoolArray, IntArray, SpanArray, expand_ranges, holders
from chunkscope.spans.layout import Layout

JUDGEMENTS = ("strict", "start", "answered")

Pairs: TypeAlias = tuple[IntArray, IntArray]


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

    def answered(self, rows: SpanArray, row_evidence: IntArray, repeated: Pairs | None = None) -> Parts:
        """Ask for each evidence whole, and for what holds each table row in it with its header.

        Of `repeated`, pairs of a row and a chunk, chunks hold a row and repeat its header in front.
        """
        spans, evidence = np.concatenate((self.spans, rows)), np.concatenate((np.arange(len(self.spans)), row_evidence))
        further = None if repeated is None else (repeated[0] + len(self.spans), repeated[1])
        return Parts(spans, evidence, further)


@dataclass(frozen=True)
class Parts:
    """What chunks have to hold, each part whole in one of them, so that evidence is met.

    Attributes
    ----------
    spans : int64 (p, 2)
    evidence : int64 (p,)
        The evidence that each is a part of; the first part of each comes in its order.
    further : (int64 (n,), int64 (n,)) or None
        Parts, and chunks that meet them though they do not hold these spans.
    """

    spans: SpanArray
    evidence: IntArray
    further: Pairs | None = None

    def met_by(self, chunks: SpanArray) -> Pairs:
        """Find the chunks that meet each part.

        Parameters
        ----------
        chunks : int64 (n, 2)
            As they are judged.

        Returns
        -------
        parts, chunks : int64 (m,)
            Pairs, by part.

        Examples
        --------
        >>> parts = Parts(np.array([[2, 4], [0, 5]]), np.array([0, 0]), (np.array([1]), np.array([1])))
        >>> [found.tolist() for found in parts.met_by(np.array([[0, 4], [2, 6]]))]
        [[0, 0, 1], [0, 1, 1]]
        """
        found = holders(chunks, self.spans)
        if self.further is None:
            return found
        n_chunks = max(len(chunks), 1)
        pairs = np.unique(np.concatenate([parts * n_chunks + some for parts, some in (found, self.further)]))
        return pairs // n_chunks, pairs % n_chunks


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
        # a need is one evidence in one judgement; those of a question stand together
        needs = np.concatenate([parts.evidence * n + number for number, parts in enumerate(judgements)])
        order = np.argsort(needs, kind="stable")
        self._needs = needs[order]
        self._parts, self._chunks = _in_order(judgements, chunks, order)
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


def _in_order(judgements: Sequence[Parts], chunks: SpanArray, order: IntArray) -> Pairs:
    """Find what meets the parts of all judgements, by their places in an order."""
    firsts = np.cumsum([0, *(len(parts.spans) for parts in judgements)]).tolist()
    pairs = [parts.met_by(chunks) for parts in judgements]
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    parts = place[np.concatenate([some + first for (some, _), first in zip(pairs, firsts, strict=False)])]
    sort = np.argsort(parts, kind="stable")
    return parts[sort], np.concatenate([found for _, found in pairs])[sort]


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
