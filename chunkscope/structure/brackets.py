"""Brackets, quotes and inline code that open and close in one stretch of text."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import NamedTuple

STRAIGHT_QUOTE_LENGTH = 1000
"""A longer stretch between straight quotes is more likely two stray ones."""

ROUND = "（"

_KINDS = {
    "「": ("「｢﹁", "」｣﹂"),
    "『": ("『﹃", "』﹄"),
    ROUND: ("（(", "）)"),
    "［": ("［[", "］]"),
    "〝": ("〝", "〟〞"),
    "⦅": ("⦅｟", "⦆｠"),
    **{pair[0]: (pair[0], pair[1]) for pair in ("【】", "〔〕", "〈〉", "《》", "〖〗", "〘〙", "〚〛", "＜＞", "“”")},
}
"""What opens and closes brackets and quotes of each kind."""

_OPENING = {mark: kind for kind, (opening, _) in _KINDS.items() for mark in opening}
_CLOSING = {mark: kind for kind, (_, closing) in _KINDS.items() for mark in closing}
# all begin with one set of characters, which the engine looks for fastest; backticks come in runs
_BRACKETS = re.compile(rf"[{re.escape(''.join((*_OPENING, *_CLOSING)))}\"`](?:(?<=`)`+)?")


class Pair(NamedTuple):
    """Outermost brackets or quotes: where they open and close, and which they are."""

    open: int
    close: int
    kind: str


def outermost_pairs(text: str, start: int, end: int) -> list[Pair]:
    """Give the outermost brackets and quotes that open and close in a block; the others are as good as absent."""
    found: list[Pair] = []
    stack: list[tuple[str, int]] = []
    opened: defaultdict[str, int] = defaultdict(int)
    for match in _BRACKETS.finditer(text, start, end):
        token, place = match.group(), match.start()
        if token in _OPENING:
            kind, is_opening = _OPENING[token], True
        elif token in _CLOSING:
            kind, is_opening = _CLOSING[token], False
        else:
            kind, is_opening = token, not opened[token] or (token == '"' and text[place - 1].isspace())
            if token == '"' and not opened[token] and _is_behind_word(text, start, place):
                continue
            if token == "`" and not opened[token] and _is_escaped(text, start, place):
                continue
        if is_opening:
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
        if kind == "＜" and text[place - 1] not in "。！？.!?":
            continue  # two signs of comparison
        if kind == '"' and place - opening > STRAIGHT_QUOTE_LENGTH:
            continue
        while found and found[-1].open > opening:
            found.pop()
        found.append(Pair(opening, place, kind))
    return found


def _is_escaped(text: str, start: int, place: int) -> bool:
    before = place
    while before > start and text[before - 1] == "\\":
        before -= 1
    return (place - before) % 2 == 1


def _is_behind_word(text: str, start: int, place: int) -> bool:
    """Tell whether a straight quote is an inch mark, or the end of what began before the block."""
    return place > start and text[place - 1].isascii() and text[place - 1].isalnum()
