"""The overlap metrics of Smith and Troynikov, Evaluating Chunking Strategies for Retrieval (Chroma, 2024).

All on half-open character spans: recall is the share of the evidence that the retrieved chunks hold; precision the
same characters over the summed lengths of the chunks; IoU the same over these and the evidence that is not met;
precision-omega the same over the union of all chunks that meet evidence, so it needs no retriever.

The package of the authors counts otherwise in three places: it finds a chunk by its text, so a repeated one at its
first place; it drops a final ``.`` of a chunk; and a chunk that only touches evidence counts as meeting it (evidence
that no chunk meets is then added below the line). `omega` with ``touching=True`` and spans of that kind gives the
printed digits.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from chunkscope.chunkers.cells import Cells
from chunkscope.chunkers.chunk_set import ChunkSet
from chunkscope.measures.base import Column, each_cell
from chunkscope.measures.evidence import EvidenceTable
from chunkscope.questions.labels import LocatedQuestion
from chunkscope.retrieval.context import merged
from chunkscope.retrieval.ranking import FloatArray
from chunkscope.retrieval.relevance import Qrels
from chunkscope.spans.intervals import BoolArray, IntArray, SpanArray, union
from chunkscope.spans.layout import Layout
from chunkscope.structure.analysis import DocumentAnalysis


def sorted_union(spans: SpanArray) -> SpanArray:
    """Join spans in any order.

    Examples
    --------
    >>> sorted_union(np.array([[5, 8], [0, 2], [7, 9]])).tolist()
    [[0, 2], [5, 9]]
    """
    return union(spans[np.lexsort((spans[:, 1], spans[:, 0]))])


def common_length(one: SpanArray, other: SpanArray) -> int:
    """Give how many characters two unions of spans share.

    Examples
    --------
    >>> common_length(np.array([[0, 4], [6, 9]]), np.array([[2, 7]]))
    3
    """
    starts = np.maximum(one[:, None, 0], other[None, :, 0])
    ends = np.minimum(one[:, None, 1], other[None, :, 1])
    return int(np.maximum(ends - starts, 0).sum())


def omega(chunks: SpanArray, evidence: SpanArray, *, touching: bool = False) -> float:
    """Give precision-omega of one question; 0 where no chunk meets its evidence.

    Parameters
    ----------
    chunks : int64 (n, 2)
        All chunks of the document, in any order.
    evidence : int64 (e, 2)
    touching : bool
        Count as the authors' package does: chunks that end where evidence starts, or start where it ends, meet it, and
        evidence that is not met is added to the union of the chunks.

    Examples
    --------
    >>> chunks = np.array([[0, 10], [10, 20], [20, 30]])
    >>> omega(chunks, np.array([[8, 12]])), omega(chunks, np.array([[10, 12]]), touching=True)
    (0.2, 0.1)
    """
    reach = 1 if touching else 0
    meets = (chunks[:, None, 0] < evidence[None, :, 1] + reach) & (chunks[:, None, 1] + reach > evidence[None, :, 0])
    met = sorted_union(chunks[meets.any(axis=1)])
    shared = common_length(met, sorted_union(evidence))
    below = sorted_union(np.concatenate((met, evidence))) if touching else met
    whole = int((below[:, 1] - below[:, 0]).sum())
    return shared / whole if whole else 0.0


def mean_and_deviation(values: FloatArray) -> tuple[float, float] | None:
    """Give the mean and the population standard deviation; None without values."""
    return (float(values.mean()), float(values.std())) if len(values) else None


@dataclass(frozen=True)
class MergedEvidence:
    """The evidence of all questions, each character of a question once.

    Attributes
    ----------
    spans : int64 (p, 2)
        In the order of the questions, and then of the documents.
    questions : int64 (p,)
    n_questions : int
    """

    spans: SpanArray
    questions: IntArray
    n_questions: int

    @classmethod
    def of(cls, qrels: Qrels) -> MergedEvidence:
        """Join the evidence of each question."""
        order = np.lexsort((qrels.spans[:, 1], qrels.spans[:, 0], qrels.questions))
        spans, questions = qrels.spans[order], qrels.questions[order]
        # questions are laid far apart, so that one pass joins them all
        far = int(spans[:, 1].max(initial=0)) + 1
        joined = union(spans + (questions * far)[:, None])
        owners = joined[:, 0] // far
        return cls(joined - (owners * far)[:, None], owners, qrels.n_questions)

    def summed(self, values: IntArray) -> IntArray:
        """Sum a value of each piece of evidence by question."""
        return np.bincount(self.questions, weights=values, minlength=self.n_questions).astype(np.int64)

    @property
    def lengths(self) -> IntArray:
        """Characters of evidence of each question."""
        return self.summed(self.spans[:, 1] - self.spans[:, 0])


def omegas(chunks: SpanArray, evidence: MergedEvidence) -> FloatArray:
    """Give precision-omega of each question.

    Parameters
    ----------
    chunks : int64 (n, 2)
        Neither starts nor ends may fall.
    evidence : MergedEvidence

    Examples
    --------
    >>> qrels = Qrels(np.array([[8, 12]]), np.array([0]), np.array([False]))
    >>> omegas(np.array([[0, 10], [10, 20]]), MergedEvidence.of(qrels)).tolist()
    [0.2]
    """
    if not len(chunks):
        return np.zeros(evidence.n_questions)
    starts, ends = chunks[:, 0], chunks[:, 1]
    first = np.searchsorted(ends, evidence.spans[:, 0], side="right")
    behind = np.maximum(np.searchsorted(starts, evidence.spans[:, 1], side="left"), first)
    # chunks of earlier evidence of the same question are counted already
    same = np.concatenate(([False], evidence.questions[1:] == evidence.questions[:-1]))
    counted_to = _highest_before(np.where(behind > first, behind, 0), same)
    new = np.maximum(first, counted_to)
    grown = ends - np.maximum(starts, np.concatenate(([starts[0]], ends[:-1])))
    summed = np.concatenate(([0], np.cumsum(grown)))
    at = np.minimum(new, len(chunks) - 1)
    reach = np.where(counted_to > 0, ends[np.maximum(counted_to - 1, 0)], starts[at])
    opening = ends[at] - np.maximum(starts[at], np.minimum(reach, ends[at]))
    whole = np.where(behind > new, opening + summed[behind] - summed[np.minimum(new + 1, len(chunks))], 0)
    joined = union(chunks)
    held = _covered_before(joined, evidence.spans[:, 1]) - _covered_before(joined, evidence.spans[:, 0])
    total = evidence.summed(whole)
    return np.divide(evidence.summed(held), total, out=np.zeros(evidence.n_questions), where=total > 0)


def _highest_before(values: IntArray, same: BoolArray) -> IntArray:
    """Give for each value the highest of the earlier ones of its question, 0 for the first."""
    group = np.cumsum(~same)
    far = int(values.max(initial=0)) + 1
    highest = np.maximum.accumulate(values + group * far) - group * far
    return np.where(same, np.concatenate(([0], highest[:-1])), 0)


def _covered_before(joined: SpanArray, offsets: IntArray) -> IntArray:
    """Give how many characters before each offset stand in a union of spans."""
    summed = np.concatenate(([0], np.cumsum(joined[:, 1] - joined[:, 0])))
    number = np.searchsorted(joined[:, 0], offsets, side="left")
    last = np.maximum(number - 1, 0)
    inside = np.minimum(offsets, joined[last, 1]) - joined[last, 0]
    return np.where(number > 0, summed[last] + inside, 0)


def retrieved_overlap(chunks: SpanArray, top: IntArray, evidence: MergedEvidence) -> dict[str, FloatArray]:
    """Give recall, precision and IoU of each question; what nothing is retrieved for counts as 0.

    Parameters
    ----------
    chunks : int64 (n, 2)
    top : int64 (q, k)
        The retrieved chunks of each question, -1 for none.
    evidence : MergedEvidence

    Examples
    --------
    >>> qrels = Qrels(np.array([[8, 12]]), np.array([0]), np.array([False]))
    >>> found = retrieved_overlap(np.array([[0, 10], [10, 20]]), np.array([[0]]), MergedEvidence.of(qrels))
    >>> {name: values.round(4).tolist() for name, values in found.items()}
    {'recall': [0.5], 'precision': [0.2], 'iou': [0.1667]}
    """
    starts, ends = merged(chunks, top)
    starts, ends = starts[evidence.questions], ends[evidence.questions]
    shared = np.minimum(ends, evidence.spans[:, 1:]) - np.maximum(starts, evidence.spans[:, :1])
    met = evidence.summed(np.maximum(shared, 0).sum(axis=1))
    lengths = np.append(chunks[:, 1] - chunks[:, 0], 0)[top].sum(axis=1)
    asked = evidence.lengths
    nothing = np.zeros(evidence.n_questions)
    return {
        "recall": np.divide(met, asked, out=nothing.copy(), where=asked > 0),
        "precision": np.divide(met, lengths, out=nothing.copy(), where=lengths > 0),
        "iou": np.divide(met, lengths + asked - met, out=nothing.copy(), where=asked > 0),
    }


class OverlapMeasure:
    """Precision-omega of every cell; it needs no retriever, nor texts of questions.

    Parameters
    ----------
    questions : iterable of LocatedQuestion
    """

    needs_all_documents = True

    def __init__(self, questions: Iterable[LocatedQuestion]) -> None:
        self.evidence = EvidenceTable.of(tuple(questions))

    def collect(self, analysis: DocumentAnalysis) -> None:
        """Take nothing: where evidence stands is known."""

    def bind(self, collected: Sequence[None], layout: Layout) -> BoundOverlap:
        """Lay the evidence of all documents end to end."""
        return BoundOverlap(MergedEvidence.of(Qrels.of(self.evidence, layout)))


@dataclass(frozen=True)
class BoundOverlap:
    """The evidence of all documents, each character of a question once."""

    evidence: MergedEvidence

    def count(self, cells: Cells) -> dict[str, Column]:
        """Sum precision-omega and its squares over all questions."""
        return each_cell(cells, self._count)

    def _count(self, chunks: ChunkSet) -> dict[str, Any]:
        """Sum precision-omega and its squares, so that parts of a corpus add up."""
        values = omegas(chunks.spans, self.evidence)
        return {
            "precision_omega": {
                "questions": len(values),
                "sum": float(values.sum()),
                "squares": float((values * values).sum()),
            }
        }
