"""Where a way of cutting may cut: boundaries of one document, or of all documents one behind the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from chunkscope.spans.intervals import BoolArray, IntArray
from chunkscope.structure.units import MeasuredText

EMPTY = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Boundaries:
    """Item boundaries with the units used up at each, for greedy packing.

    Attributes
    ----------
    positions : int64 (b,)
        Offsets of the boundaries, 0 and the end of the text included; strictly increasing.
    used : int64 (b,)
        Units that begin before each.
    groups : int64 (g + 1,)
        Indices of the boundaries that no chunk may cross, the first and the last included.
    documents : int64 (d + 1,)
        Indices of the boundaries where documents start, and the last; for one document ``[0, b - 1]``.
    steps, used_at_steps : int64 (s,)
        Offsets inside items at which an item above the size may be cut, and the units that begin before them.
    inner, used_at_inner : int64 (i,)
        Offsets between the characters of one step, which are cut at only where the step alone is above the size.
    heaviest : int
        What the heaviest of these steps weighs.
    """

    positions: IntArray
    used: IntArray
    groups: IntArray
    documents: IntArray
    steps: IntArray = field(default_factory=lambda: EMPTY)
    used_at_steps: IntArray = field(default_factory=lambda: EMPTY)
    inner: IntArray = field(default_factory=lambda: EMPTY)
    used_at_inner: IntArray = field(default_factory=lambda: EMPTY)
    heaviest: int = 0


@dataclass(frozen=True, slots=True)
class TokenStream:
    """The tokens of documents as they lie on the characters.

    Attributes
    ----------
    first_whole, last_whole : int64 (t + d,)
        For each token, and the end of each document: the first character boundary at or after the place where it
        begins, and the last at or before it.
    documents : int64 (d + 1,)
        Index of each document's first token, and the number of all entries.
    """

    first_whole: IntArray
    last_whole: IntArray
    documents: IntArray

    @property
    def inside(self) -> BoolArray:
        """Tell which tokens begin inside a character."""
        inside: BoolArray = self.first_whole != self.last_whole
        return inside


def join_boundaries(parts: Sequence[Boundaries]) -> Boundaries:
    """Lay the boundaries of documents one behind the other; neighbours share a boundary.

    Examples
    --------
    >>> a = Boundaries(*(np.array(x) for x in ([0, 4], [0, 2], [0, 1], [0, 1])))
    >>> b = Boundaries(*(np.array(x) for x in ([0, 3, 5], [0, 3, 5], [0, 2], [0, 2])))
    >>> both = join_boundaries([a, b])
    >>> both.positions.tolist(), both.used.tolist(), both.groups.tolist(), both.documents.tolist()
    ([0, 4, 7, 9], [0, 2, 5, 7], [0, 1, 3], [0, 1, 3])
    """
    offsets = _running([int(part.positions[-1]) for part in parts])
    weights = _running([int(part.used[-1]) for part in parts])
    indices = _running([len(part.positions) - 1 for part in parts])
    start = [np.zeros(1, dtype=np.int64)]
    rows = list(zip(parts, offsets, weights, indices, strict=False))
    return Boundaries(
        positions=np.concatenate(start + [part.positions[1:] + offset for part, offset, _, _ in rows]),
        used=np.concatenate(start + [part.used[1:] + weight for part, _, weight, _ in rows]),
        groups=np.concatenate(start + [part.groups[1:] + index for part, _, _, index in rows]),
        documents=np.concatenate(start + [part.documents[1:] + index for part, _, _, index in rows]),
        steps=np.concatenate([EMPTY] + [part.steps + offset for part, offset, _, _ in rows]),
        used_at_steps=np.concatenate([EMPTY] + [part.used_at_steps + weight for part, _, weight, _ in rows]),
        inner=np.concatenate([EMPTY] + [part.inner + offset for part, offset, _, _ in rows]),
        used_at_inner=np.concatenate([EMPTY] + [part.used_at_inner + weight for part, _, weight, _ in rows]),
        heaviest=max((part.heaviest for part in parts), default=0),
    )


def inner_offsets(measured: MeasuredText) -> tuple[IntArray, int]:
    """Give the offsets inside steps of several characters and several units, and what the heaviest of them weighs.

    Such a step is a space with an emoji, where a token holds the space and the emoji's first bytes.

    Examples
    --------
    >>> from chunkscope.structure.units import get_unit
    >>> measured = get_unit("cl100k_base").measure("a 鮪b")
    >>> measured.steps.tolist(), inner_offsets(measured)
    ([1, 3], (array([2]), 3))
    """
    edges, used = measured.stepped
    weights = np.diff(used)
    heavy = (np.diff(edges) > 1) & (weights > 1)
    if not heavy.any():
        return EMPTY, 0
    counts = np.diff(edges)[heavy] - 1
    within = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.repeat(edges[:-1][heavy] + 1, counts) + within, int(weights[heavy].max(initial=0))


def join_streams(parts: Sequence[TokenStream]) -> TokenStream:
    """Lay token streams of documents one behind the other.

    Examples
    --------
    >>> one = TokenStream(np.array([0, 1]), np.array([0, 1]), np.array([0, 2]))
    >>> join_streams([one, one]).first_whole.tolist()
    [0, 1, 1, 2]
    """
    offsets = _running([int(part.first_whole[-1]) for part in parts])
    counts = _running([len(part.first_whole) for part in parts])
    rows = list(zip(parts, offsets, strict=False))
    return TokenStream(
        first_whole=np.concatenate([EMPTY] + [part.first_whole + offset for part, offset in rows]),
        last_whole=np.concatenate([EMPTY] + [part.last_whole + offset for part, offset in rows]),
        documents=np.array(counts, dtype=np.int64),
    )


def _running(sizes: Sequence[int]) -> list[int]:
    totals = [0]
    for size in sizes:
        totals.append(totals[-1] + size)
    return totals
