"""Noise: how far a share of some questions can be from the truth, and which cells differ at all."""

from __future__ import annotations

import numpy as np

from chunkscope.grid.statistics import LEVEL, holm, mcnemar
from chunkscope.spans.intervals import BoolArray


def against_best(hits: BoolArray) -> tuple[int, list[float]]:
    """Compare every cell with the one that answers most questions (the first of them).

    Parameters
    ----------
    hits : bool (c, q)
        Which questions each cell answers.

    Returns
    -------
    best : int
    p_values : list of float
        Adjusted by Holm over the other cells; 1 for the best itself.

    Examples
    --------
    >>> hits = np.zeros((2, 12), dtype=bool)
    >>> hits[1] = True
    >>> against_best(hits)
    (1, [0.00048828125, 1.0])
    """
    best = int(hits.sum(axis=1).argmax())
    only_best = np.count_nonzero(hits[best] & ~hits, axis=1)
    only_cell = np.count_nonzero(hits & ~hits[best], axis=1)
    others = [cell for cell in range(len(hits)) if cell != best]
    adjusted = holm([mcnemar(int(only_best[cell]), int(only_cell[cell])) for cell in others])
    p_values = [1.0] * len(hits)
    for cell, p_value in zip(others, adjusted, strict=True):
        p_values[cell] = p_value
    return best, p_values


def least_difference(n_cells: int) -> int:
    """Give by how many questions a cell must at least fall behind the best of a grid to differ from it.

    Examples
    --------
    >>> least_difference(2), least_difference(76)
    (6, 12)
    """
    difference = 1
    while mcnemar(0, difference) * max(n_cells - 1, 1) >= LEVEL:
        difference += 1
    return difference
