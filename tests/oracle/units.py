"""Texts measured in a unit, character by character."""

from __future__ import annotations

from bisect import bisect_left


class Tape:
    """A text in a unit: `used[p]` units begin before p; a cut of this unit may fall at `steps`.

    `first_whole` and `last_whole` have, for each unit and the end of the text, the first character that starts no
    earlier, and the last character edge that is no later, than the place where the unit begins.
    """

    def __init__(self, text, unit):
        length = len(text.text)
        begins, inside = (range(length), [False] * length) if unit == "char" else text.units[unit]
        self.n_units = len(begins)
        self.used = [bisect_left(begins, p) for p in range(length + 1)]
        self.steps = sorted({b for b, torn in zip(begins, inside, strict=True) if not torn and 0 < b < length})
        self.first_whole = [b + 1 if torn else b for b, torn in zip(begins, inside, strict=True)] + [length]
        self.last_whole = [*begins, length]


def token_begins(text, encoding):
    """Give the character in which each token of tiktoken begins, and whether it begins inside it, byte by byte."""
    owner, is_first = [], []
    for place, character in enumerate(text):
        for number in range(len(character.encode())):
            owner.append(place)
            is_first.append(number == 0)
    begins, inside, byte = [], [], 0
    for token in encoding.encode(text, disallowed_special=()):
        begins.append(owner[byte])
        inside.append(not is_first[byte])
        byte += len(encoding.decode_single_token_bytes(token))
    return begins, inside
