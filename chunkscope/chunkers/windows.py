"""Fixed windows as arithmetic: how many there are over a text, and how many inside a run."""

from __future__ import annotations

import numpy as np

from chunkscope.spans.intervals import IntArray
from chunkscope.spans.layout import Targets


def window_counts(lengths: IntArray, size: int, overlap: int, *, keep_tail: bool = False) -> IntArray:
    """Count the windows over texts of given lengths.

    The first window that reaches the end is the last, so there are ``ceil((n - size) / step) + 1``, one where the
    text fits, none where it is empty; with `keep_tail` one for each of ``range(0, n, step)``.

    Examples
    --------
    >>> window_counts(np.array([0, 5, 10, 11]), 5, 3).tolist()
    [0, 1, 4, 4]
    """
    step = size - overlap
    if keep_tail:
        return -(-lengths // step)
    return np.where(lengths > 0, np.maximum(-(-(lengths - size) // step), 0) + 1, 0)


def windows_within(runs: Targets, size: int | IntArray, step: int | IntArray, *, keep_tail: bool = False) -> IntArray:
    """Count the windows inside each run; only long runs, or those at an end, can hold one."""
    last = (runs.lengths - 1) // step if keep_tail else np.maximum(-(-(runs.lengths - size) // step), 0)
    inner = np.where(runs.ends == runs.lengths, last, (runs.ends - size) // step)
    found: IntArray = np.maximum(np.minimum(inner, last) + (runs.starts // -step) + 1, 0)
    return found
