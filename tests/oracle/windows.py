"""Fixed windows, over characters or tokens."""

from __future__ import annotations


def windows(length, size, overlap, keep_tail=False):
    """Lay windows by the rule: the first that reaches the end is the last, or every start below the end has one."""
    found, start = [], 0
    while start < length:
        found.append((start, min(start + size, length)))
        if start + size >= length and not keep_tail:
            break
        start += size - overlap
    return found
