"""Slow, obvious twins: double loops written from the rules, for the fast code to be held against."""

from __future__ import annotations


def pack_items(used, size, overlap):
    """Pack one group; `used[b]` is how many units begin before boundary b."""
    chunks, start, last = [], 0, len(used) - 1
    while start < last:
        end = start + 1
        for candidate in range(start + 1, last + 1):
            if used[candidate] - used[start] <= size:
                end = max(end, candidate)
        chunks.append([start, end])
        if end == last:
            break
        following = end
        if overlap:
            for candidate in range(end, start, -1):
                if used[end] - used[candidate] <= overlap and used[end + 1] - used[candidate] <= size:
                    following = candidate
        start = following
    return chunks


def pack_items_with_tails(positions, size, tail, keep_tail):
    """Pack one group in characters; the next chunk starts with the last `tail` characters."""
    chunks, start, reached, last = [], positions[0], 0, len(positions) - 1
    while reached < last:
        end = reached + 1
        for candidate in range(reached + 1, last + 1):
            if positions[candidate] - start <= size:
                end = max(end, candidate)
        chunks.append([start, positions[end]])
        if end == last:
            break
        candidates = [p for p in range(start + 1, positions[end] + 1) if positions[end] - p <= tail]
        if not keep_tail:
            candidates = [p for p in candidates if positions[end + 1] - p <= size]
        start = min(candidates, default=positions[end])
        reached = end
    return chunks


def split_items(positions, step_used, size):
    """Cut items above the size; every character is a step."""
    cuts = set(positions)
    for start, end in zip(positions[:-1], positions[1:], strict=True):
        here = start
        while step_used[end] - step_used[here] > size:
            fitting = [p for p in range(here + 1, end) if step_used[p] - step_used[here] <= size]
            here = max(fitting, default=here + 1)
            if here >= end:
                break
            cuts.add(here)
    return sorted(cuts)


def windows(length, size, overlap, keep_tail=False):
    """Fixed windows by the rule: the first chunk that reaches the end is the last."""
    step, chunks, start = size - overlap, [], 0
    while start < length:
        chunks.append([start, min(start + size, length)])
        if start + size >= length and not keep_tail:
            break
        start += step
    return chunks
