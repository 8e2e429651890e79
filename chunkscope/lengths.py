"""How many chunks have which length: a small mapping on two arrays, for grids have tens of thousands of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from chunkscope.spans import IntArray


class LengthCounts(Mapping[int, int]):
    """Lengths and how many have each.

    Parameters
    ----------
    lengths, counts : int64 (n,)
        Lengths increase; counts are above 0.

    Examples
    --------
    >>> some = LengthCounts.of({300: 2, 79: 1})
    >>> dict(some + some), some.total, some.median
    ({79: 2, 300: 4}, 679, 300)
    """

    __slots__ = ("_counts", "_lengths")

    def __init__(self, lengths: IntArray, counts: IntArray) -> None:
        self._lengths: NDArray[np.int32] = lengths.astype(np.int32)
        self._counts = counts.astype(np.int64)

    @classmethod
    def of(cls, counts: Mapping[int, int]) -> LengthCounts:
        """Make it of any mapping."""
        if isinstance(counts, LengthCounts):
            return counts
        pairs = np.array(sorted(counts.items()), dtype=np.int64).reshape(-1, 2)
        pairs = pairs[pairs[:, 1] > 0]
        return cls(pairs[:, 0], pairs[:, 1])

    def __getitem__(self, length: int) -> int:
        place = int(np.searchsorted(self._lengths, length))
        if place == len(self._lengths) or self._lengths[place] != length:
            raise KeyError(length)
        return int(self._counts[place])

    def __iter__(self) -> Iterator[int]:
        return iter(self._lengths.tolist())

    def __len__(self) -> int:
        return len(self._lengths)

    def __repr__(self) -> str:
        return f"LengthCounts({dict(self)})"

    def __add__(self, other: LengthCounts) -> LengthCounts:
        lengths, place = np.unique(np.concatenate((self._lengths, other._lengths)), return_inverse=True)
        counts = np.zeros(len(lengths), dtype=np.int64)
        np.add.at(counts, place, np.concatenate((self._counts, other._counts)))
        return LengthCounts(lengths.astype(np.int64), counts)

    @property
    def n(self) -> int:
        """How many chunks there are."""
        return int(self._counts.sum())

    @property
    def total(self) -> int:
        """Characters of all chunks."""
        return int((self._lengths * self._counts).sum())

    @property
    def median(self) -> float | None:
        """The middle length, or the mean of the two in the middle; None without chunks."""
        if not len(self):
            return None
        behind = np.cumsum(self._counts)
        low, high = (
            int(self._lengths[np.searchsorted(behind, rank, side="right")]) for rank in ((self.n - 1) // 2, self.n // 2)
        )
        return low if low == high else (low + high) / 2
