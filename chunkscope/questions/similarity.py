"""The passage most like a quote: found by the pieces they have in common, then compared character by character."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import TypeAlias

from chunkscope.questions.near_miss import REASONS, Near
from chunkscope.spans.intervals import Span

PIECE = 8
MOST_VOTES = 100  # places of one piece that are counted
_BUCKET = 4  # pieces may be moved that far against each other and still vote together
_LONGEST = 1500  # characters of a quote that are compared


def most_similar(text: str, quote: str) -> Near | None:
    """Find the passage most like a quote, or None where nothing is like it.

    Notes
    -----
    Pieces of the quote that occur in the text vote for a place; only the places with most votes are compared
    character by character. The time is a few searches of the text, whatever its size.

    Examples
    --------
    >>> text = "旅費の上限は一泊12,000円とする。宿泊費の領収書を出す。"
    >>> near = most_similar(text, "旅費の上限は1泊12,000円です。")
    >>> text[near.start : near.end]
    '旅費の上限は一泊12,000円とする。'
    """
    return align(text, quote, likely_places(text, quote)[1])


Strength: TypeAlias = tuple[int, int]
"""How long the pieces are that two texts have in common, and how many stand as in the quote: larger is better."""


def likely_places(text: str, quote: str, better_than: Strength = (0, 0)) -> tuple[Strength, list[int]]:
    """Find where pieces of a quote stand as they do in the quote, if more do than elsewhere.

    Examples
    --------
    >>> likely_places("0123456789 abcdefgh", "abcdefgh")
    ((8, 1), [8])
    """
    for size in (PIECE, 4, 2):
        if size < better_than[0]:
            break
        votes: Counter[int] = Counter()
        for at, piece in sample_pieces(quote, size):
            place, left = text.find(piece), MOST_VOTES
            while place >= 0 and left:
                votes[bucket_of(place, at)] += 1
                place, left = text.find(piece, place + 1), left - 1
        if votes:
            strength = (size, max(votes.values()))
            return (strength, best_buckets(votes)) if strength > better_than else ((0, 0), [])
    return (0, 0), []


def sample_pieces(quote: str, size: int) -> list[tuple[int, str]]:
    """Cut a dozen pieces out of a quote, with their offsets.

    Examples
    --------
    >>> sample_pieces("abcdef", 4)
    [(0, 'abcd'), (1, 'bcde'), (2, 'cdef')]
    """
    quote = quote[:_LONGEST]
    step = max(1, (len(quote) - size) // 11)
    found = [(at, quote[at : at + size]) for at in range(0, len(quote) - size + 1, step)]
    return [(at, piece) for at, piece in found if len(set(piece)) > 1 and piece.strip()]


def best_buckets(votes: Counter[int]) -> list[int]:
    """Give the places with most votes, each the start that a passage would have."""
    return [max(0, bucket * _BUCKET) for bucket, _ in sorted(votes.items(), key=lambda item: (-item[1], item[0]))[:3]]


def bucket_of(place: int, at: int) -> int:
    """Say for which place a piece votes that stands at `place`, and at `at` in the quote."""
    return (place - at) // _BUCKET


def align(text: str, quote: str, places: Sequence[int]) -> Near | None:
    """Compare a quote with the text at some places, character by character; None where it is not like any."""
    quote = quote.strip()[:_LONGEST]
    best: tuple[float, Span] | None = None
    for place in places:
        slack = max(8, len(quote) // 4)
        low, high = max(0, place - slack), min(len(text), place + len(quote) + slack)
        ratio, span = _align(text[low:high], quote, low)
        if best is None or ratio > best[0]:
            best = ratio, span
    if best is None or best[0] < 0.5:
        return None
    return Near(*best[1], (), len(REASONS) + 1 + round((1 - best[0]) * 1000))


def _align(window: str, quote: str, offset: int) -> tuple[float, Span]:
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
