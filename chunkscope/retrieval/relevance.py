"""Relevance: at which rank has everything been met that a question needs?

A chunk meets evidence that it holds whole (strict), or whose first character it holds (start). Neither starts nor ends
of chunks ever fall, so the chunks that meet one piece of evidence stand in a row.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from chunkscope.questions.labels import EvidenceTable
from chunkscope.retrieval.ranking import Block
from chunkscope.spans.intervals import BoolArray, IntArray, SpanArray, expand
from chunkscope.spans.layout import Layout

JUDGEMENTS = ("strict", "start")


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

    def starts(self) -> Qrels:
        """Give the same, where its first character is enough of each evidence."""
        return Qrels(np.column_stack((self.spans[:, 0], self.spans[:, 0] + 1)), self.questions, self.any_is_enough)


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


def expand_ranges(first: IntArray, behind: IntArray) -> tuple[IntArray, IntArray]:
    """Write ranges out: the range of each number, and the numbers.

    Examples
    --------
    >>> owners, numbers = expand_ranges(np.array([3, 7]), np.array([5, 8]))
    >>> owners.tolist(), numbers.tolist()
    ([0, 0, 1], [3, 4, 7])
    """
    owners, steps = expand(behind - first)
    return owners, first[owners] + steps


class Relevance:
    """Finds in one cell the chunk with which a question has all the evidence that it needs.

    Parameters
    ----------
    qrels : Qrels
    judged : sequence of (spans, spans)
        For each judgement the chunks as they are judged, and what they have to hold of each evidence.

    Attributes
    ----------
    intact : bool (j, e)
        Which evidence some chunk meets, ranked or not.
    """

    def __init__(self, qrels: Qrels, judged: Sequence[tuple[SpanArray, SpanArray]]) -> None:
        self.qrels = qrels
        self.n_judgements = len(judged)
        ranges = [meeting(chunks, targets) for chunks, targets in judged]
        first = np.column_stack([low for low, _ in ranges])
        behind = np.column_stack([high for _, high in ranges])
        self.intact = (behind > first).T
        self._groups, self._chunks = expand_ranges(first.ravel(), behind.ravel())
        counts = np.bincount(qrels.questions, minlength=qrels.n_questions)
        self._n_evidence = counts
        firsts = np.concatenate(([0], np.cumsum(counts))) * self.n_judgements
        self._edges = np.searchsorted(self._groups, firsts, side="left")

    def targets(self, block: Block, place: IntArray | None) -> IntArray:
        """Give the decisive chunk for each question of a block and each judgement, -1 where there is none.

        Evidence is met at the rank of its best chunk. Where a question needs all of its evidence, the worst of these
        chunks decides; where one is enough, the best.

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
        chunks, groups = self._chunks[pairs], self._groups[pairs]
        scores = block.complete(rows, chunks)
        ranked = scores > block.floor
        rows, chunks, groups, scores = rows[ranked], chunks[ranked], groups[ranked], scores[ranked]
        places = chunks if place is None else place[chunks]
        # the best chunk of each evidence
        groups = rows * (self.n_judgements * len(self.qrels.spans)) + groups
        kept = _firsts(groups, np.lexsort((places, -scores, groups)))
        rows, chunks, scores, places = rows[kept], chunks[kept], scores[kept], places[kept]
        # the best or the worst of these
        judgements = groups[kept] % self.n_judgements
        owners = rows * self.n_judgements + judgements
        is_any = self.qrels.any_is_enough[questions[rows]]
        sign = np.where(is_any, 1, -1)
        met = np.bincount(owners, minlength=targets.size)
        chosen = _firsts(owners, np.lexsort((places * sign, -scores * sign, owners)))
        enough = is_any[chosen] | (met[owners[chosen]] == self._n_evidence[questions[rows[chosen]]])
        chosen = chosen[enough]
        targets.ravel()[owners[chosen]] = chunks[chosen]
        return targets

    def broken(self, intact: BoolArray) -> BoolArray:
        """Tell which questions lack evidence where only `intact`, bool (e,), of it is met: bool (q,)."""
        n_bad = np.bincount(self.qrels.questions[~intact], minlength=self.qrels.n_questions)
        return np.where(self.qrels.any_is_enough, n_bad == self._n_evidence, n_bad > 0)


def _firsts(groups: IntArray, order: IntArray) -> IntArray:
    """Give the first of each group in an order that sorts by group."""
    if not len(order):
        return order
    ordered = groups[order]
    return order[np.concatenate(([True], ordered[1:] != ordered[:-1]))]
