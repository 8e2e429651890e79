"""How many chunks have which length: a small mapping on two arrays, for grids have tens of thousands of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from chunkscope.spans.intervals import IntArray


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

    __slots__ = ("_arrays",)

    def __init__(self, lengths: IntArray, counts: IntArray) -> None:
        self._arrays = lengths, counts

    @classmethod
    def of(cls, counts: Mapping[int, int]) -> LengthCounts:
        """Make it of any mapping."""
        if isinstance(counts, LengthCounts):
            return counts
        pairs = np.array(sorted(counts.items()), dtype=np.int64).reshape(-1, 2)
        pairs = pairs[pairs[:, 1] > 0]
        return cls(pairs[:, 0], pairs[:, 1])

    @classmethod
    def among(cls, lengths: IntArray) -> LengthCounts:
        """Count lengths."""
        return cls(*np.unique(lengths, return_counts=True))

    @property
    def arrays(self) -> tuple[IntArray, IntArray]:
        """The lengths, and how many have each."""
        return self._arrays

    def __getitem__(self, length: int) -> int:
        lengths, counts = self.arrays
        place = int(np.searchsorted(lengths, length))
        if place == len(lengths) or lengths[place] != length:
            raise KeyError(length)
        return int(counts[place])

    def __iter__(self) -> Iterator[int]:
        return iter(self.arrays[0].tolist())

    def __len__(self) -> int:
        return len(self.arrays[0])

    def __repr__(self) -> str:
        return f"LengthCounts({dict(self)})"

    def __add__(self, other: LengthCounts) -> LengthCounts:
        both = [np.concatenate(pair) for pair in zip(self.arrays, other.arrays, strict=True)]
        lengths, place = np.unique(both[0], return_inverse=True)
        counts = np.zeros(len(lengths), dtype=np.int64)
        np.add.at(counts, place, both[1])
        return LengthCounts(lengths, counts)

    @property
    def n(self) -> int:
        """How many chunks there are."""
        return int(self.arrays[1].sum())

    @property
    def total(self) -> int:
        """Characters of all chunks."""
        lengths, counts = self.arrays
        return int((lengths * counts).sum())

    @property
    def shortest(self) -> int | None:
        """The shortest length; None without chunks."""
        lengths = self.arrays[0]
        return int(lengths[0]) if len(lengths) else None

    @property
    def longest(self) -> int | None:
        """The longest length; None without chunks."""
        lengths = self.arrays[0]
        return int(lengths[-1]) if len(lengths) else None

    @property
    def median(self) -> float | None:
        """The middle length, or the mean of the two in the middle; None without chunks."""
        lengths, counts = self.arrays
        if not len(lengths):
            return None
        behind = np.cumsum(counts)
        n = int(behind[-1])
        low, high = (int(lengths[np.searchsorted(behind, rank, side="right")]) for rank in ((n - 1) // 2, n // 2))
        return low if low == high else (low + high) / 2
