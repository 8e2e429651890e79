"""Cuts, one by one, by what they fall into."""

from __future__ import annotations

CLASSES = ("character", "row", "code", "number", "word", "words", "sentence", "block", "heading")


def count_cuts(texts, windows):
    """Count the cuts of each class; `windows` are all windows of each text, by its name, with or without characters."""
    counts = dict.fromkeys(CLASSES, 0)
    for text in texts:
        for number, window in enumerate(windows[text.name], 1):
            place = window.end + window.stripped
            if window.ends_inside:
                counts["character"] += number < len(windows[text.name])
            elif place < len(text.text):
                counts[class_of_cut(text, place)] += 1
    return counts


def class_of_cut(text, place):
    """Class a cut by the first thing that it falls inside, else by the greatest that starts there."""
    if text.inside_character[place]:
        return "character"
    rows = [row for table in text.tables for row in (*table.header, *table.rows)]
    if any(start < place < end for start, end in rows):
        return "row"
    if any(start < place < end for start, end in text.code):
        return "code"
    if text.inside_number[place]:
        return "number"
    if text.inside_word[place]:
        return "word"
    if any(heading.start == place for heading in text.headings):
        return "heading"
    if place in text.block_starts:
        return "block"
    return "sentence" if place in text.sentence_starts else "words"
