"""The context that retrieved chunks make: its characters, and its budget."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from chunkscope.errors import ConfigError
from chunkscope.spans.intervals import IntArray, SpanArray


@dataclass(frozen=True)
class Budget:
    """How much a context may hold: so many of a unit.

    Examples
    --------
    >>> Budget.parse("1500"), Budget.parse("400:cl100k_base")
    (Budget(limit=1500, unit='char'), Budget(limit=400, unit='cl100k_base'))
    """

    limit: int
    unit: str = "char"

    def __post_init__(self) -> None:
        if isinstance(self.limit, bool) or not isinstance(self.limit, int) or self.limit < 1:
            raise ConfigError(f"--budget {self.limit}: must be a whole number from 1")

    @classmethod
    def parse(cls, text: str) -> Budget:
        """Read ``1500``, in characters, or ``400:cl100k_base``.

        Raises
        ------
        ConfigError
            Not a number, or one below 1.
        """
        number, _, unit = text.partition(":")
        if not re.fullmatch(r"\d{1,60}", number.strip()):
            raise ConfigError(f"--budget {text!r}: write 1500, in characters, or 400:cl100k_base")
        return cls(int(number), unit.strip() or "char")


def nearest_k(context: int, n_texts: int, characters: int) -> int:
    """Give how many of some texts come nearest to a context, halves up, and at least one.

    Parameters
    ----------
    context : int
        Characters.
    n_texts, characters : int
        How many texts there are, and their characters together.

    Examples
    --------
    >>> nearest_k(1000, n_texts=10, characters=4000), nearest_k(1000, n_texts=2, characters=6000)
    (3, 1)
    """
    return max(1, (2 * context * n_texts + characters) // (2 * characters)) if characters else 1


def merged_characters(chunks: SpanArray, top: IntArray) -> IntArray:
    """Give how many characters the context of retrieved chunks has, each counted once.

    Parameters
    ----------
    chunks : int64 (n, 2)
    top : int64 (q, k)
        The chunks of each question in any order, -1 for none.

    Returns
    -------
    int64 (q,)

    Examples
    --------
    >>> merged_characters(np.array([[0, 4], [2, 6], [8, 9]]), np.array([[1, 0], [2, -1]])).tolist()
    [6, 1]
    """
    starts, ends = merged(chunks, top)
    summed: IntArray = (ends - starts).sum(axis=1)
    return summed


def merged(chunks: SpanArray, top: IntArray) -> tuple[IntArray, IntArray]:
    """Give retrieved chunks in the order of the documents, each without what the one before it already has.

    Returns
    -------
    starts, ends : int64 (q, k)
        Equal where nothing is left, or where there is no chunk.
    """
    if not len(chunks):
        zeros = np.zeros(top.shape, dtype=np.int64)
        return zeros, zeros
    if (np.diff(chunks, axis=0) < 0).any():  # pieces of an index may lie anywhere
        order = np.lexsort((chunks[:, 1], chunks[:, 0]))
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        chunks, top = chunks[order], np.where(top < 0, -1, place[top])
    ordered = np.sort(top, axis=1)
    none = ordered < 0
    starts, ends = chunks[ordered, 0], chunks[ordered, 1]
    starts, ends = np.where(none, 0, starts), np.where(none, 0, ends)
    ends = np.maximum.accumulate(ends, axis=1)
    starts[:, 1:] = np.maximum(starts[:, 1:], ends[:, :-1])
    return np.minimum(starts, ends), ends
