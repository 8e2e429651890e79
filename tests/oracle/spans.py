"""Spans, looked at one by one; a chunk is anything that begins with its start and its end."""

from __future__ import annotations

import unicodedata


def is_held(chunks, start, end):
    """Tell whether one chunk holds a span whole."""
    return any(chunk[0] <= start and end <= chunk[1] for chunk in chunks)


def is_held_by_two(chunks, start, end):
    """Tell whether two chunks that follow each other, and leave nothing out between them, hold a span."""
    pairs = [(one, other) for one, other in zip(chunks, chunks[1:], strict=False) if other[0] <= _tile_end(one)]
    return any(one[0] <= start and end <= other[1] for one, other in pairs)


def is_covered(chunks, start, end):
    """Tell whether each character of a span is in a chunk."""
    return all(any(chunk[0] <= place < _tile_end(chunk) for chunk in chunks) for place in range(start, end))


def _tile_end(chunk):
    """Where a chunk ends together with the white space that was stripped behind it."""
    return chunk[1] + getattr(chunk, "stripped", 0)


def overlaps(one, other):
    """Tell whether two spans share a character."""
    return one[0] < other[1] and other[0] < one[1]


def is_blank(text):
    """Tell whether nobody sees anything in a text."""
    return all(unicodedata.category(c)[0] == "Z" or unicodedata.category(c) in ("Cc", "Cf") for c in text)
