"""Noise: how far a share of some questions can be from the truth, and which cells differ at all."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from chunkscope.errors import ConfigError
from chunkscope.spans.intervals import BoolArray

Z95 = 1.959963984540054
"""Quantile of the normal distribution for 95 % on two sides."""
LEVEL = 0.05


def wilson(hits: int, total: int, z: float = Z95) -> tuple[float, float] | None:
    """Give the interval that holds the true share in 95 of 100 cases (Wilson 1927); None over zero.

    Examples
    --------
    >>> [round(edge, 4) for edge in wilson(15, 17)]
    [0.6566, 0.9671]
    >>> wilson(0, 0) is None
    True
    """
    if not total:
        return None
    share = hits / total
    scale = 1 + z * z / total
    middle = share + z * z / (2 * total)
    spread = z * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    low = 0.0 if hits == 0 else (middle - spread) / scale
    high = 1.0 if hits == total else (middle + spread) / scale
    return low, high


def mcnemar(only_one: int, only_other: int) -> float:
    """Give the exact two-sided p-value of a paired difference (McNemar 1947, by the binomial distribution).

    Parameters
    ----------
    only_one, only_other : int
        Questions that only the one, and only the other, answers.

    Examples
    --------
    >>> mcnemar(0, 5), mcnemar(3, 3), mcnemar(0, 0)
    (0.0625, 1.0, 1.0)
    """
    total, few = only_one + only_other, min(only_one, only_other)
    if 2 * few >= total:
        return 1.0
    term = summed = 1
    for number in range(few):
        term = term * (total - number) // (number + 1)
        summed += term
    return min(1.0, 2 * summed / (1 << total))


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values for having looked at several (Holm 1979).

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    adjusted = [1.0] * len(p_values)
    highest = 0.0
    for rank, place in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = highest
    return adjusted


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


def halves(n_questions: int, share: float, seed: int) -> tuple[BoolArray, BoolArray]:
    """Part questions at random: those to choose a cell on, and those to show its figure on.

    Parameters
    ----------
    n_questions : int
    share : float
        Of the questions, those that are held out; above 0 and below 1.
    seed : int

    Raises
    ------
    ConfigError
        A share or seed out of range, or one that leaves a side empty.

    Examples
    --------
    >>> chosen, held_out = halves(5, 0.4, seed=0)
    >>> int(chosen.sum()), int(held_out.sum()), bool((chosen ^ held_out).all())
    (3, 2, True)
    """
    if not 0 < share < 1:
        raise ConfigError(f"--holdout {share}: give a share above 0 and below 1, such as 0.5")
    if seed < 0:
        raise ConfigError(f"--seed {seed}: must not be negative")
    n_held = round(n_questions * share)
    if not 0 < n_held < n_questions:
        raise ConfigError(f"--holdout {share} of {n_questions} questions leaves one side empty")
    held_out = np.zeros(n_questions, dtype=np.bool_)
    held_out[np.random.default_rng(seed).permutation(n_questions)[:n_held]] = True
    return ~held_out, held_out
