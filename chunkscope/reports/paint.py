"""The colours of reports; widths are those of the text without them."""

from __future__ import annotations

BOLD, DIM, UNDERLINE, RED, GREEN, YELLOW = "\x1b[1m", "\x1b[2m", "\x1b[4m", "\x1b[31m", "\x1b[32m", "\x1b[33m"
RESET = "\x1b[0m"


def painted(text: str, style: str, color: bool = True) -> str:
    r"""Give a text in a style, where there are colours at all.

    Examples
    --------
    >>> painted("lucky", YELLOW), painted("lucky", YELLOW, False)
    ('\x1b[33mlucky\x1b[0m', 'lucky')
    """
    return f"{style}{text}{RESET}" if color and style and text else text
