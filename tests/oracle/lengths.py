"""How long the texts to index are, and what they weigh."""

from __future__ import annotations

from collections import Counter

from oracle.chunks import spans_of
from oracle.prepending import index_spans
from oracle.spans import is_blank


def index_lengths(texts, chunker):
    """Count the chunks of each length in characters, a line end behind each thing prepended."""
    return Counter(
        sum(b - a + 1 for a, b in index_spans(text, chunker, chunk.start, chunk.end)) - 1
        for text in texts
        for chunk in spans_of(text, chunker)
    )


def count_tokens(texts, chunker, unit, line_end):
    """Count the units of the texts of chunks that are not blank; `line_end` is how many a line end has."""
    total = 0
    for text in texts:
        begins, _ = text.units[unit]
        for chunk in spans_of(text, chunker):
            if not is_blank(text.text[chunk.start : chunk.end]):
                spans = index_spans(text, chunker, chunk.start, chunk.end)
                total += sum(a <= begin < b for a, b in spans for begin in begins) + line_end * (len(spans) - 1)
    return total
