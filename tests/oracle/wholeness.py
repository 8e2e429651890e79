"""Sentences, code blocks, and headings with their first block, and those that some chunk holds whole."""

from __future__ import annotations

import re
import unicodedata

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
    tiles = [(start, behind(text.sentence_starts, start)) for start in text.sentence_starts]
    sentences = [tile for tile in tiles if _is_prose(text, *tile)]
    return {"sentences": sentences, "code_blocks": text.code, "headings": with_block}


def _is_prose(text, start, end):
    """Tell whether a sentence has words, some of them outside code, tables, headings, front matter and comments."""
    while end > start and is_blank(text.text[end - 1]):
        end -= 1
    others = [*text.code, *((table.start, table.end) for table in text.tables)]
    others += [(heading.start, heading.end) for heading in text.headings]
    others += [found.span() for found in re.finditer(r"<!--.*?-->", text.text, re.DOTALL)]
    others += [(0, text.front_matter_end)]
    outside = [place for place in range(start, end) if not any(a <= place < b for a, b in others)]
    return bool(outside) and any(_is_of_a_word(text.text[place]) for place in range(start, end))


def _is_of_a_word(character):
    category = unicodedata.category(character)
    return category[0] == "L" or category in ("Nd", "Nl", "Pc") or 0x2E80 <= ord(character) <= 0x2FD5
