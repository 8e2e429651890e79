"""The chunks of one document, whatever the chunker."""

from __future__ import annotations

import re
from typing import NamedTuple

from oracle.packing import pack_items, pack_items_with_tails, split_at_steps
from oracle.recursive import cut_recursively, separators_of
from oracle.units import Tape
from oracle.windows import windows


class Window(NamedTuple):
    """A chunk: its characters (none where start == end), what it weighs, what it tears, and white space behind it."""

    start: int
    end: int
    weight: int
    begins_inside: bool = False
    ends_inside: bool = False
    stripped: int = 0

    @property
    def has_span(self):
        return self.start < self.end

    @property
    def is_broken(self):
        return self.begins_inside or self.ends_inside or not self.has_span


def cut(text, chunker):
    """Cut one text by the rules."""
    length = len(text.text)
    if not length:
        return []
    if chunker.name == "fixed" and chunker.unit == "char":
        found = windows(length, chunker.size, chunker.overlap, chunker.tail == "keep")
        return [Window(start, end, end - start) for start, end in found]
    tape = Tape(text, chunker.unit)
    if chunker.name == "recursive":
        return _recursive(text, chunker)
    if chunker.raw:
        return [_whole_characters(tape, *pair) for pair in windows(tape.n_units, chunker.size, chunker.overlap)]
    if chunker.name in ("fixed", "token"):
        return _packed(split_at_steps([0, *tape.steps, length], tape, chunker.size), tape, chunker)
    sentences = sorted({*text.sentence_starts, length})
    if chunker.name == "sentence":
        return _sentences(text, sentences, tape, chunker)
    if chunker.name == "heading":
        sections = sorted({0, *(heading.start for heading in text.headings), length})
        return _sections(sentences, sections, tape, chunker)
    raise ValueError(f"there is no rule for {chunker.name}; write one here")


def spans_of(text, chunker):
    """Give the chunks that have characters."""
    return [window for window in cut(text, chunker) if window.has_span]


def _whole_characters(tape, begin, end):
    start = tape.first_whole[begin]
    return Window(
        start,
        max(start, tape.last_whole[end]),
        end - begin,
        start != tape.last_whole[begin],
        tape.first_whole[end] != tape.last_whole[end],
    )


def _recursive(text, chunker):
    weigh = len if chunker.unit == "char" else text.units.weigher(chunker.unit)
    found = cut_recursively(
        text.text, separators_of(chunker.separators), chunker.keep, chunker.size, chunker.overlap, weigh, chunker.strip
    )
    blanks = [len(behind) - len(behind.lstrip()) for behind in (text.text[piece.end :] for piece in found)]
    return [
        Window(piece.start, piece.end, len(piece.text) if chunker.unit == "char" else piece.weight, False, False, blank)
        for piece, blank in zip(found, blanks if chunker.strip else [0] * len(found), strict=True)
    ]


def _packed(positions, tape, chunker):
    used = [tape.used[p] for p in positions]
    return [
        Window(positions[first], positions[last], used[last] - used[first])
        for first, last in pack_items(used, chunker.size, chunker.overlap)
    ]


def _sentences(text, positions, tape, chunker):
    if chunker.newline == "end":
        positions = sorted({*positions, *(match.end() for match in re.finditer(r"\r\n|\r|\n", text.text))})
    if chunker.oversize == "split":
        positions = split_at_steps(positions, tape, chunker.size)
    if chunker.overlap_by == "characters" and chunker.overlap:
        found = pack_items_with_tails(positions, chunker.size, chunker.overlap, chunker.oversize == "keep")
        return [Window(start, end, end - start) for start, end in found]
    return _packed(positions, tape, chunker)


def _sections(sentences, edges, tape, chunker):
    sections = list(zip(edges[:-1], edges[1:], strict=True))
    if chunker.size is None:
        return [Window(start, end, tape.used[end] - tape.used[start]) for start, end in sections]
    found = []
    while sections:
        start, end = sections.pop(0)
        if tape.used[end] - tape.used[start] > chunker.size:
            inner = [p for p in sentences if start < p < end]
            found += _packed(split_at_steps([start, *inner, end], tape, chunker.size), tape, chunker)
            continue
        while chunker.merge and sections and tape.used[sections[0][1]] - tape.used[start] <= chunker.size:
            end = sections.pop(0)[1]
        found.append(Window(start, end, tape.used[end] - tape.used[start]))
    return found
