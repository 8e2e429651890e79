"""Documents laid one behind the other, and spans that ought to survive whole in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from chunkscope.errors import InputError
from chunkscope.spans.intervals import BoolArray, IntArray, SpanArray, as_spans, expand_ranges

LONGEST_DOCUMENT = 2**31 - 1
"""Places within a document are counted in 32 bits."""


@dataclass(frozen=True)
class Layout:
    """Documents laid one behind the other.

    Attributes
    ----------
    names : tuple of str
    edges : int64 (d + 1,)
        Where each document starts, and the end of the last.

    Examples
    --------
    >>> layout = Layout.of(["a.md", "b.md"], [4, 5])
    >>> layout.edges.tolist(), layout.documents_of(np.array([0, 4, 8])).tolist()
    ([0, 4, 9], [0, 1, 1])
    """

    names: tuple[str, ...]
    edges: IntArray

    @classmethod
    def of(cls, names: Sequence[str], lengths: Sequence[int]) -> Layout:
        """Lay documents of these lengths one behind the other."""
        for name, length in zip(names, lengths, strict=True):
            if length > LONGEST_DOCUMENT:
                raise InputError(f"{name}: {length:,} characters are too many; split it below {LONGEST_DOCUMENT:,}")
        return cls(tuple(names), np.concatenate(([0], np.cumsum(np.array(lengths, dtype=np.int64)))).astype(np.int64))

    @cached_property
    def lengths(self) -> IntArray:
        """Characters of each document."""
        return np.diff(self.edges)

    @cached_property
    def longest(self) -> int:
        """Characters of the longest document, 1 where there is none: sizes above it are all alike."""
        return max(1, int(self.lengths.max(initial=0)))

    @property
    def largest(self) -> tuple[str, int]:
        """The name of the longest document, and how long it is; nothing where there is none."""
        if not self.names:
            return "", 0
        longest = int(self.lengths.max())
        return min(self.names[place] for place in np.flatnonzero(self.lengths == longest).tolist()), longest

    @cached_property
    def is_edge(self) -> BoolArray:
        """Bool (n + 1,): whether a document starts or ends at an offset."""
        edge = np.zeros(int(self.edges[-1]) + 1, dtype=np.bool_)
        edge[self.edges] = True
        return edge

    def lay_offsets(self, offsets: Iterable[IntArray]) -> IntArray:
        """Move offsets in each document, in the layout's order, to the layout's own, one behind the other.

        Examples
        --------
        >>> Layout.of(["a.md", "b.md"], [4, 5]).lay_offsets([np.array([1]), np.array([0, 2])]).tolist()
        [1, 4, 6]
        """
        moved = [found + base for found, base in zip(offsets, self.edges.tolist(), strict=False)]
        return np.concatenate(moved).astype(np.int64, copy=False) if moved else np.empty(0, dtype=np.int64)

    def lay_spans(self, spans: Iterable[SpanArray]) -> SpanArray:
        """Do so with spans.

        Examples
        --------
        >>> Layout.of(["a.md", "b.md"], [4, 5]).lay_spans([as_spans([(0, 2)]), as_spans([(1, 3)])]).tolist()
        [[0, 2], [5, 7]]
        """
        moved = [found + base for found, base in zip(spans, self.edges.tolist(), strict=False) if len(found)]
        return np.concatenate(moved) if moved else as_spans([])

    def documents_of(self, offsets: IntArray) -> IntArray:
        """Give the document that holds each offset."""
        return np.searchsorted(self.edges, offsets, side="right") - 1


@dataclass(frozen=True)
class Targets:
    """Spans that ought to survive whole, with what the arithmetic of windows needs of their documents.

    Attributes
    ----------
    spans : int64 (n, 2)
        In the layout's offsets, in any order.
    documents : int64 (n,)
    bases, lengths : int64 (n,)
        Where the document of each target starts in the layout, and how long it is.
    """

    spans: SpanArray
    documents: IntArray
    bases: IntArray
    lengths: IntArray

    @cached_property
    def starts(self) -> NDArray[np.int32]:
        """Starts within their documents; half as wide as offsets in the layout, which is felt over large grids."""
        return (self.spans[:, 0] - self.bases).astype(np.int32)

    @cached_property
    def ends(self) -> NDArray[np.int32]:
        """Ends within their documents."""
        return (self.spans[:, 1] - self.bases).astype(np.int32)

    @cached_property
    def has(self) -> BoolArray:
        """Bool (n + 1,): whether each offset up to the end of the last lies in a span."""
        has = np.zeros(int(self.spans[:, 1].max(initial=0)) + 1, dtype=np.bool_)
        has[expand_ranges(self.spans[:, 0], self.spans[:, 1])[1]] = True
        return has

    @classmethod
    def of(cls, spans: SpanArray, layout: Layout) -> Targets:
        """Find the documents of spans."""
        documents = layout.documents_of(spans[:, 0])
        return cls(spans, documents, layout.edges[documents], layout.lengths[documents])

    @classmethod
    def joined(cls, spans: Sequence[SpanArray], layout: Layout) -> Targets:
        """Move the spans of each document, in the layout's order, to the layout's offsets."""
        return cls.of(layout.lay_spans(spans), layout)

    def take(self, chosen: BoolArray | IntArray | slice) -> Targets:
        """Choose some of the targets."""
        return Targets(self.spans[chosen], self.documents[chosen], self.bases[chosen], self.lengths[chosen])

    def __len__(self) -> int:
        return len(self.spans)
