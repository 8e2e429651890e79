"""Numbers as people read them: rates that never round to what they are not, and nothing over zero."""

from __future__ import annotations

NOTHING = "n/a"
"""What a rate over zero is."""

DIGITS = 6


def percent(n: int, total: int) -> str:
    """Write a share in percent: one decimal, more where it would otherwise read 0 or 100 without being so.

    Examples
    --------
    >>> percent(1, 3), percent(1, 3000), percent(2999, 3000), percent(0, 7), percent(7, 7), percent(0, 0)
    ('33.3 %', '0.03 %', '99.97 %', '0 %', '100 %', 'n/a')
    """
    if not total:
        return NOTHING
    if n in (0, total):
        return "100 %" if n else "0 %"
    decimals = 1
    while True:
        scale = 10 ** (decimals + 2)
        rounded = (2 * n * scale + total) // (2 * total)
        if 0 < rounded < scale:
            whole, part = divmod(rounded, 10**decimals)
            return f"{whole}.{part:0{decimals}d} %"
        decimals += 1


def rate(n: int, total: int) -> float | None:
    """Give a share to six digits, unrounded where it would otherwise be 0 or 1 without being so; None over zero.

    Examples
    --------
    >>> rate(1, 3), rate(1, 10_000_000), rate(0, 0)
    (0.333333, 1e-07, None)
    """
    if not total:
        return None
    rounded = round(n / total, DIGITS)
    return n / total if rounded in (0.0, 1.0) and n not in (0, total) else rounded


def of(n: int, total: int) -> str:
    """Write so many of so many; ``n/a`` of none.

    Examples
    --------
    >>> of(3, 4), of(0, 0)
    ('3/4', 'n/a')
    """
    return f"{n:,}/{total:,}" if total else NOTHING


def decimal(value: float | None) -> str:
    """Write an expectation with one decimal, or with one digit where that would read 0; blank for None.

    Examples
    --------
    >>> decimal(2.356), decimal(0.04), decimal(0.0), decimal(None)
    ('2.4', '0.04', '0', '')
    """
    if value is None:
        return ""
    if round(value, DIGITS) == 0:
        return "0"
    decimals = 1
    while float(f"{value:.{decimals}f}") == 0:
        decimals += 1
    return f"{value:.{decimals}f}"


def times(value: float | None) -> str:
    """Write a factor.

    Examples
    --------
    >>> times(1.187), times(None)
    ('x1.19', 'n/a')
    """
    return NOTHING if value is None else f"x{value:.2f}"


def money(value: float) -> str:
    """Write a price, in whatever currency: two decimals, or three digits below one.

    Examples
    --------
    >>> money(12.3456), money(0.00123456), money(0)
    ('12.35', '0.00123', '0')
    """
    if not value:
        return "0"
    if abs(value) >= 1:
        return f"{value:,.2f}"
    decimals = 2
    while abs(value) * 10**decimals < 100 and decimals < 12:
        decimals += 1
    return f"{value:.{decimals}f}"


def duration(seconds: float) -> str:
    """Write about how long something takes: two units at most.

    Examples
    --------
    >>> duration(0.2), duration(41.6), duration(754), duration(20_400), duration(100_000)
    ('1 s', '42 s', '13 min', '5 h 40 min', '1 d 4 h')
    """
    whole = max(1, round(seconds))
    if whole < 120:
        return f"{whole} s"
    minutes = round(whole / 60)
    if minutes < 120:
        return f"{minutes} min"
    if minutes < 24 * 60:
        return f"{minutes // 60} h {minutes % 60} min"
    hours = round(minutes / 60)
    return f"{hours // 24} d {hours % 24} h"


def plural(n: int, noun: str, many: str | None = None) -> str:
    """Write a count with its noun.

    Examples
    --------
    >>> plural(1, "chunk"), plural(1200, "chunk"), plural(2, "is", "are")
    ('1 chunk', '1,200 chunks', '2 are')
    """
    return f"{n:,} {noun if n == 1 else many or noun + 's'}"
