"""A text with its characters composed (NFC), and where each place of it stood in the text as it is."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise

_JAMO = (range(0x1161, 0x1176), range(0x11A8, 0x11C3))
_BEYOND = 0x1F000
"""No character from there on is joined to the one before it, and only ideographs stand for others."""
_STAND_INS = range(0x2F800, 0x2FA20)


class ComposedText:
    """A text in NFC, piece by piece: nothing is composed across a bound, such as the start of a block.

    Parameters
    ----------
    text : str
    bounds : iterable of int
        Increasing places of the text.

    Examples
    --------
    >>> composed = ComposedText("これは本た\u3099。次", [0])
    >>> composed.text, composed.origin(7), composed.place(8)
    ('これは本だ。次', 8, 7)
    """

    def __init__(self, text: str, bounds: Iterable[int]) -> None:
        pieces: list[str] = []
        self._ends = [0]
        """Where runs of characters that were composed end, in the text as it is; and in the composed one."""
        self._composed_ends = [0]
        done = shift = 0
        for start, end in pairwise([*bounds, len(text)]):
            for match in _apart().finditer(text, start, end):
                composed = unicodedata.normalize("NFC", match.group())
                pieces += (text[done : match.start()], composed)
                done = match.end()
                shift += len(composed) - len(match.group())
                self._ends.append(done)
                self._composed_ends.append(done + shift)
        self.text = "".join((*pieces, text[done:]))

    def place(self, origin: int) -> int:
        """Give the place in the composed text of a place in the text as it is, not inside what was composed."""
        return _moved(origin, self._ends, self._composed_ends)

    def origin(self, place: int) -> int:
        """Give the place in the text as it is of a place in the composed text, not inside what was composed."""
        return _moved(place, self._composed_ends, self._ends)


def _moved(place: int, ends: list[int], others: list[int]) -> int:
    number = bisect_right(ends, place) - 1
    return place - ends[number] + others[number]


@lru_cache(maxsize=1)
def _apart() -> re.Pattern[str]:
    """Give the pattern of what NFC may change: a character with those that join it, or one that stands for another."""
    joins: list[str] = [chr(point) for jamo in _JAMO for point in jamo]
    stands_in: list[str] = []
    for point in (*range(0x300, _BEYOND), *_STAND_INS):
        character = chr(point)
        if unicodedata.combining(character):
            joins.append(character)
        decomposed = unicodedata.decomposition(character)
        if decomposed and decomposed[0] != "<":
            *first, last = decomposed.split()
            if first:
                joins.append(chr(int(last, 16)))
            if unicodedata.normalize("NFC", character) != character:
                stands_in.append(character)
    joining, standing = "".join(sorted(set(joins))), "".join(stands_in)
    return re.compile(f"[^{joining}]?[{joining}]+|[{standing}][{joining}]*")
