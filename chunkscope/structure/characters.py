"""What characters are, for whole texts at once: blank, digit, letter, kana, kanji, mark, joiner.

Each character has a `uint8` of flags. The flags of the basic plane are looked up in a table that is built once, on
first use; the few characters beyond it are looked up one by one.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from chunkscope.spans.intervals import IntArray, SpanArray

BLANK = 1
"""Categories Z, Cc and Cf: a chunk of nothing else is blank."""
DIGIT = 2
"""Decimal digits (Nd) of all scripts, full-width ones too."""
LETTER = 4
"""Letters that are not Japanese, letter-like numbers (Nl), signs such as ㎡ and №, the underscore and its kin (Pc)."""
HIRAGANA = 8
KATAKANA = 16
"""Full and half width, with the prolonged sound mark."""
KANJI = 32
"""Ideographs of all planes, with 々, 〆, 〇, the radicals that PDF files have in their place; signs as ㍿ and ①."""
MARK = 64
"""What belongs to the character before it: categories M and Cf (but not U+200B, which parts words), skin tones."""
JOINER = 128
"""What may stand inside a number or a word: ``. , : / '`` and their full-width and typographic forms."""

WORD = LETTER | DIGIT
JAPANESE = HIRAGANA | KATAKANA | KANJI

JOINERS = ".,:/'’．，：／＇"

BASIC_PLANE = 0x10000

_HIRAGANA = ((0x3041, 0x3096), (0x309D, 0x309F), (0x1B001, 0x1B11F), (0x1B150, 0x1B152))
_KATAKANA = (
    (0x30A1, 0x30FA), (0x30FC, 0x30FF), (0x31F0, 0x31FF), (0xFF66, 0xFF9F),
    (0x1AFF0, 0x1AFFE), (0x1B000, 0x1B000), (0x1B120, 0x1B122), (0x1B155, 0x1B155), (0x1B164, 0x1B167),
)  # fmt: skip
_KANJI = (
    (0x2E80, 0x2FD5), (0x3005, 0x3007), (0x3021, 0x3029), (0x3038, 0x303B), (0x3400, 0x4DBF), (0x4E00, 0x9FFF),
    (0xF900, 0xFAD9), (0x20000, 0x323AF),
)  # fmt: skip
_SKIN_TONES = range(0x1F3FB, 0x1F400)
_HALFWIDTH_VOICING = range(0xFF9E, 0xFFA0)


def code_points(text: str) -> NDArray[np.uint32]:
    """Give the code points of a text, one a character.

    Returns
    -------
    uint32 (n,)
        Read-only. Half a surrogate pair is given as it is.

    Examples
    --------
    >>> code_points("a鮪😀").tolist()
    [97, 39850, 128512]
    """
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")


def character_flags(points: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """Give the flags of each code point.

    Parameters
    ----------
    points : uint32 (n,)
        As `code_points` gives them.

    Returns
    -------
    uint8 (n,)

    Examples
    --------
    >>> flags = character_flags(code_points("a1カ々 𠮷"))
    >>> [bool(f & JAPANESE) for f in flags]
    [False, False, True, True, False, True]
    """
    table = _basic_plane()
    if not len(points) or points.max() < BASIC_PLANE:
        return table[points]
    astral = np.flatnonzero(points >= BASIC_PLANE)
    flags = table[np.minimum(points, BASIC_PLANE - 1)]
    distinct, place = np.unique(points[astral], return_inverse=True)
    found = np.fromiter(map(_flags_of, distinct.tolist()), dtype=np.uint8, count=len(distinct))
    flags[astral] = found[place.reshape(-1)]
    return flags


def runs(mask: NDArray[np.bool_]) -> SpanArray:
    """Give the longest runs of true places.

    Examples
    --------
    >>> runs(np.array([True, True, False, True])).tolist()
    [[0, 2], [3, 4]]
    """
    padded = np.zeros(len(mask) + 2, dtype=np.bool_)
    padded[1:-1] = mask
    changes: IntArray = np.flatnonzero(padded[1:] != padded[:-1]).astype(np.int64, copy=False)
    return changes.reshape(-1, 2)


@lru_cache(maxsize=1)
def _basic_plane() -> NDArray[np.uint8]:
    """Build the flags of U+0000 to U+FFFF from the categories, in about 10 ms."""
    names = "".join(map(unicodedata.category, map(chr, range(BASIC_PLANE))))
    major, minor = np.frombuffer(names.encode("ascii"), dtype=np.uint8).reshape(-1, 2).T

    def of(first: str, second: str = "") -> NDArray[np.bool_]:
        is_first = np.isin(major, list(first.encode()))
        return is_first & np.isin(minor, list(second.encode())) if second else is_first

    table = np.zeros(BASIC_PLANE, dtype=np.uint8)
    table[of("Z") | of("C", "cf")] |= BLANK
    table[of("N", "d")] |= DIGIT
    table[of("L") | of("N", "l") | of("P", "c")] |= LETTER
    table[of("M") | of("C", "f")] |= MARK
    table[0x200B] &= ~np.uint8(MARK)
    for point in np.flatnonzero(of("S", "o") | of("N", "o")).tolist():
        table[point] |= _flags_of_spelled(chr(point))
    table[[ord(joiner) for joiner in JOINERS]] |= JOINER
    for flag, ranges in ((HIRAGANA, _HIRAGANA), (KATAKANA, _KATAKANA), (KANJI, _KANJI)):
        for first, last in ranges:
            if last < BASIC_PLANE:
                table[first : last + 1] = flag
    table[_HALFWIDTH_VOICING.start : _HALFWIDTH_VOICING.stop] |= MARK
    table.flags.writeable = False
    return table


def _flags_of_spelled(character: str) -> int:
    """Give the flags of a sign that stands for what is written with several characters, or in a circle.

    ``㎡`` and ``№`` are letters, as ``m2`` and ``No`` are; ``㍿``, ``㈱`` and ``①`` are words of their own, which as
    kanji they can be.
    """
    form, *_ = unicodedata.decomposition(character).split() or [""]
    spelled = unicodedata.normalize("NFKC", character)
    if form not in ("<square>", "<circle>", "<compat>") or not any(map(str.isalnum, spelled)):
        return 0
    is_ascii = spelled.replace("°", "").isascii() or (spelled.isalpha() and spelled < "\u3000")
    return LETTER if form != "<circle>" and spelled[0] != "(" and is_ascii else KANJI


def _flags_of(point: int) -> int:
    """Give the flags of one character beyond the basic plane."""
    category = unicodedata.category(chr(point))
    for flag, ranges in ((HIRAGANA, _HIRAGANA), (KATAKANA, _KATAKANA), (KANJI, _KANJI)):
        if any(first <= point <= last for first, last in ranges):
            return flag
    flags = 0
    if category[0] == "Z" or category in ("Cc", "Cf"):
        flags |= BLANK
    if category == "Nd":
        flags |= DIGIT
    if category[0] == "L" or category in ("Nl", "Pc"):
        flags |= LETTER
    if category[0] == "M" or category == "Cf" or point in _SKIN_TONES:
        flags |= MARK
    return flags or (_flags_of_spelled(chr(point)) if category in ("So", "No") else 0)
