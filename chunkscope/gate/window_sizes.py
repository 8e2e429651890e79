"""The nearest size whose windows hold a text, found without looking at every size.

Twin: tests/gate/test_window_sizes.py
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class WindowSizes:
    """Windows of all sizes with one overlap.

    Attributes
    ----------
    overlap : int or Fraction
        In characters, or as a share of the size below 1, floored.

    Notes
    -----
    Of the windows that begin no later than a text, the last one holds it or none does: size s does if
    ``start // step(s) * step(s) + s >= end``. Steps never fall as sizes grow, so sizes whose steps go into the start
    equally often follow each other, and among those the larger holds what the smaller does. So what is looked at are
    such runs, of which there are never more than ``2 * sqrt(start)`` and mostly one or two, not sizes.

    Examples
    --------
    >>> WindowSizes(0).nearest(100, start=150, end=220)
    110
    """

    overlap: int | Fraction

    def step(self, size: int) -> int:
        """Give how far a window of a size begins behind the one before."""
        return size - (self.overlap if isinstance(self.overlap, int) else int(self.overlap * size))

    def widest(self, step: int) -> int:
        """Give the largest size with no larger step; too small to run where there is none."""
        if isinstance(self.overlap, int):
            return step + self.overlap
        return int(step / (1 - self.overlap))

    @property
    def least(self) -> int:
        """The smallest size that can run."""
        return self.overlap + 1 if isinstance(self.overlap, int) else 1

    def nearest(self, size: int, start: int, end: int) -> int:
        """Give the size nearest to one at which a window holds a text; of two equally near ones the larger."""
        larger = self._from(max(size, self.least), start, end)
        nearer = max(end - start, self.least, 2 * size - larger + 1)
        return self._down(size, nearer, start, end) or larger

    def _from(self, size: int, start: int, end: int) -> int:
        """Give the smallest size from one on."""
        size = max(size, end - start)
        while True:
            times = start // self.step(size)
            # a window at the very start holds what ends within it
            last = self.widest(start // times) if times else max(size, end)
            if times * self.step(last) + last >= end:
                sizes = range(size, last + 1)
                return sizes[bisect_left(sizes, end, key=lambda one: times * self.step(one) + one)]
            size = last + 1

    def _down(self, size: int, least: int, start: int, end: int) -> int | None:
        """Give the largest size up to one, not below the least."""
        while size >= least:
            times = start // self.step(size)
            if times * self.step(size) + size >= end:
                return size
            size = self.widest(start // (times + 1))
        return None
