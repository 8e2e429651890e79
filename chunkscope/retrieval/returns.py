"""What is returned for a retrieved chunk: itself, its section, a larger chunk around it, or it and its neighbours.

Chunks are ranked, and what is returned is judged. What several chunks return alike is returned once, at the rank of the
best of them.

Twin: tests/oracle/recall.py
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from chunkscope.chunkers.base import LARGEST_SIZE
from chunkscope.chunkers.chunk_set import ChunkSet
from chunkscope.errors import ConfigError
from chunkscope.spans.intervals import IntArray, SpanArray
from chunkscope.spans.layout import Layout

SECTION, PARENT, NEIGHBOURS = "section", "parent", "neighbours"
LEAST = {PARENT: 1, NEIGHBOURS: 0}
"""The least number that stands behind each; a section has none."""


@dataclass(frozen=True)
class Return:
    """What is returned for a chunk.

    Parameters
    ----------
    kind : {"section", "parent", "neighbours"}
        The section in which it starts; the chunk in which it starts when the same chunker cuts at another size, without
        overlap; itself with so many chunks on either side, as far as they touch.
    number : int, optional
        The size of parents, or how many neighbours.

    Raises
    ------
    ConfigError
        Another kind, or a number that means nothing.

    Examples
    --------
    >>> Return.parse("parent:2000"), str(Return("section"))
    (Return(kind='parent', number=2000), 'section')
    """

    kind: str
    number: int | None = None

    def __post_init__(self) -> None:
        least = LEAST.get(self.kind)
        is_number = isinstance(self.number, int) and not isinstance(self.number, bool)
        if self.kind == SECTION and self.number is None:
            return
        if least is None or not is_number or not least <= (self.number or 0) <= LARGEST_SIZE:
            raise ConfigError(f"--return {self}: write section, parent:N such as parent:2000, or neighbours:1")

    @classmethod
    def parse(cls, text: str) -> Return:
        """Read ``section``, ``parent:N`` or ``neighbours:N``.

        Raises
        ------
        ConfigError
            Anything else.
        """
        kind, colon, number = (part.strip() for part in text.partition(":"))
        if colon and not re.fullmatch(r"[0-9]{1,20}", number):
            raise ConfigError(f"--return {text}: write section, parent:N such as parent:2000, or neighbours:1")
        return cls(kind, int(number) if colon else None)

    def __str__(self) -> str:
        return self.kind if self.number is None else f"{self.kind}:{self.number}"

    def spans(self, chunks: ChunkSet, sections: IntArray) -> SpanArray:
        """Give what is returned for each chunk.

        Parameters
        ----------
        chunks : ChunkSet
        sections : int64 (s,)
            Where sections start in the layout; needed for these only.

        Returns
        -------
        int64 (n, 2)
        """
        if self.kind == SECTION:
            number = np.searchsorted(sections, chunks.bodies[:, 0], side="right") - 1
            ends = np.append(sections[1:], chunks.layout.edges[-1])
            return np.column_stack((sections[number], ends[number]))
        if self.kind == PARENT:
            return _parents(chunks.bodies, chunks.at(self.number or 0).spans, chunks.layout)
        bodies = chunks.bodies
        first, last = with_neighbours(bodies, chunks.layout.documents_of(bodies[:, 0]), self.number or 0)
        return np.column_stack((bodies[first, 0], bodies[last, 1]))


def _parents(chunks: SpanArray, parents: SpanArray, layout: Layout) -> SpanArray:
    """Give the parent in which each chunk starts.

    Raw windows of tokens leave characters out that they tear. A chunk that starts with one has the next parent of its
    document, else the last, and where there is none, itself.
    """
    if not len(parents):
        return chunks
    documents, of_parents = layout.documents_of(chunks[:, 0]), layout.documents_of(parents[:, 0])
    behind = np.searchsorted(parents[:, 1], chunks[:, 0], side="right")
    number = np.minimum(behind, len(parents) - 1)
    number = np.where(of_parents[number] == documents, number, np.maximum(behind - 1, 0))
    has_one = of_parents[number] == documents
    return np.where(has_one[:, None], parents[number], chunks)


def with_neighbours(chunks: SpanArray, documents: IntArray, n: int) -> tuple[IntArray, IntArray]:
    """Give the first and the last chunk with which each is joined: up to n on either side, as far as they touch.

    Examples
    --------
    >>> first, last = with_neighbours(np.array([[0, 4], [4, 8], [8, 9]]), np.array([0, 0, 1]), 1)
    >>> first.tolist(), last.tolist()
    ([0, 0, 2], [1, 1, 2])
    """
    number = np.arange(len(chunks))
    if not len(chunks):
        return number, number
    is_gap = (documents[1:] != documents[:-1]) | (chunks[1:, 0] > chunks[:-1, 1])
    first_of_run = np.maximum.accumulate(np.where(np.concatenate(([True], is_gap)), number, 0))
    last_of_run = np.minimum.accumulate(np.where(np.concatenate((is_gap, [True])), number, len(chunks))[::-1])[::-1]
    return np.maximum(number - n, first_of_run), np.minimum(number + n, last_of_run)


def numbered(spans: SpanArray) -> IntArray:
    """Number spans so that equal ones have the same number: int64 (n,).

    Examples
    --------
    >>> numbered(np.array([[0, 4], [0, 4], [2, 6]])).tolist()
    [0, 0, 1]
    """
    if (np.diff(spans, axis=0) < 0).any():  # what pieces of an index return may come in any order
        return np.unique(spans, axis=0, return_inverse=True)[1].reshape(-1)
    is_new = np.concatenate(([False], (spans[1:] != spans[:-1]).any(axis=1)))[: len(spans)]
    return np.cumsum(is_new)
