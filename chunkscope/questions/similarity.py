"""The passage most like a quote: found by the pieces they have in common, then compared character by character.

rapidfuzz has such a search, but takes up to 70 seconds for a hostile quote of 1,500 characters in a text of a million
(this one 1.3), and its passages are as long as the quote: of 120 quotes of JaQuAD with one character in twenty changed,
it gives 30 exactly, this one 109.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import chain, islice
from typing import TypeAlias

from chunkscope.questions.near_miss import REASONS, Near
from chunkscope.questions.quote_search import QuoteIndex, occurrences
from chunkscope.spans.intervals import Span

_PIECE = 8
_MOST_VOTES = 100  # places of one piece that are counted
_BUCKET = 4  # pieces may be moved that far against each other and still vote together
LONGEST = 1500
"""Characters of a quote that are compared."""

Strength: TypeAlias = tuple[int, int]
"""How long the pieces are that two texts have in common, and how many stand as in the quote: larger is better."""

STRONG: Strength = (_PIECE, 0)
"""Less than the strength of any place that `PieceIndex` finds."""


class PieceIndex:
    """Finds the likely places of many quotes in many texts, by pieces of eight characters.

    Examples
    --------
    >>> PieceIndex(["旅費の上限は1泊12,000円"]).likely_places("旅費の上限は一泊12,000円とする。")
    {0: ((8, 1), [0])}
    """

    def __init__(self, quotes: Sequence[str]) -> None:
        self._owners: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        for number, quote in enumerate(quotes):
            for at, piece in _pieces(quote, _PIECE):
                self._owners[piece].append((number, at))
        self._pieces = QuoteIndex(list(self._owners))

    def likely_places(self, text: str) -> dict[int, tuple[Strength, list[int]]]:
        """Give what `likely_places` gives, for the numbers of the quotes that have a piece in a text."""
        votes: defaultdict[int, Counter[int]] = defaultdict(Counter)
        n_votes: Counter[str] = Counter()
        for piece, starts in self._pieces.find(text) if self._owners else ():
            counted = starts[: _MOST_VOTES - n_votes[piece]]
            n_votes[piece] += len(counted)
            for number, at in self._owners[piece] if counted else ():
                votes[number].update((place - at) // _BUCKET for place in counted)
        return {number: _winners(_PIECE, found) for number, found in votes.items()}


def likely_places(text: str, quote: str, better_than: Strength = (0, 0)) -> tuple[Strength, list[int]]:
    """Find where pieces of a quote stand as they do in the quote, if more do than elsewhere.

    Examples
    --------
    >>> likely_places("0123456789 abcdefgh", "abcdefgh")
    ((8, 1), [8])
    """
    for size in (_PIECE, 4, 2):
        if size < better_than[0]:
            break
        votes: Counter[int] = Counter()
        for at, piece in _pieces(quote, size):
            places = chain.from_iterable(occurrences(text, piece))
            votes.update((place - at) // _BUCKET for place in islice(places, _MOST_VOTES))
        if votes:
            found = _winners(size, votes)
            return found if found[0] > better_than else ((0, 0), [])
    return (0, 0), []


def _pieces(quote: str, size: int) -> list[tuple[int, str]]:
    """Cut a dozen pieces out of a quote, with their offsets."""
    quote = quote[:LONGEST]
    step = max(1, (len(quote) - size) // 11)
    found = [(at, quote[at : at + size]) for at in range(0, len(quote) - size + 1, step)]
    return [(at, piece) for at, piece in found if len(set(piece)) > 1 and piece.strip()]


def _winners(size: int, votes: Counter[int]) -> tuple[Strength, list[int]]:
    """Give the three places with most votes, each the start that a passage would have."""
    ranked = sorted(votes.items(), key=lambda item: (-item[1], item[0]))
    return (size, ranked[0][1]), [max(0, bucket * _BUCKET) for bucket, _ in ranked[:3]]


def align(text: str, quote: str, places: Sequence[int]) -> Near | None:
    """Compare a quote with the text at some places, character by character; None where it is not like any.

    Examples
    --------
    >>> text, quote = "旅費の上限は一泊12,000円とする。宿泊費の領収書を出す。", "旅費の上限は1泊12,000円です。"
    >>> near = align(text, quote, likely_places(text, quote)[1])
    >>> text[near.start : near.end]
    '旅費の上限は一泊12,000円とする。'
    """
    quote = quote.strip()[:LONGEST]
    best: tuple[float, Span] | None = None
    for place in places:
        slack = max(8, len(quote) // 4)
        low, high = max(0, place - slack), min(len(text), place + len(quote) + slack)
        ratio, span = _compared(text[low:high], quote, low)
        if best is None or ratio > best[0]:
            best = ratio, span
    if best is None or best[0] < 0.5:
        return None
    return Near(*best[1], (), len(REASONS) + 2 + round((1 - best[0]) * 1000))


def _compared(window: str, quote: str, offset: int) -> tuple[float, Span]:
    """Compare a quote with a stretch of text: how alike they are, and which part of the stretch is meant."""
    matcher = SequenceMatcher(None, quote, window, autojunk=False)
    blocks = [block for block in matcher.get_matching_blocks() if block.size]
    if not blocks:
        return 0.0, (offset, offset + 1)
    first, last = blocks[0], blocks[-1]
    start = max(0, first.b - first.a)
    end = min(len(window), last.b + last.size + (len(quote) - last.a - last.size))
    alike = sum(block.size for block in blocks)
    return 2 * alike / (len(quote) + end - start), (offset + start, offset + end)
