"""What is returned for a retrieved chunk: itself, its section, a larger chunk around it, or it and its neighbours.

Chunks are ranked, and what is returned is judged. What several chunks return alike is returned once, at the rank of the
best of them.

Twin: tests/oracle/recall.py
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from chunkscope.chunkers.base import LARGEST_SIZE
from chunkscope.chunkers.chunk_set import ChunkSet
from chunkscope.errors import ConfigError
from chunkscope.spans.intervals import IntArray, SpanArray
from chunkscope.spans.layout import Layout
from chunkscope.splitters.dump import as_index

SECTION, PARENT, NEIGHBOURS = "section", "parent", "neighbours"
LEAST = {PARENT: 1, NEIGHBOURS: 0}
"""The least number that stands behind each; a section has none, nor has the parent in an index."""
WRITE = "write section, parent:2000 or any other size, parent for what an index says, or neighbours:1"


@dataclass(frozen=True)
class Return:
    """What is returned for a chunk.

    Parameters
    ----------
    kind : {"section", "parent", "neighbours"}
        The section in which it starts; the chunk in which it starts when the same chunker cuts at another size, without
        overlap, or without a number, the chunk that an index calls its parent; itself with so many chunks on either
        side, as far as they touch or nothing but white space lies between.
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
        if self.kind in (SECTION, PARENT) and self.number is None:
            return
        if least is None or not is_number or not least <= (self.number or 0) <= LARGEST_SIZE:
            raise ConfigError(f"--return {self}: {WRITE}")

    @classmethod
    def parse(cls, text: str) -> Return:
        """Read ``section``, ``parent``, ``parent:N`` or ``neighbours:N``.

        Raises
        ------
        ConfigError
            Anything else.
        """
        kind, colon, number = (part.strip() for part in text.partition(":"))
        if colon and not re.fullmatch(r"[0-9]{1,20}", number):
            raise ConfigError(f"--return {text}: {WRITE}")
        return cls(kind, int(number) if colon else None)

    def __str__(self) -> str:
        return self.kind if self.number is None else f"{self.kind}:{self.number}"

    def spans(self, chunks: ChunkSet, sections: IntArray, blank_runs: SpanArray) -> SpanArray:
        """Give what is returned for each chunk.

        Parameters
        ----------
        chunks : ChunkSet
        sections : int64 (s,)
            Where sections start in the layout; needed for these only.
        blank_runs : int64 (b, 2)
            Runs of white space in the layout.

        Returns
        -------
        int64 (n, 2)

        Raises
        ------
        ConfigError
            Parents that an index is to say, and the chunks are those of none that says any.
        """
        if self.kind == SECTION:
            number = np.searchsorted(sections, chunks.bodies[:, 0], side="right") - 1
            ends = np.append(sections[1:], chunks.layout.edges[-1])
            return np.column_stack((sections[number], ends[number]))
        if self.kind == PARENT and self.number is None:
            return _said_parents(chunks)
        if self.kind == PARENT:
            return _parents(chunks.bodies, chunks.at(self.number or 0).spans, chunks.layout)
        bodies = chunks.bodies
        documents = chunks.layout.documents_of(bodies[:, 0])
        first, last = with_neighbours(bodies, documents, self.number or 0, blank_runs)
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


def _said_parents(chunks: ChunkSet) -> SpanArray:
    """Give the chunk that an index calls the parent of each, else the stretch of all that have that parent."""
    index, pieces = as_index(chunks.chunker), chunks.pieces
    parents = {} if index is None else index.dump.parents
    if pieces is None or not parents:
        raise ConfigError("--return parent: needs an index whose chunks have a parent_id; for a size write parent:2000")
    documents, found = chunks.layout.documents_of(chunks.bodies[:, 0]), chunks.bodies.copy()
    held: dict[object, list[int]] = defaultdict(list)
    for number, (document, name) in enumerate(zip(documents.tolist(), pieces.ids, strict=True)):
        held[document, parents.get(name, name)].append(number)
    for numbers in held.values():
        placed = [number for number in numbers if pieces.is_found[number]]
        if placed:
            found[placed] = chunks.bodies[placed, 0].min(), chunks.bodies[placed, 1].max()
    return found


def with_neighbours(chunks: SpanArray, documents: IntArray, n: int, blank_runs: SpanArray) -> tuple[IntArray, IntArray]:
    """Give the first and the last chunk with which each is joined: up to n on either side, as far as text goes on.

    Chunks go on where they touch or overlap, or where nothing but white space lies between them.

    Examples
    --------
    >>> chunks, blank = np.array([[0, 3], [4, 8], [8, 9]]), np.array([[3, 4]])
    >>> first, last = with_neighbours(chunks, np.array([0, 0, 1]), 1, blank)
    >>> first.tolist(), last.tolist()
    ([0, 0, 2], [1, 1, 2])
    """
    number = np.arange(len(chunks))
    if not len(chunks):
        return number, number
    reach = _behind(chunks[:, 1], blank_runs)
    is_gap = (documents[1:] != documents[:-1]) | (chunks[1:, 0] > reach[:-1])
    is_nowhere = chunks[:, 0] == chunks[:, 1]
    is_gap |= (chunks[1:] < chunks[:-1]).any(axis=1) | is_nowhere[1:] | is_nowhere[:-1]  # pieces come in any order
    first_of_run = np.maximum.accumulate(np.where(np.concatenate(([True], is_gap)), number, 0))
    last_of_run = np.minimum.accumulate(np.where(np.concatenate((is_gap, [True])), number, len(chunks))[::-1])[::-1]
    return np.maximum(number - n, first_of_run), np.minimum(number + n, last_of_run)


def _behind(ends: IntArray, blank_runs: SpanArray) -> IntArray:
    """Move offsets behind the white space that stands there."""
    if not len(blank_runs):
        return ends
    last = np.maximum(np.searchsorted(blank_runs[:, 0], ends, side="right") - 1, 0)
    starts, behind = blank_runs[last].T
    return np.where((starts <= ends) & (ends < behind), behind, ends)


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
