"""The rule by which one cell of a grid is advised: a pure function of what every cell loses and what it costs.

What a cell loses is an accident in part: where the first cut falls decides. So a loss that is smaller than that of its
neighbours in size is not believed (`counted_losses`). Among the cells that then lose about the least, the cheapest is
chosen.

Twin: tests/oracle/choice.py
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from chunkscope.spans.intervals import BoolArray, IntArray

FloatArray = NDArray[np.float64]

MOST_CUT = 0.05
"""The share of a kind that may be cut in two where a start is advised; one of a kind may always be."""
HARMLESS = 0.5
"""A cell that is expected to harm less than half a question harms none."""
LEAST_LINE = 3
"""So many sizes must fit in a line before neighbours count: of two, the worse would be as good as the better."""
DRAWS = 200
WINS_OF_A_RUN = 0.8
SLACK = 1e-9
"""Sums of shares are equal up to so much."""


@dataclass(frozen=True)
class Options:
    """The cells of a grid as the rule sees them, in the order of the grid.

    Attributes
    ----------
    lines : int64 (c,)
        Cells of one number are of the same retriever, way of cutting and overlap as typed.
    sizes : int64 (c,)
        0 where a cell has none.
    fits : bool (c,)
        Whether the largest chunk is within the model's limit.
    price : float (c,)
        Characters to embed, or at fixed k the context.
    chunks : int64 (c,)
    says_nothing : bool (c,)
        Whether a cell's context holds so much of the corpus that it says nothing about ranking, or is smaller than that
        of the others.
    """

    lines: IntArray
    sizes: IntArray
    fits: BoolArray
    price: FloatArray
    chunks: IntArray
    says_nothing: BoolArray

    def __len__(self) -> int:
        return len(self.lines)

    @cached_property
    def eligible(self) -> BoolArray:
        """The cells that fit; those that say something, where there are any."""
        telling = self.fits & ~self.says_nothing
        return telling if telling.any() else self.fits

    def fitting_lines(self) -> Iterator[IntArray]:
        """Give for each line its cells that fit, by size."""
        fitting = np.flatnonzero(self.fits)
        order = fitting[np.lexsort((self.sizes[fitting], self.lines[fitting]))]
        edges = np.flatnonzero(np.diff(self.lines[order])) + 1
        return iter(part for part in np.split(order, edges) if len(part))


def counted_losses(options: Options, losses: FloatArray) -> FloatArray:
    """Give the losses that count: a cell's own, or the mean over it and its neighbours in size if that is larger.

    Parameters
    ----------
    options : Options
    losses : float (c,) or (c, d)
        What each cell loses; in each of d draws of the questions, or of each of d kinds.

    Returns
    -------
    float, as `losses`

    Examples
    --------
    >>> sizes = np.array([100, 200, 300, 400])
    >>> options = Options(np.zeros(4, int), sizes, sizes > 0, sizes * 1.0, sizes, sizes < 0)
    >>> counted_losses(options, np.array([6.0, 0.0, 6.0, 0.0])).tolist()
    [6.0, 4.0, 6.0, 3.0]
    """
    counted = losses.astype(np.float64)
    for line in options.fitting_lines():
        if len(line) >= LEAST_LINE:
            own = losses[line]
            sums, members = own.astype(np.float64), np.ones((len(line), *[1] * (own.ndim - 1)))
            sums[1:] += own[:-1]
            sums[:-1] += own[1:]
            members[1:] += 1
            members[:-1] += 1
            counted[line] = np.maximum(own, sums / members)
    return counted


def candidates(options: Options, counted: FloatArray, tolerance: float) -> BoolArray:
    """Tell which cells lose at most `tolerance` more than the least; all shapes as in `counted_losses`."""
    eligible = options.eligible.reshape(-1, *[1] * (counted.ndim - 1))
    least = np.where(eligible, counted, np.inf).min(axis=0)
    able: BoolArray = eligible & (counted <= least + tolerance + SLACK)
    return able


def pick(options: Options, losses: FloatArray, tolerance: float) -> IntArray:
    """Choose among the candidates the cheapest cell, then the least loss, the fewest chunks, the first of the grid.

    The fewest chunks: where a handful of questions leaves dozens of cells equal, the one with fewer rivals among its
    chunks has done better on other questions (``benchmarks/picking.py``).

    Parameters
    ----------
    options : Options
        At least one cell fits.
    losses : float (c, d)
        What each cell loses in each of d draws.
    tolerance : float
        How much more than the least a candidate may lose.

    Returns
    -------
    int64 (d,)

    Examples
    --------
    >>> sizes = np.array([100, 200, 300])
    >>> options = Options(np.zeros(3, int), sizes, sizes > 0, np.array([1.2, 1.1, 1.0]), sizes, sizes < 0)
    >>> pick(options, np.array([[0.0, 9.0], [0.0, 2.0], [1.0, 1.0]]), 1.0).tolist()
    [2, 2]
    """
    counted = counted_losses(options, losses)
    tied = candidates(options, counted, tolerance)
    for order in (options.price[:, None], counted, options.chunks[:, None]):
        value = np.where(tied, order, np.inf)
        tied &= value <= value.min(axis=0) + SLACK
    chosen: IntArray = tied.argmax(axis=0).astype(np.int64)
    return chosen


def floor(options: Options, losses: FloatArray, tolerance: float) -> int:
    """Choose the cell from which on nothing is harmed, the cheapest of all lines.

    In each line it is the smallest candidate at and above which no size that fits harms a question, else its candidate
    with the least loss, then the smallest. Of these the one with the fewest characters to embed is chosen, then the
    fewest questions harmed, the fewest chunks, the first of the grid.

    Parameters
    ----------
    losses : float (c,)
        Questions harmed in each cell.

    Examples
    --------
    >>> sizes = np.array([100, 200, 300, 400])
    >>> options = Options(np.zeros(4, int), sizes, sizes > 0, np.full(4, 1.0), 900 // sizes, sizes < 0)
    >>> floor(options, np.array([4.0, 0.0, 0.0, 0.0]), 0.1)
    2
    """
    counted = counted_losses(options, losses)
    able = candidates(options, counted, tolerance)
    chosen = []
    for line in options.fitting_lines():
        harming = np.flatnonzero(losses[line] >= HARMLESS)
        behind = line[harming[-1] + 1 :] if len(harming) else line
        safe, rest = behind[able[behind]], line[able[line]]
        if len(safe):
            chosen.append(int(safe[0]))
        elif len(rest):
            chosen.append(int(rest[np.lexsort((options.sizes[rest], counted[rest]))[0]]))
    harmed = losses.round()
    return min(chosen, key=lambda cell: (options.price[cell], harmed[cell], options.chunks[cell], cell))


def start(options: Options, cut: FloatArray, totals: IntArray) -> int:
    """Choose the cell that damages the structure of the documents least.

    In each line it is the smallest size that fits at which no kind has more than 5 % cut in two (one of a kind is
    always allowed), else the size with the lowest worst share. Of these come first those that meet the 5 %, then the
    lowest worst share, the fewest characters to embed, the fewest chunks, the first of the grid.

    Parameters
    ----------
    cut : float (c, n)
        How many of each kind a cell cuts in two.
    totals : int64 (n,)
        How many there are; none is 0.

    Examples
    --------
    >>> sizes = np.array([100, 200, 300, 400])
    >>> options = Options(np.zeros(4, int), sizes, sizes > 0, np.full(4, 1.0), 900 // sizes, sizes < 0)
    >>> start(options, np.array([[40.0], [4.0], [4.0], [0.0]]), np.array([100]))
    2
    """
    counted = counted_losses(options, cut)
    shares = counted / totals
    meets = (counted <= np.maximum(MOST_CUT * totals, 1) + SLACK).all(axis=1)
    worst = shares.max(axis=1)
    chosen = []
    for line in options.fitting_lines():
        met = line[meets[line]]
        chosen.append(int(met[0] if len(met) else line[np.argmin(worst[line])]))
    return min(
        chosen,
        key=lambda cell: (
            not meets[cell],
            round(float(worst[cell]), 9),
            options.price[cell],
            options.chunks[cell],
            cell,
        ),
    )


def draw_questions(n_questions: int, seed: int = 0, draws: int = DRAWS) -> IntArray:
    """Draw questions anew with replacement: how often each comes in each draw.

    Returns
    -------
    int64 (q, d)

    Examples
    --------
    >>> draw_questions(5).shape, set(draw_questions(5).sum(axis=0).tolist())
    ((5, 200), {5})
    """
    drawn = np.random.default_rng(seed).integers(0, n_questions, size=(draws, n_questions))
    counts = np.zeros((n_questions, draws), dtype=np.int64)
    np.add.at(counts, (drawn, np.arange(draws)[:, None]), 1)
    return counts


def shortest_run(sizes: IntArray, around: int, wanted: float) -> tuple[int, int, int] | None:
    """Find the shortest run of sizes around one that wins often enough: its ends, and how often it wins.

    Parameters
    ----------
    sizes : int64 (d,)
        The size that wins each draw; 0 for a cell without a size.
    around : int
        The size that the run must hold.
    wanted : float
        How often the run must win.

    Returns
    -------
    tuple of int or None
        Smallest size, largest size, wins; None where even all sizes together win less often. Of runs of equal length
        that with the most wins, then the smaller sizes.

    Examples
    --------
    >>> shortest_run(np.array([100, 200, 200, 300, 300, 900]), 200, 4)
    (200, 300, 4)
    """
    known, wins = np.unique(np.append(sizes[sizes > 0], around), return_counts=True)
    wins[np.searchsorted(known, around)] -= 1
    place = int(np.searchsorted(known, around))
    behind = np.concatenate(([0], np.cumsum(wins)))
    runs = [
        (high - low, -int(behind[high + 1] - behind[low]), low, high)
        for low in range(place + 1)
        for high in range(place, len(known))
        if behind[high + 1] - behind[low] >= wanted
    ]
    if not runs:
        return None
    _, won, low, high = min(runs)
    return int(known[low]), int(known[high]), -won
