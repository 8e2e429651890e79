"""Why a quote is not found: what must be overlooked for it to match.

A text is folded: compatible characters, cases, dashes and quotation marks become one, and white space, invisible
characters and emphasis marks vanish. Where the folded quote stands in the folded text, the original passage is read
back through a map of offsets, and the smallest change that makes the two equal is the reason.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, chain, islice, pairwise
from typing import NamedTuple

from chunkscope.language import Text, say
from chunkscope.questions.quote_search import occurrences
from chunkscope.spans.intervals import Span

_BLOCK = 256  # characters that are folded at once

_LINE_END = re.compile(r"\r\n|\r")
_SPACE = re.compile(r"[\t\x0b\x0c\x1c-\x1f\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]")
_BLANKS = re.compile(r"\s+")
_INVISIBLE = re.compile(
    "[\xad\u034f\u061c\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff"
    "\U000e0100-\U000e01ef]"
)
_EMPHASIS = re.compile(r"[*_`\\]")
_RUN_BEHIND = re.compile(r"\*+|_+|`+")
_RUN_BEFORE = re.compile(r"(?:\*+|_+|`+)\Z")
_LONGEST_RUN = 8  # marks of emphasis in a row
_WAVES = dict.fromkeys(map(ord, "〜～∼∿˜"), "~")
_DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−－﹣⁃─━ーｰ"), "-")
_MARKS = {
    **dict.fromkeys(map(ord, "‘’‚‛′´ʼ＇"), "'"),
    **dict.fromkeys(map(ord, "“”„‟″«»〝〞〟＂"), '"'),
    ord("…"): "...",
}
_ALL_MARKS = {**_WAVES, **_DASHES, **_MARKS}


def _space(text: str) -> str:
    return _INVISIBLE.sub("", _SPACE.sub(" ", text))


class Reason(NamedTuple):
    """What can be overlooked between a quote and a passage."""

    name: str
    clause: Text
    overlook: Callable[[str], str]


# from the smallest change to the largest
REASONS: tuple[Reason, ...] = (
    Reason("line ends", say("line ends are normalised"), lambda text: _LINE_END.sub("\n", text)),
    Reason("NFC", say("NFC is applied"), lambda text: unicodedata.normalize("NFC", text)),
    Reason("white space", say("special white space and zero-width characters are ignored"), _space),
    Reason("wave dash", say("all wave dashes count as one"), lambda text: text.translate(_WAVES)),
    Reason("dashes", say("all dashes count as one"), lambda text: text.translate(_DASHES)),
    Reason("typographic marks", say("typographic marks count as plain ones"), lambda text: text.translate(_MARKS)),
    Reason("NFKC", say("NFKC is applied"), lambda text: unicodedata.normalize("NFKC", text)),
    Reason("case", say("case is ignored"), str.casefold),
    Reason("white space", say("runs of white space count as one space"), lambda text: _BLANKS.sub(" ", _space(text))),
    Reason("white space", say("white space is ignored"), lambda text: _BLANKS.sub("", _space(text))),
    Reason("emphasis", say("emphasis marks are ignored"), lambda text: _EMPHASIS.sub("", text)),
)
"""What can be overlooked, and how a text looks then."""


def fold_text(text: str) -> str:
    r"""Make texts equal that differ in what `REASONS` overlooks.

    Examples
    --------
    >>> fold_text("Ａ社の 「ＵＲＬ」\r\n10〜20") == fold_text("A社の「url」 10～20")
    True
    """
    plain = unicodedata.normalize("NFKC", text.translate(_ALL_MARKS)).casefold().translate(_ALL_MARKS)
    return _EMPHASIS.sub("", _BLANKS.sub("", _INVISIBLE.sub("", plain)))


class FoldedText:
    """A folded text that knows where each of its characters comes from.

    Parameters
    ----------
    text : str
        The original.

    Attributes
    ----------
    text : str
        What `fold_text` makes of it.

    Notes
    -----
    Blocks of the text are folded whole, which is fast, and their lengths kept; the characters of a block are traced
    only when a span in it is asked for. Blocks end where a letter's marks end, or folding would not join them.

    Examples
    --------
    >>> folded = FoldedText("５０ ㌔")
    >>> folded.text, folded.span(2, 4)
    ('50キロ', (3, 4))
    """

    def __init__(self, text: str) -> None:
        self._original = text
        self._blocks = [0]
        while (end := self._blocks[-1] + _BLOCK) < len(text):
            while end < len(text) and _attaches(text[end]):
                end += 1
            self._blocks.append(end)
        pieces = [fold_text(text[start:end]) for start, end in pairwise([*self._blocks, len(text)])]
        self._starts = [0, *accumulate(map(len, pieces))]
        self._traced: dict[int, list[Span]] = {}
        self.text = "".join(pieces)

    def span(self, start: int, end: int) -> Span:
        """Give the span of the original text that a folded span comes from."""
        return self._origin(start)[0], self._origin(end - 1)[1]

    def _origin(self, place: int) -> Span:
        # of blocks that start at one folded place, all but the last have vanished
        block = bisect_right(self._starts, place) - 1
        if block not in self._traced:
            self._traced[block] = self._trace(block)
        return self._traced[block][place - self._starts[block]]

    def _trace(self, block: int) -> list[Span]:
        start, end = [*self._blocks, len(self._original)][block : block + 2]
        origins: list[Span] = []
        for match in _clusters().finditer(self._original, start, end):
            origins += [match.span()] * _folded_length(match.group())
        return origins


@lru_cache(maxsize=1 << 16)
def _folded_length(cluster: str) -> int:
    return len(fold_text(cluster))


@lru_cache(maxsize=1)
def _clusters() -> re.Pattern[str]:
    """Compile what normalisation may join: a character and the marks, vowels or voicing signs behind it."""
    runs, start = [], None
    for point in range(0x300, 0x1F000):
        attaches = _attaches(chr(point))
        if attaches and start is None:
            start = point
        elif not attaches and start is not None:
            runs.append(f"{chr(start)}-{chr(point - 1)}")
            start = None
    marks = "".join(runs) + "\U000e0100-\U000e01ef"
    return re.compile(f"[^{marks}][{marks}]*|[{marks}]+")


def _attaches(character: str) -> bool:
    return (
        unicodedata.category(character)[0] == "M"
        or "\u1160" <= character <= "\u11ff"  # Hangul vowels and finals, which combine though they are letters
        or "\uff9e" <= character <= "\uffdc"  # half-width voicing marks and Hangul
        or "\ud7b0" <= character <= "\ud7fb"
    )


@dataclass(frozen=True)
class Near:
    """A passage that is like a quote.

    Attributes
    ----------
    start, end : int
        Its span in the original text.
    reasons : tuple of Reason
        What makes it equal to the quote; none where it is only similar.
    rank : int
        Smaller is nearer. Passages with a reason come before those without.
    seen : str or None
        What is seen of it on a page, where that is what is like the quote.
    """

    start: int
    end: int
    reasons: tuple[Reason, ...]
    rank: int
    seen: str | None = None

    @property
    def hint(self) -> Text:
        """The reasons in words, such as ``matches after NFC``."""
        names = [reason.name for reason in self.reasons]
        if names == ["NFC"]:
            return say("matches after NFC")
        if names == ["NFKC"]:
            return say("matches after NFKC")
        return say("matches if {clauses: and }", clauses=[reason.clause for reason in self.reasons])


def folded_matches(text: str, quote: str, folded: FoldedText, limit: int = 50) -> list[Near]:
    """Find the passages that differ from a quote only in what can be overlooked, nearest first.

    Parameters
    ----------
    text, quote : str
        Originals.
    folded : FoldedText
        That of the text.
    limit : int
        How many places to look at.

    Examples
    --------
    >>> text = "料金は１２０円です。税込みで１３２円。"
    >>> [(near.start, near.end, near.hint) for near in folded_matches(text, "132円", FoldedText(text))]
    [(14, 18, 'matches after NFKC')]
    """
    wanted = fold_text(quote)
    if not wanted:
        return []
    found: dict[Span, Near] = {}
    for place in islice(chain.from_iterable(occurrences(folded.text, wanted)), limit):
        near = _reason_at(text, quote, folded.span(place, place + len(wanted)))
        if near is not None:
            found.setdefault((near.start, near.end), near)
    return sorted(found.values(), key=lambda near: (near.rank, near.start))


def _reason_at(text: str, quote: str, span: Span) -> Near | None:
    """Find the smallest reason for a place, with the white space around it that the quote may hold."""
    start, end = span
    if fold_text(text[start:end]) != fold_text(quote):
        return None  # the quote begins or ends inside one character, such as ㌔
    candidates = [(left, right) for left in _reaches(text, start, -1) for right in _reaches(text, end, 1)]
    for rank, reason in enumerate(REASONS):
        wanted = reason.overlook(quote)
        for left, right in candidates:
            if reason.overlook(text[left:right]) == wanted:
                span = with_other_halves(text, left, right) if reason.name == "emphasis" else (left, right)
                return Near(*span, (reason,), rank)
    start, end = with_other_halves(text, start, end)
    return Near(start, end, _combined(text[start:end], quote), len(REASONS))


def with_other_halves(text: str, start: int, end: int) -> Span:
    """Take in the marks of emphasis at either end whose other half is inside.

    Examples
    --------
    >>> with_other_halves("use `name` or **both**", 5, 20)
    (4, 22)
    """
    behind = _RUN_BEHIND.match(text, end)
    if behind and text.count(behind.group(), start, end) % 2:
        end = behind.end()
    before = _RUN_BEFORE.search(text[max(0, start - _LONGEST_RUN) : start])
    if before and text.count(before.group(), start, end) % 2:
        start -= len(before.group())
    return start, end


def _reaches(text: str, place: int, step: int) -> list[int]:
    """Give a place, and those a few vanishing characters farther on."""
    places = [place]
    while len(places) < 5:
        character = text[place - 1 : place] if step < 0 else text[place : place + 1]
        if not character or fold_text(character):
            break
        place += step
        places.append(place)
    return places


def _combined(passage: str, quote: str) -> tuple[Reason, ...]:
    """Give the fewest reasons that make two texts equal together, by leaving out what is not needed."""
    needed = REASONS
    for reason in reversed(REASONS):
        fewer = tuple(kept for kept in needed if kept is not reason)
        if _overlook(passage, fewer) == _overlook(quote, fewer):
            needed = fewer
    return needed


def _overlook(text: str, reasons: Sequence[Reason]) -> str:
    # twice, because what one step makes, an earlier one may have to see: full-width dashes, half-width marks
    for reason in (*reasons, *reasons):
        text = reason.overlook(text)
    return text.strip() if any(reason.name == "white space" for reason in reasons) else text


def same_numbers(passage: str, quote: str) -> bool:
    """Tell whether two texts hold the same numbers, so that putting one for the other changes none.

    Examples
    --------
    >>> same_numbers("１２０円", "0120円"), same_numbers("10²", "102")
    (True, False)
    """
    return _numbers(passage) == _numbers(quote)


def _numbers(text: str) -> list[str]:
    # digits stay text, because Python refuses to make a number of more than some thousands of them
    plain = re.sub(r"\d", lambda digit: str(unicodedata.decimal(digit.group())), text)
    return [digits.lstrip("0") for digits in re.findall("[0-9]+", plain)]


def first_difference(passage: str, quote: str) -> tuple[int, Text] | None:
    """Say where a passage first differs from a quote, and what stands in each.

    Returns
    -------
    (int, Text) or None
        An offset in the passage, and words for the difference.

    Examples
    --------
    >>> first_difference("は\u00a0上昇", "は 上昇")
    (1, "the document has U+00A0 (NO-BREAK SPACE), the quote ' '")
    """
    place = next(
        (at for at, (ours, theirs) in enumerate(zip(passage, quote, strict=False)) if ours != theirs),
        min(len(passage), len(quote)),
    )
    ours, theirs = passage[place : place + 1], quote[place : place + 1]
    if not ours and not theirs:
        return None
    if not ours:
        return place, say("the quote goes on with {quoted}", quoted=name_character(theirs))
    if not theirs or _INVISIBLE.match(ours) or quote[place:] == passage[place + 1 :][: len(quote) - place]:
        return place, say("the document has {found}, which the quote lacks", found=name_character(ours))
    return place, say(
        "the document has {found}, the quote {quoted}", found=name_character(ours), quoted=name_character(theirs)
    )


def name_character(character: str) -> str:
    """Write a character so that it cannot be taken for one that looks like it.

    Examples
    --------
    >>> name_character("a"), name_character("～"), name_character("課")
    ("'a'", 'U+FF5E (FULLWIDTH TILDE)', "'課' (U+8AB2)")
    """
    if " " <= character < "\x7f":
        return repr(character)
    fallback = {"\n": "LINE FEED", "\r": "CARRIAGE RETURN", "\t": "TAB", "\0": "NULL"}.get(character, "")
    name = unicodedata.name(character, fallback)
    if name.startswith("CJK "):  # such names say no more than the number
        return f"{character!r} (U+{ord(character):04X})"
    return f"U+{ord(character):04X} ({name})" if name else f"U+{ord(character):04X}"
