"""Brackets, quotes and inline code that open and close in one stretch of text."""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

STRAIGHT_QUOTE_LENGTH = 1000
"""A longer stretch between straight quotes is more likely two stray ones."""

CLOSING_BRACKETS = "」』）)］]】〕〉》”｣"
ROUND = "（"

_BRACKETS = re.compile(r"[「」『』（）()\[\]［］【】〔〕〈〉《》“”｢｣\"]|`+")
_KINDS = dict(zip(CLOSING_BRACKETS, "「『（（［［【〔〈《“「", strict=True)) | {"(": ROUND, "[": "［", "｢": "「"}


class Pair(NamedTuple):
    """Outermost brackets or quotes: where they open and close, and which they are."""

    open: int
    close: int
    kind: str


def outermost_pairs(text: str, start: int, end: int) -> list[Pair]:
    """Give the outermost brackets and quotes that open and close in a block; the others are as good as absent."""
    found: list[Pair] = []
    stack: list[tuple[str, int]] = []
    opened: Counter[str] = Counter()
    for match in _BRACKETS.finditer(text, start, end):
        place = match.start()
        token = match.group()
        kind = _KINDS.get(token, token)
        is_closing = token in CLOSING_BRACKETS
        if token[0] in '"`':
            if token == '"' and not opened[kind]:
                # behind a letter or digit it is an inch mark or the end of what began before
                if place > start and text[place - 1].isascii() and text[place - 1].isalnum():
                    continue
            else:
                is_closing = opened[kind] > 0 and not (token == '"' and text[place - 1].isspace())
        if not is_closing:
            stack.append((kind, place))
            opened[kind] += 1
            continue
        if not opened[kind]:
            continue
        other, opening = stack.pop()
        opened[other] -= 1
        while other != kind:
            other, opening = stack.pop()
            opened[other] -= 1
        if kind == '"' and place - opening > STRAIGHT_QUOTE_LENGTH:
            continue
        while found and found[-1].open > opening:
            found.pop()
        found.append(Pair(opening, place, kind))
    return found
