"""Every place where a quote occurs, for one quote or for thousands in one pass."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Hashes: TypeAlias = NDArray[np.uint64]

GRAM = 8
_FEW = 24
_TABLE_BITS = 22
_FACTOR = 0x9E3779B97F4A7C15  # odd, bits well mixed: 2**64 over the golden ratio


def occurrences(text: str, quote: str) -> list[int]:
    """Find all places of a quote, overlapping ones too.

    Examples
    --------
    >>> occurrences("ああああ", "ああ")
    [0, 1, 2]
    """
    found = []
    place = text.find(quote) if quote else -1
    while place >= 0:
        found.append(place)
        place = text.find(quote, place + 1)
    return found


class QuoteIndex:
    """Finds many quotes in many texts.

    Parameters
    ----------
    quotes : sequence of str
        Not empty ones. The same text may stand several times.

    Notes
    -----
    A few quotes are searched one after the other. Many are told apart by a hash of `GRAM` characters: one rolling
    hash of the text serves them all, so the time is that of one pass over the text, not one a quote.

    Examples
    --------
    >>> sorted(QuoteIndex(["あい", "いう"]).find("あいうあい"))
    [(0, 0), (0, 3), (1, 1)]
    """

    def __init__(self, quotes: Sequence[str]) -> None:
        self._owners: defaultdict[str, list[int]] = defaultdict(list)
        for number, quote in enumerate(quotes):
            self._owners[quote].append(number)
        long = [quote for quote in self._owners if len(quote) >= GRAM]
        if len(long) <= _FEW:
            long = []
        hashed = set(long)
        self._one_by_one = [quote for quote in self._owners if quote not in hashed]
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

    def find(self, text: str) -> Iterator[tuple[int, int]]:
        """Give the number of a quote and a place of it, for all quotes and places in no particular order."""
        for quote in self._one_by_one:
            for place in occurrences(text, quote):
                yield from ((owner, place) for owner in self._owners[quote])
        if not self._by_hash or len(text) < GRAM:
            return
        hashes = _rolling(text)
        likely = np.flatnonzero(self._table[_slots(hashes)])
        for place, key in zip(likely.tolist(), hashes[likely].tolist(), strict=True):
            for quote, at in self._by_hash.get(key, ()):
                if place >= at and text.startswith(quote, place - at):
                    yield from ((owner, place - at) for owner in self._owners[quote])


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
