"""How long the texts to index are, and what they weigh."""

from __future__ import annotations

from collections import Counter

from oracle.chunks import spans_of
from oracle.prepending import index_spans
from oracle.spans import is_blank
from oracle.units import Tape


def index_texts(texts, chunker):
    """Give the text that each chunk comes from, its spans to index, and whether nobody sees anything in it."""
    return [
        (text, index_spans(text, chunker, chunk.start, chunk.end), is_blank(text.text[chunk.start : chunk.end]))
        for text in texts
        for chunk in spans_of(text, chunker)
    ]


def index_lengths(found):
    """Count the texts of each length in characters, a line end behind each thing prepended."""
    return Counter(sum(b - a for a, b in spans) + len(spans) - 1 for _, spans, _ in found)


def count_tokens(found, unit, line_end):
    """Count the units of those that are not blank; `line_end` is how many a line end has."""
    texts = {text.name: text for text, _, _ in found}
    tapes = {name: Tape(text, unit) for name, text in texts.items()}
    total = 0
    for text, spans, blank in found:
        if not blank:
            used = tapes[text.name].used
            total += sum(used[b] - used[a] for a, b in spans) + line_end * (len(spans) - 1)
    return total
