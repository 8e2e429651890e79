"""Noise: how far a share of some questions can be from the truth, and whether two shares of them differ at all."""

from __future__ import annotations

import math
from collections.abc import Sequence

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


def newcombe(both: int, only_one: int, only_other: int, neither: int) -> tuple[float, float] | None:
    """Give the interval that holds, in 95 of 100 cases, by how much the other's true share is the larger.

    Parameters
    ----------
    both, only_one, only_other, neither : int
        Questions that both, only the one, only the other, and neither answers.

    Returns
    -------
    (float, float) or None
        For share of the other - share of the one; None over no question.

    Notes
    -----
    Newcombe, Improved confidence intervals for the difference between binomial proportions based on paired data,
    Statistics in Medicine 17 (1998) 2635-2650, method 10: the Wilson intervals of both shares, added as squares with
    their correlation, whose numerator is brought nearer to zero by half of the questions.

    Examples
    --------
    >>> [round(edge, 3) for edge in newcombe(1, 1, 7, 12)]
    [0.026, 0.507]
    >>> newcombe(0, 0, 0, 0) is None
    True
    """
    n = both + only_one + only_other + neither
    one, other = wilson(both + only_one, n), wilson(both + only_other, n)
    if one is None or other is None:
        return None
    share_one, share_other = (both + only_one) / n, (both + only_other) / n
    product = both * neither - only_one * only_other
    margins = (both + only_one) * (only_other + neither) * (both + only_other) * (only_one + neither)
    numerator = product if product < 0 else max(product - n / 2, 0)
    correlation = numerator / math.sqrt(margins) if margins else 0.0
    below = _added(share_other - other[0], one[1] - share_one, correlation)
    above = _added(other[1] - share_other, share_one - one[0], correlation)
    return share_other - share_one - below, share_other - share_one + above


def _added(one: float, other: float, correlation: float) -> float:
    return math.sqrt(one * one - 2 * correlation * one * other + other * other)


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


def least_difference() -> int:
    """Give the least difference, in questions, that an exact paired test sees between two cells named in advance.

    Examples
    --------
    >>> least_difference()
    6
    """
    difference = 1
    while mcnemar(0, difference) >= LEVEL:
        difference += 1
    return difference
