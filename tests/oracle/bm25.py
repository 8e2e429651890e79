"""BM25, chunk by chunk: its words are taken from its spans, its scores added up term by term."""

from __future__ import annotations

import math


def terms_of_chunk(words, spans):
    """Give the terms of the words ``(start, end, term)`` that lie whole in the spans, span by span."""
    return [term for a, b in spans for start, end, term in words if a <= start and end <= b]


def scores(terms, is_blank, question, k1=1.5, b=0.75):
    """Score each chunk, given as its terms, for the terms of a question; blank chunks are no part of the index."""
    indexed = [number for number in range(len(terms)) if not is_blank[number]]
    mean = sum(len(terms[number]) for number in indexed) / max(len(indexed), 1)
    found = [0.0] * len(terms)
    for term in question:
        df = sum(term in terms[number] for number in indexed)
        for number in indexed:
            tf = terms[number].count(term)
            if tf:
                idf = math.log(1 + (len(indexed) - df + 0.5) / (df + 0.5))
                found[number] += idf * tf / (tf + k1 * (1 - b + b * len(terms[number]) / mean))
    return found
