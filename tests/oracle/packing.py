"""Items packed up to the size: candidates are tried one by one."""

from __future__ import annotations


def pack_items(used, size, overlap):
    """Pack one group; `used[b]` is how many units begin before boundary b. Gives pairs of boundaries."""
    chunks, start, last = [], 0, len(used) - 1
    while start < last:
        end = start + 1
        for candidate in range(start + 1, last + 1):
            if used[candidate] - used[start] <= size:
                end = max(end, candidate)
        chunks.append((start, end))
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
        chunks.append((start, positions[end]))
        if end == last:
            break
        candidates = [p for p in range(start + 1, positions[end] + 1) if positions[end] - p <= tail]
        if not keep_tail:
            candidates = [p for p in candidates if positions[end + 1] - p <= size]
        start = min(candidates, default=positions[end])
        reached = end
    return chunks


def split_items(positions, step_used, size):
    """Cut items above the size at the last step that fits; every character is a step."""
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


def split_at_steps(positions, tape, size):
    """Cut items above the size at the last step of a unit that fits, again and again."""
    cuts = set(positions)
    for start, end in zip(positions[:-1], positions[1:], strict=True):
        while tape.used[end] - tape.used[start] > size and end - start > 1:
            steps = [p for p in tape.steps if start < p < end]
            first = [*steps, end][0]
            if tape.used[first] - tape.used[start] > size:
                # one step alone is above the size: it is cut between its characters
                steps = range(start + 1, first)
                if not steps:
                    start = first
                    cuts.add(start)
                    continue
            start = max([p for p in steps if tape.used[p] - tape.used[start] <= size], default=steps[0])
            cuts.add(start)
    return sorted(cuts)
