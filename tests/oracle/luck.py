"""Expected splits: all phases of all documents, one after the other."""

from __future__ import annotations

from fractions import Fraction
from itertools import product


def expected_splits(questions, size, step):
    """Average over all phases of all documents; gives split entries, and split questions.

    `questions` are pairs of "any" or "all" and entries ``(document, document length, start, length)``.
    """
    entries = questions_split = Fraction(0)
    for match, needed in questions:
        for entry in needed:
            entries += Fraction(sum(not _is_held(entry, f, size, step) for f in range(step)), step)
        documents = sorted({entry[0] for entry in needed})
        n_split = 0
        for phases in product(range(step), repeat=len(documents)):
            phase = dict(zip(documents, phases, strict=True))
            whole = [_is_held(entry, phase[entry[0]], size, step) for entry in needed]
            n_split += not (any(whole) if match == "any" else all(whole))
        questions_split += Fraction(n_split, step ** len(documents))
    return float(entries), float(questions_split)


def _is_held(entry, phase, size, step):
    _, total, start, length = entry
    return total <= size or (start + phase) % step <= size - length
