"""The recursive chunker, read aloud: split by the first separator there is, merge what is small, go into what is not."""

from __future__ import annotations

import re
from typing import NamedTuple


class Piece(NamedTuple):
    """A chunk: its characters, what it weighs as its pieces do by themselves, and its text if that is no slice."""

    start: int
    end: int
    weight: int
    text: str


DOCUMENTED = {
    "default": ["\n\n", "\n", " ", ""],
    "markdown": ["\n#{1,6} ", "```\n", "\n\\*\\*\\*+\n", "\n---+\n", "\n___+\n", "\n\n", "\n", " ", ""],
    "cjk": ["\n\n", "\n", " ", ".", ",", "\u200b", "，", "、", "．", "。", ""],
}


def cut_recursively(text, separators, keep, size, overlap, weigh, strip):
    """Cut a text; `weigh` gives the units of a text by itself."""
    cutter = _Cutter(text, keep, size, overlap, weigh, strip)
    return cutter.cut(0, len(text), separators) if text else []


class _Cutter:
    def __init__(self, text, keep, size, overlap, weigh, strip):
        self.text, self.keep, self.size, self.overlap, self.weigh, self.strip = text, keep, size, overlap, weigh, strip

    def cut(self, start, end, separators):
        """Cut one piece."""
        whole = self.text[start:end]
        present = [number for number, one in enumerate(separators) if not one.spelling or one.pattern.search(whole)]
        number = present[0] if present else len(separators) - 1
        separator = separators[number]
        further = separators[number + 1 :] if separator.spelling else []
        found, small = [], []
        for a, b in self.split(start, end, separator):
            if self.weigh(self.text[a:b]) < self.size:
                small.append((a, b))
                continue
            found += self.merge(small, separator)
            small = []
            if further:
                found += self.cut(a, b, further)
            else:
                found.append(Piece(a, b, self.weigh(self.text[a:b]), self.text[a:b]))
        return found + self.merge(small, separator)

    def split(self, start, end, separator):
        if not separator.spelling:
            return [(place, place + 1) for place in range(start, end)]
        edges = [start]
        for match in separator.pattern.finditer(self.text[start:end]):
            before, behind = start + match.start(), start + match.end()
            edges += {"start": [before, before], "end": [behind, behind], "none": [before, behind]}[self.keep]
        edges.append(end)
        return [(a, b) for a, b in zip(edges[::2], edges[1::2], strict=True) if a < b]

    def merge(self, pieces, separator):
        glue = separator.spelling if self.keep == "none" else ""
        joint = self.weigh(glue) if glue else 0
        found, held = [], []

        def total(some):
            return sum(self.weigh(self.text[a:b]) for a, b in some) + joint * max(len(some) - 1, 0)

        for piece in pieces:
            if held and total([*held, piece]) > self.size:
                found += self.chunk(held, glue, total(held))
                while held and (total(held) > self.overlap or total([*held, piece]) > self.size):
                    held = held[1:]
            held = [*held, piece]
        return found + self.chunk(held, glue, total(held))

    def chunk(self, pieces, glue, weight):
        if not pieces:
            return []
        start, end = pieces[0][0], pieces[-1][1]
        text = glue.join(self.text[a:b] for a, b in pieces)
        if self.strip:
            text = text.strip()
            while start < end and self.text[start].isspace():
                start += 1
            while start < end and self.text[end - 1].isspace():
                end -= 1
        return [Piece(start, end, weight, text)] if start < end else []


class Separator(NamedTuple):
    """A separator as it is written, and what finds it."""

    spelling: str
    pattern: re.Pattern


def separators_of(setting):
    """Give the separators of a setting; those for Markdown are regular expressions."""
    spelt = DOCUMENTED.get(setting, setting) if isinstance(setting, str) else setting
    return [Separator(one, re.compile(one if setting == "markdown" else re.escape(one))) for one in spelt]
