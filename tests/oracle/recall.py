"""Recall, question by question: what is returned, at which rank it answers, and why it does not."""

from __future__ import annotations

import math
from fractions import Fraction

from oracle.chunks import cut, spans_of
from oracle.prepending import index_spans
from oracle.spans import is_blank, is_held, overlaps
from oracle.tables import rows_with_header

CAUSES = ["not_indexed", "not_embedded", "split", "header_lost", "below"]


def all_chunks(texts, chunker):
    """Give all chunks, as (name of the text, start, end), text by text."""
    return [(text.name, *window[:2]) for text in texts for window in spans_of(text, chunker)]


def returned(texts, chunker, what, number=None):
    """Give what is returned for each chunk of `all_chunks`, in the same form; `what` is None for chunks themselves."""
    found = []
    for text in texts:
        chunks = [window[:2] for window in spans_of(text, chunker)]
        sections = sorted({0, *(heading.start for heading in text.headings), len(text.text)})
        parents = [
            window[:2]
            for window in (cut(text, chunker._replace(size=number, overlap=0)) if what == "parent" else [])
            if window.has_span
        ]
        for place, (start, end) in enumerate(chunks):
            span = (start, end)
            if what == "section":
                span = max(s for s in sections if s <= start), min(s for s in sections if s > start)
            elif what == "parent" and parents:
                # a character that raw windows tear is in none of them
                span = next((parent for parent in parents if start < parent[1]), parents[-1])
            elif what == "neighbours":
                span = _joined(text.text, chunks, place, number)
            found.append((text.name, *span))
    return found


def _joined(text, chunks, place, number):
    first = last = place
    for _ in range(number):
        if first and is_blank(text[chunks[first - 1][1] : chunks[first][0]]):
            first -= 1
        if last + 1 < len(chunks) and is_blank(text[chunks[last][1] : chunks[last + 1][0]]):
            last += 1
    return chunks[first][0], chunks[last][1]


def in_index(texts, chunks, allowed):
    """Tell of each chunk whether it is in the index: of a text that may be found, and not blank."""
    by_name = {text.name: text.text for text in texts}
    return [name in allowed and not is_blank(by_name[name][start:end]) for name, start, end in chunks]


def rank_returns(order, returns):
    """Give chunks by rank so that what several return is there once, with the first of them."""
    seen, found = set(), []
    for chunk in order:
        if returns[chunk] not in seen:
            seen.add(returns[chunk])
            found.append(chunk)
    return found


def needs(texts, chunker, entry, judgement):
    """Give what has to be held for one entry, each by one return: spans of its text, each with what lacks without it."""
    start, end = entry.start, entry.end
    if judgement == "start":
        return [((start, start + 1), "split")]
    found = [((start, end), "split")]
    if judgement == "answered":
        text = next(text for text in texts if text.name == entry.document)
        for table, row in rows_with_header(text):
            if overlaps(row, (start, end)):
                head = row[0] if "table-header" in chunker.prepend else table.header[0][0]
                found.append(((head, row[1]), "header_lost"))
    return found


def meets(returns, chunk, entry, span):
    """Tell whether what a chunk returns holds a span of the text of an entry."""
    return returns[chunk][0] == entry.document and is_held([returns[chunk][1:]], *span)


def first_rank(texts, chunker, returns, order, question, judgement):
    """Give the rank, from 1, with which everything is met; None where it never is."""
    for rank in range(1, len(order) + 1):
        met = [
            all(
                any(meets(returns, chunk, entry, span) for chunk in order[:rank])
                for span, _ in needs(texts, chunker, entry, judgement)
            )
            for entry in question.evidence
        ]
        if (any if question.match == "any" else all)(met):
            return rank
    return None


def cause(texts, chunker, returns, question, allowed, indexed, embedded):
    """Give the cause of a question that is not answered, from what could be returned."""

    def of_entry(entry):
        if entry.document not in allowed:
            return "not_indexed"
        causes = []
        for span, lack in needs(texts, chunker, entry, "answered"):
            holding = [chunk for chunk in range(len(returns)) if indexed[chunk] and meets(returns, chunk, entry, span)]
            if not holding:
                causes.append(lack)
            elif not any(embedded[chunk] for chunk in holding):
                causes.append("not_embedded")
        return min(causes, key=CAUSES.index, default="below")

    found = [of_entry(entry) for entry in question.evidence]
    return (max if question.match == "any" else min)(found, key=CAUSES.index)


def merged_characters(returns, order):
    """Count the characters of what some chunks return, each once."""
    return len({(returns[chunk][0], place) for chunk in order for place in range(*returns[chunk][1:])})


def index_length(texts, chunker, span):
    """Count the characters of a span with what a chunk in its place would prepend, and the line ends behind that."""
    text = next(text for text in texts if text.name == span[0])
    pieces = index_spans(text, chunker, *span[1:3])
    return sum(end - start for start, end in pieces) + len(pieces) - 1


def equal_k(texts, chunker, returns, indexed, context, allowed):
    """Give how many returns come nearest to a context, which is at most a quarter of what may be found."""
    room = min(context, sum(len(text.text) for text in texts if text.name in allowed) // 4)
    spans = dict.fromkeys(span for span, is_in in zip(returns, indexed, strict=True) if is_in)
    lengths = [index_length(texts, chunker, span) for span in spans]
    if not lengths:
        return 1
    return max(1, math.floor(Fraction(room * len(lengths), sum(lengths)) + Fraction(1, 2)))
