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
        for kind, spans in wanted_spans(text).items():
            counts[kind] += len(spans)
            counts[f"{kind}_whole"] += sum(is_held(chunks, *span) for span in spans)
    return counts


def wanted_spans(text):
    """Give the spans of each kind; white space at the end of a sentence or a block need not survive with it."""
    found = {}
    for kind, spans in _wanted(text).items():
        trimmed = spans if kind == "code_blocks" else [_without_blanks(text, *span) for span in spans]
        found[kind] = [(start, end) for start, end in trimmed if end > start]
    return found


def _without_blanks(text, start, end):
    while end > start and is_blank(text.text[end - 1]):
        end -= 1
    return start, end


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
    start, end = _without_blanks(text, start, end)
    others = [*text.code, *((table.start, table.end) for table in text.tables)]
    others += [(heading.start, heading.end) for heading in text.headings]
    others += [found.span() for found in re.finditer(r"<!--.*?-->|\{/\*.*?\*/\}", text.text, re.DOTALL)]
    others += [(0, text.front_matter_end)]
    outside = [place for place in range(start, end) if not any(a <= place < b for a, b in others)]
    return bool(outside) and any(_is_of_a_word(text.text[place]) for place in range(start, end))


def count_characters(texts):
    """Count the characters of prose, code and tables, one by one."""
    counts = {"prose": 0, "code": 0, "tables": 0}
    for text in texts:
        kinds = {
            "prose": wanted_spans(text)["sentences"],
            "code": text.code,
            "tables": [(table.start, table.end) for table in text.tables],
        }
        for kind, spans in kinds.items():
            counts[kind] += sum(any(a <= place < b for a, b in spans) for place in range(len(text.text)))
    return counts


def _is_of_a_word(character):
    category = unicodedata.category(character)
    return category[0] == "L" or category in ("Nd", "Nl", "Pc") or 0x2E80 <= ord(character) <= 0x2FD5
