"""Why a question is not answered: the one cause of a miss.

Twin: tests/oracle/recall.py
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from chunkscope.retrieval.relevance import Parts, Qrels
from chunkscope.spans.intervals import BoolArray, IntArray, SpanArray

CAUSES = ("not_indexed", "not_embedded", "split", "header_lost", "below")
"""In the order in which the first that is true is the cause.

Its document has been filtered out; all that would answer is above the limit of the embedding model; nothing that could
be returned holds it whole; nothing that holds the row has the header; ranked below k, or not at all.
"""
NOT_INDEXED, NOT_EMBEDDED, SPLIT, HEADER_LOST, BELOW = range(len(CAUSES))


def find_causes(
    qrels: Qrels, needed: Parts, chunks: SpanArray, *, allowed: BoolArray, indexed: BoolArray, embedded: BoolArray
) -> IntArray:
    """Give for each question what would be the cause if it were not answered, as a place in `CAUSES`.

    Parameters
    ----------
    qrels : Qrels
    needed : Parts
        What answers: first each evidence whole, then rows with their header.
    chunks : int64 (n, 2)
        As they are judged.
    allowed : bool (e,)
        Evidence whose document may be found.
    indexed, embedded : bool (n,)
        Chunks that are in the index, and those that can be ranked.

    Returns
    -------
    int64 (q,)

    Notes
    -----
    Each part of an evidence has a cause, and the first of these is the cause of the evidence; that of a question is the
    first of those of its evidence, or the last where one is enough.

    Examples
    --------
    >>> qrels = Qrels(np.array([[0, 2], [3, 5]]), np.array([0, 1]), np.array([False, False]))
    >>> yes = np.array([True, True])
    >>> found = find_causes(
    ...     qrels, qrels.strict(), np.array([[0, 4], [4, 8]]), allowed=yes, indexed=yes, embedded=yes
    ... )
    >>> [CAUSES[cause] for cause in found]
    ['below', 'split']
    """
    parts, meeting = needed.met_by(chunks)
    n_indexed, n_embedded = (
        np.bincount(parts[some[meeting]], minlength=len(needed.spans)) for some in (indexed, embedded)
    )
    is_row = np.arange(len(needed.spans)) >= len(qrels.spans)
    causes = np.where(n_embedded == 0, NOT_EMBEDDED, BELOW)
    causes = np.where(n_indexed == 0, np.where(is_row, HEADER_LOST, SPLIT), causes)
    causes[~allowed[needed.evidence]] = NOT_INDEXED
    of_evidence = np.full(len(qrels.spans), BELOW)
    np.minimum.at(of_evidence, needed.evidence, causes)
    firsts = np.searchsorted(qrels.questions, np.arange(qrels.n_questions))
    if not len(firsts):
        return firsts
    worst, best = (ufunc.reduceat(of_evidence, firsts) for ufunc in (np.minimum, np.maximum))
    found: IntArray = np.where(qrels.any_is_enough, best, worst)
    return found


def count_causes(causes: IntArray, missed: BoolArray) -> dict[str, int]:
    """Count the causes of what is missed.

    Examples
    --------
    >>> count_causes(np.array([4, 2, 4]), np.array([True, True, False]))
    {'not_indexed': 0, 'not_embedded': 0, 'split': 1, 'header_lost': 0, 'below': 1}
    """
    return dict(zip(CAUSES, np.bincount(causes[missed], minlength=len(CAUSES)).tolist(), strict=True))


def name_causes(ids: Iterable[str], causes: IntArray, missed: BoolArray) -> dict[str, str]:
    """Give the cause of each question that is missed.

    Examples
    --------
    >>> name_causes(["q1", "q2"], np.array([4, 2]), np.array([False, True]))
    {'q2': 'split'}
    """
    rows = zip(ids, causes.tolist(), missed.tolist(), strict=True)
    return {name: CAUSES[cause] for name, cause, is_missed in rows if is_missed}
