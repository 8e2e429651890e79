"""Judging: at which rank has everything been met that a question needs?

A chunk meets evidence that it holds whole (strict), or whose first character it holds (start). Neither starts nor ends
of chunks ever fall, so the chunks that meet one piece of evidence stand in a row.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from chunkscope.labels import Resolved
from chunkscope.spans import BoolArray, IntArray, SpanArray

JUDGEMENTS = ("strict", "start")


class Ranks(Mapping[str, "int | None"]):
    """First ranks of questions by their ids; None: never.

    Examples
    --------
    >>> dict(Ranks(("q1", "q2"), np.array([3, 0])))
    {'q1': 3, 'q2': None}
    """

    def __init__(self, ids: tuple[str, ...], ranks: IntArray) -> None:
        self.ids = ids
        self.ranks = ranks

    def __getitem__(self, key: str) -> int | None:
        rank = int(self.ranks[self.ids.index(key)])
        return rank or None

    def __iter__(self) -> Iterator[str]:
        return iter(self.ids)

    def __len__(self) -> int:
        return len(self.ids)

    def items(self):  # type: ignore[no-untyped-def]  # noqa: ANN201
        """Give ids and ranks in one go."""
        return [(key, rank or None) for key, rank in zip(self.ids, self.ranks.tolist(), strict=True)]


@dataclass(frozen=True)
class Needs:
    """What the questions need, entry by entry.

    Attributes
    ----------
    spans : int64 (e, 2)
        Evidence in the layout's offsets.
    questions : int64 (e,)
        Whose it is; never falls.
    any_is_enough : bool (q,)
    """

    spans: SpanArray
    questions: IntArray
    any_is_enough: BoolArray

    @property
    def n_questions(self) -> int:
        """How many questions there are."""
        return len(self.any_is_enough)

    def starts(self) -> Needs:
        """Give the same needs, each met by its first character already."""
        return Needs(np.column_stack((self.spans[:, 0], self.spans[:, 0] + 1)), self.questions, self.any_is_enough)


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


def expand(first: IntArray, behind: IntArray) -> tuple[IntArray, IntArray]:
    """Write ranges out: whose each number is, and the numbers.

    Examples
    --------
    >>> owners, numbers = expand(np.array([3, 7]), np.array([5, 8]))
    >>> owners.tolist(), numbers.tolist()
    ([0, 0, 1], [3, 4, 7])
    """
    counts = behind - first
    owners = np.repeat(np.arange(len(counts)), counts)
    offsets = np.cumsum(counts) - counts
    return owners, np.arange(len(owners)) - np.repeat(offsets - first, counts)


def decisive(
    best: IntArray, scores: np.ndarray, questions: IntArray, any_is_enough: BoolArray, place: IntArray | None
) -> IntArray:
    """Give for each question the chunk at whose rank all is met, -1 where that never happens.

    Each need is met at the rank of its best chunk. Where all needs count, that is the worst of these chunks; where one
    is enough, the best.

    Parameters
    ----------
    best : int64 (e,)
        The best chunk for each need; -1: none.
    scores : float (e,)
        Its score.
    questions : int64 (e,)
        Whose each need is; never falls.
    any_is_enough : bool (q,)
    place : int64 (n,) or None
        Place of each chunk in ties.
    """
    chosen = np.full(len(any_is_enough), -1, dtype=np.int64)
    if not len(best):
        return chosen
    places = best if place is None else np.where(best >= 0, place[best], -1)
    sign = np.where(any_is_enough[questions], 1.0, -1.0)
    # unmet needs come first where all count, and last where one is enough
    with np.errstate(invalid="ignore"):
        order = np.lexsort((places * sign, np.where(best >= 0, -scores, np.inf) * sign, questions))
    first = order[np.concatenate(([True], questions[order][1:] != questions[order][:-1]))]
    chosen[questions[first]] = best[first]
    return chosen
