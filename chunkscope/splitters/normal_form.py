r"""A text as splitters may change it, and the way back.

Splitters strip and join white space, change line ends, delete tabs, normalise, and tear characters. In a *normal form*
all these texts are one: compatible characters are decomposed (NFKD), and white space, control and invisible
characters and U+FFFD vanish. Decomposed, and not composed, because the form of a slice is then a slice of the form,
wherever the cut is. Two coarser forms are for the few pieces that are not found so: the *folded* one knows no case, and
the *letters* of a text know no punctuation, tags and targets of links either, for splitters that take markup out.

Twin: tests/oracle/alignment.py
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from chunkscope.questions.quote_search import occurrences
from chunkscope.spans.intervals import IntArray, expand
from chunkscope.structure.characters import code_points

BROKEN = "\ufffd"
"""What a decoder writes for bytes that are no character: a token boundary has torn one."""

FULL_STOPS = ".。．｡"

_BASIC_PLANE = 0x10000
_FAR_FORMATS = (
    "\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0001\U000e0020-\U000e007f"
)
_FAR_SYMBOLS = "\U0001d100-\U0001d164\U0001f000-\U0001faff\U000e0100-\U000e01ef"

_MARKUP = re.compile(
    r"""
    <(?P<hidden>script|style)\b[^<>]*+>
    | (?P<comment><!--)
    | <[!/?A-Za-z][^<>]*+>
    | (?P<link>\]\([^()\r\n]*+(?:\([^()\r\n]*+\)[^()\r\n]*+)*+\))
    | (?P<entity>&(?:\#[0-9]{1,7}|\#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});)
    """,
    re.VERBOSE | re.IGNORECASE,
)


def _vanishes(character: str) -> bool:
    return unicodedata.category(character) in {"Zs", "Zl", "Zp", "Cc", "Cf"} or character == BROKEN


def _is_mark(character: str) -> bool:
    return unicodedata.category(character)[0] not in "LNM" or "\ufe00" <= character <= "\ufe0f"


def _class_of(belongs: Callable[[str], bool], far: str) -> re.Pattern[str]:
    near = "".join(re.escape(chr(point)) for point in range(_BASIC_PLANE) if belongs(chr(point)))
    return re.compile(f"[{near}{far}]+")


@lru_cache(maxsize=1)
def vanishing() -> re.Pattern[str]:
    """Compile a run of characters that have no place in a normal form: white space, control, format, U+FFFD."""
    return _class_of(_vanishes, _FAR_FORMATS)


@lru_cache(maxsize=1)
def _marks() -> re.Pattern[str]:
    """Compile a run of characters that are no letters, digits, or what combines with these."""
    return _class_of(_is_mark, _FAR_FORMATS + _FAR_SYMBOLS)


def normal_form(text: str) -> str:
    r"""Reduce a text to what splitters leave of it.

    Examples
    --------
    >>> normal_form("Ａ社の\r\n\u300010 %\ufffd") == normal_form("A社の 10%")
    True
    """
    # most of what vanishes is white space; looking for the rest by a pattern is slow, and seldom needed
    dense = "".join(unicodedata.normalize("NFKD", text).split())
    return dense if dense.isprintable() and BROKEN not in dense else vanishing().sub("", dense)


def folded(text: str) -> str:
    """Reduce a text to its normal form, whatever the case of its letters.

    Examples
    --------
    >>> folded("The END")
    'theend'
    """
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return vanishing().sub("", decomposed)


def letters(text: str) -> str:
    """Reduce a text to its letters and digits, whatever their case, without markup.

    Examples
    --------
    >>> letters("See **the** [Docs](https://example.org)."), letters("| SEE | the docs |")
    ('seethedocs', 'seethedocs')
    """
    parts, place = [], 0
    for start, end, seen in _hidden(text):
        parts += [text[place:start], seen]
        place = end
    return _marks().sub("", folded("".join([*parts, text[place:]])))


def _hidden(text: str) -> Iterator[tuple[int, int, str]]:
    """Give what is seen otherwise on a page, in order: start, end, and the character that is seen there."""
    place, behind = 0, {"hidden": True, "comment": True}
    while match := _MARKUP.search(text, place):
        start, end = match.span()
        seen = ""
        if match["hidden"] and behind["hidden"]:
            close = re.compile(rf"</{match['hidden']}\s*+>", re.IGNORECASE).search(text, end)
            behind["hidden"] = close is not None  # searched for once in vain
            end = close.end() if close else end
        elif match["comment"]:
            close_at = text.find("-->", end) if behind["comment"] else -1
            behind["comment"] = close_at >= 0
            end = close_at + 3 if close_at >= 0 else end
        elif match["entity"]:
            seen = html.unescape(match["entity"])
            if len(seen) != 1:
                place = end
                continue
        yield start, end, seen
        place = end


class Form:
    """A text in which pieces are looked for; offsets in it are *places*.

    This one is the text itself.

    Attributes
    ----------
    name : str
    text : str

    Examples
    --------
    >>> form = Form("one two one")
    >>> form.first("one", 1, 8), form.last("one", 0, 8), form.first("one", 1, 7)
    (8, 8, -1)
    """

    name = "text"

    def __init__(self, text: str) -> None:
        self.text = text

    def reduce(self, piece: str) -> str:
        """Put a piece into this form."""
        return piece

    def place(self, offset: int) -> int:
        """Give the place of the first character that stands at an offset of the text or behind it."""
        return offset

    def start(self, place: int) -> int:
        """Give the offset of the text at which a place begins."""
        return place

    def end(self, place: int) -> int:
        """Give the offset of the text at which what stands before a place ends."""
        return place

    def is_whole(self, start: int, end: int) -> bool:
        """Tell whether characters of the text begin and end at these places."""
        return True

    def first(self, needle: str, low: int, high: int) -> int:
        """Give the first place from `low` to `high` at which a needle starts, -1 where there is none."""
        low = max(low, 0)
        place = self.text.find(needle, low, max(high, -1) + len(needle))
        while place >= 0 and not self.is_whole(place, place + len(needle)):
            place = self.text.find(needle, place + 1, high + len(needle))
        return place

    def last(self, needle: str, low: int, high: int) -> int:
        """Give the last place from `low` to `high` at which a needle starts, -1 where there is none."""
        low, width = max(low, 0), max(4 * len(needle), 1024)
        if low <= high and self.text.startswith(needle, high) and self.is_whole(high, high + len(needle)):
            return high
        # from the end, in parts that double, because most of the time it stands near the end
        while low <= high:
            start = max(low, high - width)
            found = self._last_in(needle, start, high)
            if found >= 0:
                return found
            high, width = start - 1, width * 2
        return -1

    def _last_in(self, needle: str, low: int, high: int) -> int:
        found = -1
        for places in occurrences(self.text[low : high + len(needle)], needle):
            for place in reversed(places):
                if self.is_whole(low + place, low + place + len(needle)):
                    found = low + place
                    break
        return found


class ReducedForm(Form):
    r"""A text in one of its forms, with the way back.

    Parameters
    ----------
    text : str
    name : str
        "normal", "folded" or "letters".

    Examples
    --------
    >>> form = ReducedForm("１２\t㌔ 走る", "normal")
    >>> form.text, form.start(2), form.end(5)
    ('12キロ走る', 3, 6)
    """

    def __init__(self, text: str, name: str) -> None:
        self.name = name
        points = code_points(text).copy()
        kept = np.ones(len(points), dtype=np.bool_)
        if name == "letters":
            for start, end, seen in _hidden(text):
                kept[start + len(seen) : end] = False
                points[start : start + len(seen)] = [ord(character) for character in seen]
        self.dropped = _marks() if name == "letters" else vanishing()
        fold = _decomposed if name == "normal" else _decomposed_fold
        written, origins = _expanded(points, fold)
        is_dropped = _looked_up(written, lambda character: int(self.dropped.match(character) is not None))
        is_kept = (is_dropped == 0) & kept[origins]
        self.text = written[is_kept].astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
        self._origins: NDArray[np.int32] = np.append(origins[is_kept], len(points)).astype(np.int32)
        self._at = self._origins.item
        self._search = self._origins[:-1].searchsorted

    def reduce(self, piece: str) -> str:
        """Put a piece into this form."""
        return _REDUCING[self.name](piece)

    def place(self, offset: int) -> int:
        """Give the place of the first character that stands at an offset of the text or behind it."""
        return int(self._search(np.int32(offset)))

    def start(self, place: int) -> int:
        """Give the offset of the text at which a place begins."""
        return self._at(place)

    def end(self, place: int) -> int:
        """Give the offset of the text at which what stands before a place ends."""
        return self._at(place - 1) + 1 if place else 0

    def is_whole(self, start: int, end: int) -> bool:
        """Tell whether characters of the text begin and end at these places."""
        at = self._at
        return (start == 0 or at(start - 1) != at(start)) and (end == 0 or at(end) != at(end - 1))


_REDUCING = {"normal": normal_form, "folded": folded, "letters": letters}


def _decomposed(character: str) -> str:
    return unicodedata.normalize("NFKD", character)


def _decomposed_fold(character: str) -> str:
    return _decomposed(_decomposed(character).casefold())


def _expanded(points: NDArray[np.uint32], fold: Callable[[str], str]) -> tuple[NDArray[np.uint32], IntArray]:
    """Decompose characters, with marks in their canonical order; and say where each comes from."""
    distinct, numbers = _numbered(points)
    folded = [fold(chr(point)) for point in distinct]
    lengths = np.array([len(part) for part in folded], dtype=np.int64)
    if (lengths == 1).all():
        single = np.array([ord(part) for part in folded], dtype=np.uint32)
        written, origins = single[numbers], np.arange(len(points))
    else:
        starts = np.cumsum(lengths) - lengths
        origins, within = expand(lengths[numbers])
        written = code_points("".join(folded))[starts[numbers[origins]] + within]
    _put_marks_in_order(written, origins)
    return written, origins


def _put_marks_in_order(written: NDArray[np.uint32], origins: IntArray) -> None:
    """Sort each run of combining marks by class, in place, as normalisation does."""
    classes = _looked_up(written, unicodedata.combining)
    falls = np.flatnonzero((classes[1:] < classes[:-1]) & (classes[1:] > 0)) + 1
    behind = 0
    for fall in falls.tolist():
        if fall < behind:
            continue
        start, behind = fall, fall
        while start > 0 and classes[start - 1]:
            start -= 1
        while behind < len(classes) and classes[behind]:
            behind += 1
        order = np.argsort(classes[start:behind], kind="stable")
        written[start:behind] = written[start:behind][order]
        origins[start:behind] = origins[start:behind][order]


def _looked_up(points: NDArray[np.uint32], value: Callable[[str], int]) -> NDArray[np.uint8]:
    """Give a value of each character, asked for once each."""
    distinct, numbers = _numbered(points)
    values = np.array([value(chr(point)) for point in distinct], dtype=np.uint8)
    return values[numbers]


def _numbered(points: NDArray[np.uint32]) -> tuple[list[int], NDArray[np.int32]]:
    """Give the characters that occur, each once, and the number of each place among them."""
    size = int(points.max(initial=0)) + 1
    is_there = np.zeros(size, dtype=np.bool_)
    is_there[points] = True
    found = np.flatnonzero(is_there)
    numbers = np.zeros(size, dtype=np.int32)
    numbers[found] = np.arange(len(found))
    return found.tolist(), numbers[points]
