"""A row of the grid as one line: a bar for each size."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

BARS = "▁▂▃▄▅▆▇█"
ASCII_BARS = "12345678"
ZERO, ASCII_ZERO = "·", "."


def sparkline(values: Sequence[int], top: int, *, columns: int, ascii: bool = False) -> str:
    """Draw counts as bars; a dot is zero, and nothing else is.

    Parameters
    ----------
    values : sequence of int
        What to draw.
    top : int
        The count of the highest bar.
    columns : int
        At most so many bars: more values share them, and the worst of those that share one is shown.
    ascii : bool
        Digits from 1 to 8 instead of blocks.

    Examples
    --------
    >>> sparkline([8, 4, 1, 0], 8, columns=10), sparkline([8, 4, 1, 0], 8, columns=2, ascii=True)
    ('█▄▁·', '81')
    """
    bars, zero = (ASCII_BARS, ASCII_ZERO) if ascii else (BARS, ZERO)
    worst = [max(values[start:end]) for start, end in shares(len(values), columns)]
    return "".join(bars[_level(value, top, len(bars))] if value else zero for value in worst)


def _level(value: int, top: int, n_levels: int) -> int:
    return min(max(-(-value * n_levels // max(top, 1)) - 1, 0), n_levels - 1)


def shares(n: int, columns: int) -> list[tuple[int, int]]:
    """Share out `n` values over at most so many columns, as evenly as can be.

    Examples
    --------
    >>> shares(5, 2), shares(2, 9)
    ([(0, 2), (2, 5)], [(0, 1), (1, 2)])
    """
    columns = max(1, min(n, columns))
    edges = [n * column // columns for column in range(columns + 1)]
    return [(start, end) for start, end in pairwise(edges) if start < end]


def axis(labels: Sequence[str], marked: Sequence[int], columns: int) -> str:
    """Write under the bars the first and last label, and those of marked places where there is room.

    Examples
    --------
    >>> axis([str(size) for size in range(50, 250, 10)], [8], 40)
    '50      130      240'
    """
    spans = shares(len(labels), columns)
    n_bars = len(spans)
    first, last = labels[0], labels[-1]
    if n_bars < len(first) + len(last) + 1:
        return first if len(labels) == 1 else f"{first}-{last}"
    line = first.ljust(n_bars - len(last)) + last
    for place in marked:
        at = next(column for column, (_, end) in enumerate(spans) if place < end)
        label = labels[place]
        if line[max(at - 1, 0) : at + len(label) + 1].strip() == "" and at + len(label) < n_bars:
            line = line[:at] + label + line[at + len(label) :]
    return line
