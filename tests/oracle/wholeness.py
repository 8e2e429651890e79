"""Sentences, code blocks, and headings with their first block, and those that some chunk holds whole."""

from __future__ import annotations

from oracle.chunks import spans_of
from oracle.spans import is_blank, is_held


def count_whole(texts, chunker):
    """Count them, and those that are whole."""
    counts = {name: 0 for kind in ("sentences", "code_blocks", "headings") for name in (kind, f"{kind}_whole")}
    for text in texts:
        chunks = spans_of(text, chunker)
        for kind, spans in _wanted(text).items():
            for start, end in spans:
                # white space at the end of a sentence or a block need not survive with it
                while kind != "code_blocks" and end > start and is_blank(text.text[end - 1]):
                    end -= 1
                if end > start:
                    counts[kind] += 1
                    counts[f"{kind}_whole"] += is_held(chunks, start, end)
    return counts


def _wanted(text):
    def behind(starts, place):
        return next((start for start in starts if start > place), len(text.text))

    heads = [heading.start for heading in text.headings]
    with_block = []
    for head in heads:
        first = behind(text.block_starts, head)
        if first < len(text.text) and first not in heads:
            with_block.append((head, behind(text.block_starts, first)))
    sentences = [(start, behind(text.sentence_starts, start)) for start in text.sentence_starts]
    return {"sentences": sentences, "code_blocks": text.code, "headings": with_block}
