"""Fixed windows as arithmetic: how many there are over a text, where each begins, and what each run of it holds.

Twin: tests/oracle/windows.py
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chunkscope.spans.intervals import IntArray, expand
from chunkscope.spans.layout import Targets


class LaidWindows(NamedTuple):
    """Windows one by one: the text of each, its number there, and where it begins and ends in it; int64 (w,) each."""

    texts: IntArray
    numbers: IntArray
    begins: IntArray
    ends: IntArray


@dataclass(frozen=True)
class Windows:
    """Windows of one size and overlap, in characters or tokens: window i starts at ``i * step``.

    Attributes
    ----------
    size, overlap : int
    keep_tail : bool
        Make the windows of a loop over ``range(0, n, step)``; else the first that reaches the end is the last.

    Examples
    --------
    >>> windows = Windows(5, 3)
    >>> windows.counts(np.array([0, 5, 10, 11])).tolist()
    [0, 1, 4, 4]
    >>> [found.tolist() for found in windows.lay(np.array([4, 8]))]
    [[0, 1, 1, 1], [0, 0, 1, 2], [0, 0, 2, 4], [4, 5, 7, 8]]
    """

    size: int
    overlap: int = 0
    keep_tail: bool = False

    @property
    def step(self) -> int:
        """From the start of one window to that of the next."""
        return self.size - self.overlap

    def counts(self, lengths: IntArray) -> IntArray:
        """Count the windows over texts: ``ceil((n - size) / step) + 1``, one where the text fits, none over nothing."""
        if self.keep_tail:
            return -(-lengths // self.step)
        return np.where(lengths > 0, np.maximum(-(-(lengths - self.size) // self.step), 0) + 1, 0)

    def lay(self, lengths: IntArray) -> LaidWindows:
        """Lay the windows over texts of these lengths."""
        texts, numbers = expand(self.counts(lengths))
        begins = numbers * self.step
        return LaidWindows(texts, numbers, begins, np.minimum(begins + self.size, lengths[texts]))


def last_starts(targets: Targets, step: int) -> NDArray[np.int32]:
    """Give where in its document the last window starts that begins no later than each target.

    From there to the target's end is the least size that holds it, and from there a window reaches as far as its size.
    Behind the first window that reaches the end of its document none is made; one that starts there reaches it too.
    """
    starts: NDArray[np.int32] = targets.starts // step * step
    return starts


def windows_within(runs: Targets, sizes: int | IntArray, step: int, *, keep_tail: bool = False) -> IntArray:
    """Count the windows inside each run; only long runs, or those at an end, can hold one.

    Parameters
    ----------
    runs : Targets (r,)
        Disjoint spans.
    sizes : int, or int64 (c, 1)
        Several sizes give a row each.
    step : int
    """
    last = (runs.lengths - 1) // step if keep_tail else np.maximum(-(-(runs.lengths - sizes) // step), 0)
    inner = np.where(runs.ends == runs.lengths, last, (runs.ends - sizes) // step)
    found: IntArray = np.maximum(np.minimum(inner, last) + (runs.starts // -step) + 1, 0)
    return found
