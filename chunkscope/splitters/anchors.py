"""Where in a text something stands, however long the text and however many ask: an index of short runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from chunkscope.questions.quote_search import shared_length
from chunkscope.spans.intervals import IntArray
from chunkscope.structure.characters import code_points

GRAM = 12
STRIDE = 8
"""Every so many characters of the text, a run of `GRAM` characters is known."""

SHORTEST = GRAM + STRIDE - 1
"""A run of so many characters holds a known one, wherever it begins."""

MOST = 64
"""How many places of a run are looked at: what stands oftener is boilerplate, and order decides."""

_FEW = 8  # places of one run that may begin a segment
_DIAGONALS = 12  # ways of laying a piece over the text that are looked at
_TABLE_BITS = 22
_FACTOR = 0x9E3779B97F4A7C15  # odd, bits well mixed: 2**64 over the golden ratio

Hashes: TypeAlias = NDArray[np.uint64]


class Segment(NamedTuple):
    """A part of a piece that stands in the text: ``piece[start:end] == text[place : place + end - start]``."""

    start: int
    end: int
    place: int

    @property
    def length(self) -> int:
        """Characters that are alike."""
        return self.end - self.start


class Anchors:
    """Finds long runs of a text.

    Parameters
    ----------
    text : str

    Examples
    --------
    >>> anchors = Anchors("It was a bright cold day in April, and the clocks were striking thirteen.")
    >>> anchors.places("day in April, and the clocks", 0), anchors.places("day in May, and the clocks", 0)
    ([21], [])
    """

    def __init__(self, text: str) -> None:
        self.text = text
        hashes = _hashes(text)[::STRIDE]
        order = np.argsort(hashes, kind="stable")
        self._places = order * STRIDE
        ordered = hashes[order]
        is_new = np.ones(len(ordered), dtype=np.bool_)
        np.not_equal(ordered[1:], ordered[:-1], out=is_new[1:])
        self._firsts = np.append(np.flatnonzero(is_new), len(ordered))
        self._distinct = ordered[is_new]
        self._is_likely = np.zeros(1 << _TABLE_BITS, dtype=np.bool_)
        self._is_likely[_slots(self._distinct)] = True

    def places(self, needle: str, near: int) -> list[int]:
        """Give the places of a run of at least `SHORTEST` characters, in order: at most about `MOST`, nearest first."""
        # of STRIDE runs in a row, one is known wherever the needle stands; of three such rows the rarest will do
        rows: list[list[int]] = []
        for start in sorted({0, len(needle) - SHORTEST, (len(needle) - SHORTEST) // 2}):
            rows.append(self._known(needle[start : start + SHORTEST], start, near))
            if not rows[-1]:
                return []
        found = {place for place in min(rows, key=len) if place >= 0 and self.text.startswith(needle, place)}
        return sorted(found)

    def _known(self, row: str, start: int, near: int) -> list[int]:
        """Give where a needle may start of which a row of runs begins at `start`."""
        found: list[int] = []
        for offset, low, high in self._lookup(row):
            some = _nearest(self._places, low, high, near + start + offset, MOST)
            found += (self._places[some] - (start + offset)).tolist()
        return found

    def _lookup(self, piece: str) -> list[tuple[int, int, int]]:
        """Give the offsets of a piece at which a known run begins, and the range of its places."""
        hashes = _hashes(piece)
        likely = np.flatnonzero(self._is_likely[_slots(hashes)])
        if not len(likely):
            return []
        wanted = hashes[likely]
        numbers = np.minimum(np.searchsorted(self._distinct, wanted), len(self._distinct) - 1)
        is_known = self._distinct[numbers] == wanted
        likely, numbers = likely[is_known], numbers[is_known]
        return list(
            zip(likely.tolist(), self._firsts[numbers].tolist(), self._firsts[numbers + 1].tolist(), strict=True)
        )

    def segments(self, piece: str, near: int) -> list[Segment]:
        """Find the parts of a piece that stand in the text: longest first, and of equal ones those near a place first.

        Parts of less than `SHORTEST` characters may be missed; of parts that overlap each is given.
        """
        hits = [
            (offset, int(place))
            for offset, low, high in self._lookup(piece)
            for place in self._places[_nearest(self._places, low, high, near + offset, _FEW)].tolist()
        ]
        if not hits:
            return []
        offsets = np.array([offset for offset, _ in hits], dtype=np.int64)
        diagonals = np.array([place for _, place in hits], dtype=np.int64) - offsets
        found = {
            segment
            for diagonal in _likeliest(diagonals, near)
            for segment in self._on(piece, diagonal, offsets[diagonals == diagonal])
        }
        return sorted(found, key=lambda segment: (-segment.length, abs(segment.place - segment.start - near), segment))

    def _on(self, piece: str, diagonal: int, offsets: IntArray) -> Iterator[Segment]:
        """Extend known runs of one diagonal as far as piece and text are alike."""
        behind = 0
        for offset in sorted(offsets.tolist()):
            if offset < behind:
                continue
            behind = offset + shared_length(piece, offset, self.text, offset + diagonal)
            if behind - offset < GRAM:
                behind = 0  # two runs of one hash
                continue
            floor = max(0, -diagonal)
            before = piece[floor:offset][::-1]
            length = shared_length(before, 0, self.text[floor + diagonal : offset + diagonal][::-1], 0)
            yield Segment(offset - length, behind, offset - length + diagonal)


def _nearest(places: IntArray, low: int, high: int, near: int, most: int) -> slice:
    """Narrow a range of places that are in order to those nearest to one."""
    if high - low > most:
        middle = low + int(np.searchsorted(places[low:high], near))
        low = max(low, min(middle - most // 2, high - most))
        high = low + most
    return slice(low, high)


def _likeliest(diagonals: IntArray, near: int) -> list[int]:
    found, votes = np.unique(diagonals, return_counts=True)
    order = np.lexsort((np.abs(found - near), -votes))[:_DIAGONALS]
    likeliest: list[int] = found[order].tolist()
    return likeliest


_STEPS = [np.uint64(pow(_FACTOR, span, 1 << 64)) for span in (1, 2, 4)]


def _hashes(text: str) -> Hashes:
    """Hash each run of `GRAM` characters, by doubling: 1, 2, 4, 8, and 4 more."""
    if len(text) < GRAM:
        return np.empty(0, dtype=np.uint64)
    one = code_points(text) * np.uint64(_FACTOR)
    two = one[:-1] * _STEPS[0] + one[1:]
    four = two[:-2] * _STEPS[1] + two[2:]
    eight = four[:-4] * _STEPS[2] + four[4:]
    return eight[:-4] * _STEPS[2] + four[8:]


def _slots(hashes: Hashes) -> NDArray[np.intp]:
    return (hashes >> np.uint64(64 - _TABLE_BITS)).astype(np.intp)
