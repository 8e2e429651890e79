"""Every place where a quote occurs, for one quote or for thousands in one pass, and how to quote one place only."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Hashes: TypeAlias = NDArray[np.uint64]

REACH = 1000
"""How far a quote may be extended on either side. Beyond that, a pair of offsets says it better."""

GRAM = 8
_FEW = 24
_TABLE_BITS = 22
_FACTOR = 0x9E3779B97F4A7C15  # odd, bits well mixed: 2**64 over the golden ratio


def occurrences(text: str, quote: str, start: int = 0) -> Iterator[range]:
    """Find all places of a quote, overlapping ones too, in order; places of equal distance come as one range.

    Notes
    -----
    A quote that stands again within its first half repeats itself, and its next places follow from how far the text
    goes on repeating. So there are at most ``2 * len(text) / len(quote) + 1`` ranges and twice as many searches.

    Examples
    --------
    >>> list(occurrences("ああああ。ああ", "ああ"))
    [range(0, 3), range(5, 6)]
    """
    place = text.find(quote, start) if quote else -1
    while place >= 0:
        following = text.find(quote, place + 1)
        step = following - place
        if following < 0 or 2 * step > len(quote):
            yield range(place, place + 1)
            place = following
        else:
            end = following + len(quote)
            last = following + shared_length(text, end, text, end - step) // step * step
            yield range(place, last + 1, step)
            place = text.find(quote, last + 1)


def shared_length(one: str, at: int, other: str, other_at: int) -> int:
    """Count the characters that two texts have in common from two places on.

    Examples
    --------
    >>> shared_length("開場は九時", 2, "閉場は五時", 2)
    1
    """
    most = min(len(one) - at, len(other) - other_at)
    shared, stride, is_growing = 0, 8, True
    while shared < most and stride:
        # characters beyond the shorter text are left out: a cut slice would be found to be equal
        width = min(stride, most - shared)
        is_equal = other.startswith(one[at + shared : at + shared + width], other_at + shared)
        shared += width if is_equal else 0
        is_growing = is_growing and is_equal
        stride = stride * 2 if is_growing else stride // 2
    return shared


class QuoteIndex:
    """Finds many quotes in many texts.

    Parameters
    ----------
    quotes : sequence of str
        Not empty ones; those that are alike are one.

    Notes
    -----
    A few quotes are searched one after the other. Many are distinguished by a hash of `GRAM` characters: one rolling
    hash of the text serves them all, so the time is that of one pass over the text, not one a quote.

    Examples
    --------
    >>> list(QuoteIndex(["あい", "いう"]).find("あいうあい"))
    [('あい', range(0, 1)), ('あい', range(3, 4)), ('いう', range(1, 2))]
    """

    def __init__(self, quotes: Sequence[str]) -> None:
        distinct = dict.fromkeys(quotes)
        long = [quote for quote in distinct if len(quote) >= GRAM]
        if len(long) <= _FEW:
            long = []
        hashed = set(long)
        self._one_by_one = [quote for quote in distinct if quote not in hashed]
        self._by_hash: defaultdict[int, list[tuple[str, int]]] = defaultdict(list)
        if long:
            self._fill(long)

    def _fill(self, quotes: Sequence[str]) -> None:
        # of three grams of a quote, the one that the fewest share: many quotes begin with the same blanks or bars
        offsets = {quote: (0, (len(quote) - GRAM) // 2, len(quote) - GRAM) for quote in quotes}
        shared = Counter(quote[at : at + GRAM] for quote in quotes for at in offsets[quote])
        for quote in quotes:
            at = min(offsets[quote], key=lambda at: shared[quote[at : at + GRAM]])
            key = int(_rolling(quote[at : at + GRAM])[0])
            self._by_hash[key].append((quote, at))
        self._table = np.zeros(1 << _TABLE_BITS, dtype=np.bool_)
        self._table[_slots(np.array(list(self._by_hash), dtype=np.uint64))] = True

    def find(self, text: str) -> Iterator[tuple[str, range]]:
        """Give quotes and places of them as `occurrences` does, the places of each quote in order."""
        for quote, places in self._find(text):
            yield from ((quote, some) for some in places)

    def find_first(self, text: str) -> Iterator[tuple[str, int]]:
        """Give each quote that stands in a text once, with its first place."""
        for quote, places in self._find(text):
            first = next(places, None)
            if first is not None:
                yield quote, first[0]

    def _find(self, text: str) -> Iterator[tuple[str, Iterator[range]]]:
        for quote in self._one_by_one:
            yield quote, occurrences(text, quote)
        if not self._by_hash or len(text) < GRAM:
            return
        hashes = _rolling(text)
        likely = np.flatnonzero(self._table[_slots(hashes)])
        hits: defaultdict[int, list[int]] = defaultdict(list)
        for place, key in zip(likely.tolist(), hashes[likely].tolist(), strict=True):
            if key in self._by_hash:
                hits[key].append(place)
        for key, found in hits.items():
            for quote, at in self._by_hash[key]:
                yield quote, _verified(text, quote, found, at)


def _verified(text: str, quote: str, hits: Sequence[int], at: int) -> Iterator[range]:
    """Give the places of a quote from those of its gram at `at`, in no more than a pass over the text."""
    if len(hits) * len(quote) > len(text):
        return occurrences(text, quote, max(0, hits[0] - at))
    places = (hit - at for hit in hits)
    return (range(place, place + 1) for place in places if place >= 0 and text.startswith(quote, place))


def _rolling(text: str) -> Hashes:
    """Hash each run of `GRAM` characters, by doubling: 1, 2, 4, 8."""
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    hashes = points.astype(np.uint64) * np.uint64(_FACTOR)
    span, power = 1, _FACTOR
    while span < GRAM:
        hashes = hashes[:-span] * np.uint64(power) + hashes[span:]
        span, power = span * 2, power * power % (1 << 64)
    return hashes


def _slots(hashes: Hashes) -> NDArray[np.intp]:
    return (hashes >> np.uint64(64 - _TABLE_BITS)).astype(np.intp)


class Context(NamedTuple):
    """What stands before and behind a place, up to `REACH` characters."""

    before: str
    after: str

    @classmethod
    def of(cls, text: str, start: int, end: int) -> Context:
        """Cut the context of a span out of its text."""
        return cls(text[max(0, start - REACH) : start], text[end : end + REACH])


def unique_extension(contexts: Sequence[Context], place: int) -> tuple[int, int] | None:
    """Say how far to extend a quote to both sides so that it stands at one place only.

    Parameters
    ----------
    contexts : sequence of Context
        Those of all places of the quote.
    place : int
        Which of them is meant.

    Returns
    -------
    (int, int) or None
        Characters to add on the left and on the right, fewest in sum, on the left as few as can be; None where
        `REACH` characters do not suffice.

    Notes
    -----
    An extension separates the place from another one if it goes farther than what both have in common, on the left or
    on the right. So only the lengths in common matter, and for each choice of left the right follows.

    Examples
    --------
    >>> text = "朝食は七時。昼食は七時。"
    >>> unique_extension([Context.of(text, 2, 5), Context.of(text, 8, 11)], 1)
    (2, 0)
    """
    mine = contexts[place]
    common = [
        (
            shared_length(mine.before[::-1], 0, other.before[::-1], 0),
            shared_length(mine.after, 0, other.after, 0),
        )
        for number, other in enumerate(contexts)
        if number != place
    ]
    best: tuple[int, int] | None = None
    for left in sorted({0, *(before + 1 for before, _ in common)}):
        right = max((after + 1 for before, after in common if before >= left), default=0)
        fits = left <= len(mine.before) and right <= len(mine.after)
        if fits and (best is None or left + right < sum(best)):
            best = left, right
        if best is not None and left >= sum(best):
            break
    return best
