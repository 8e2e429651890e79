"""Where pieces lie, by trying every place: for short texts, and pieces that are slices."""

from __future__ import annotations

import unicodedata

Span = tuple[int, int]
Cost = tuple[int, int]


def vanishes(character: str) -> bool:
    """Whether no piece has to hold a character: white space, control and format characters, U+FFFD."""
    return unicodedata.category(character) in ("Zs", "Zl", "Zp", "Cc", "Cf") or character == "\ufffd"


def normal_form(text: str) -> str:
    return "".join(character for character in unicodedata.normalize("NFKD", text) if not vanishes(character))


def places(text: str, piece: str) -> list[Span]:
    return [(at, at + len(piece)) for at in range(len(text)) if text[at : at + len(piece)] == piece]


def in_order(text: str, pieces: list[str]) -> list[tuple[Span, ...]]:
    """All ways of laying pieces over a text so that none starts before the one before it, and none stands twice."""
    ways: list[tuple[Span, ...]] = [()]
    for piece in pieces:
        ways = [
            (*way, span)
            for way in ways
            for span in places(text, piece)
            if not way or span[0] > way[-1][0] or (span[0] == way[-1][0] and span != way[-1])
        ]
    return ways


def cost(text: str, way: tuple[Span, ...]) -> Cost:
    """How many characters are in no piece, and in how many parts."""
    left_out = parts = 0
    is_part = False
    for at, character in enumerate(text):
        if any(start <= at < end for start, end in way):
            is_part = False
        elif not vanishes(character):
            left_out += 1
            parts += not is_part
            is_part = True
    return left_out, parts


def best(text: str, pieces: list[str]) -> list[tuple[Span, ...]]:
    """The ways that leave out least; none where the pieces do not stand in order."""
    ways = in_order(text, pieces)
    costs = [cost(text, way) for way in ways]
    return [way for way, value in zip(ways, costs, strict=True) if value == min(costs)]
