"""Slow, obvious twins: double loops written from the rules, for the fast code to be held against."""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import lru_cache
from typing import NamedTuple

from chunkscope.structure.analysis import DocumentAnalysis
from chunkscope.structure.tokens import load_encoding
from chunkscope.structure.words import words_of


def pack_items(used, size, overlap):
    """Pack one group; `used[b]` is how many units begin before boundary b."""
    chunks, start, last = [], 0, len(used) - 1
    while start < last:
        end = start + 1
        for candidate in range(start + 1, last + 1):
            if used[candidate] - used[start] <= size:
                end = max(end, candidate)
        chunks.append([start, end])
        if end == last:
            break
        following = end
        if overlap:
            for candidate in range(end, start, -1):
                if used[end] - used[candidate] <= overlap and used[end + 1] - used[candidate] <= size:
                    following = candidate
        start = following
    return chunks


def pack_items_with_tails(positions, size, tail, keep_tail):
    """Pack one group in characters; the next chunk starts with the last `tail` characters."""
    chunks, start, reached, last = [], positions[0], 0, len(positions) - 1
    while reached < last:
        end = reached + 1
        for candidate in range(reached + 1, last + 1):
            if positions[candidate] - start <= size:
                end = max(end, candidate)
        chunks.append([start, positions[end]])
        if end == last:
            break
        candidates = [p for p in range(start + 1, positions[end] + 1) if positions[end] - p <= tail]
        if not keep_tail:
            candidates = [p for p in candidates if positions[end + 1] - p <= size]
        start = min(candidates, default=positions[end])
        reached = end
    return chunks


def split_items(positions, step_used, size):
    """Cut items above the size; every character is a step."""
    cuts = set(positions)
    for start, end in zip(positions[:-1], positions[1:], strict=True):
        here = start
        while step_used[end] - step_used[here] > size:
            fitting = [p for p in range(here + 1, end) if step_used[p] - step_used[here] <= size]
            here = max(fitting, default=here + 1)
            if here >= end:
                break
            cuts.add(here)
    return sorted(cuts)


def windows(length, size, overlap, keep_tail=False):
    """Fixed windows by the rule: the first chunk that reaches the end is the last."""
    step, chunks, start = size - overlap, [], 0
    while start < length:
        chunks.append([start, min(start + size, length)])
        if start + size >= length and not keep_tail:
            break
        start += step
    return chunks


# --- Units -----------------------------------------------------------------------------------------------------------


class Tape:
    """A text in a unit: `used[p]` units begin before p; a cut of this unit may fall at `steps`.

    `first_whole` and `last_whole` have, for each unit and the end of the text, the first character that starts no
    earlier, and the last character edge that is no later, than the place where the unit begins.
    """

    def __init__(self, text, unit, units=None):
        begins, inside = units or _units(text, unit)
        self.n_units = len(begins)
        self.used = [bisect_left(begins, p) for p in range(len(text) + 1)]
        self.steps = sorted({b for b, torn in zip(begins, inside, strict=True) if not torn and 0 < b < len(text)})
        self.first_whole = [b + 1 if torn else b for b, torn in zip(begins, inside, strict=True)] + [len(text)]
        self.last_whole = [*begins, len(text)]


@lru_cache(maxsize=256)
def _units(text, unit):
    if unit == "char":
        return list(range(len(text))), [False] * len(text)
    if unit == "word":
        starts = words_of(text).starts.tolist()
        return starts, [False] * len(starts)
    encoding = load_encoding(unit).encoding
    owner, is_first = [], []
    for place, character in enumerate(text):
        for number in range(len(character.encode())):
            owner.append(place)
            is_first.append(number == 0)
    begins: list[int] = []
    inside: list[bool] = []
    byte = 0
    for token in encoding.encode(text, disallowed_special=()):
        begins.append(owner[byte])
        inside.append(not is_first[byte])
        byte += len(encoding.decode_single_token_bytes(token))
    return begins, inside


# --- Chunks of one document ------------------------------------------------------------------------------------------


class Window(NamedTuple):
    """A chunk: its characters (none where start == end), what it weighs, and what it tears."""

    start: int
    end: int
    weight: int
    begins_inside: bool = False
    ends_inside: bool = False

    @property
    def has_span(self):
        return self.start < self.end

    @property
    def is_broken(self):
        return self.begins_inside or self.ends_inside or not self.has_span


def cut(document, chunker, tape=None):
    """Cut one document by the rules, whatever the chunker; `tape` is the text in the unit, if that is known."""
    text = document.text
    if not text:
        return []
    if chunker.name == "token" and chunker.raw:
        return _raw_windows(tape or Tape(text, chunker.unit), chunker.size, chunker.overlap)
    if chunker.name == "fixed" and chunker.unit == "char":
        rows = windows(len(text), chunker.size, chunker.overlap, chunker.tail == "keep")
        return [Window(start, end, end - start) for start, end in rows]
    tape = tape or Tape(text, chunker.unit)
    if chunker.name in ("fixed", "token"):
        steps = split_at_steps([0, *tape.steps, len(text)], tape, chunker.size)
        return _packed(steps, tape, chunker.size, chunker.overlap)
    parts = DocumentAnalysis(document)
    sentences = sorted({*parts.sentence_starts.tolist(), len(text)})
    if chunker.name == "sentence":
        return _sentences(text, sentences, tape, chunker)
    return _sections(sentences, sorted({*parts.structure.section_starts.tolist(), len(text)}), tape, chunker)


def _raw_windows(tape, size, overlap):
    found, begin = [], 0
    while begin < tape.n_units:
        end = min(begin + size, tape.n_units)
        found.append(
            Window(
                tape.first_whole[begin],
                max(tape.first_whole[begin], tape.last_whole[end]),
                end - begin,
                tape.first_whole[begin] != tape.last_whole[begin],
                tape.first_whole[end] != tape.last_whole[end],
            )
        )
        if end == tape.n_units:
            break
        begin += size - overlap
    return found


def _packed(positions, tape, size, overlap):
    used = [tape.used[p] for p in positions]
    return [
        Window(positions[first], positions[last], used[last] - used[first])
        for first, last in pack_items(used, size, overlap)
    ]


def _sentences(text, positions, tape, chunker):
    if chunker.newline == "end":
        positions = sorted({*positions, *(match.end() for match in re.finditer(r"\r\n|\r|\n", text))})
    if chunker.oversize == "split":
        positions = split_at_steps(positions, tape, chunker.size)
    if chunker.overlap_by == "characters" and chunker.overlap:
        rows = pack_items_with_tails(positions, chunker.size, chunker.overlap, chunker.oversize == "keep")
        return [Window(start, end, end - start) for start, end in rows]
    return _packed(positions, tape, chunker.size, chunker.overlap)


def _sections(sentences, edges, tape, chunker):
    sections = list(zip(edges[:-1], edges[1:], strict=True))
    if chunker.size is None:
        return [Window(start, end, tape.used[end] - tape.used[start]) for start, end in sections]
    found = []
    while sections:
        start, end = sections.pop(0)
        if tape.used[end] - tape.used[start] > chunker.size:
            inner = [p for p in sentences if start < p < end]
            found += _packed(
                split_at_steps([start, *inner, end], tape, chunker.size), tape, chunker.size, chunker.overlap
            )
            continue
        while chunker.merge and sections and tape.used[sections[0][1]] - tape.used[start] <= chunker.size:
            end = sections.pop(0)[1]
        found.append(Window(start, end, tape.used[end] - tape.used[start]))
    return found


def split_at_steps(positions, tape, size):
    """Cut items above the size at the last step that fits, again and again."""
    cuts = set(positions)
    for start, end in zip(positions[:-1], positions[1:], strict=True):
        while tape.used[end] - tape.used[start] > size and end - start > 1:
            steps = [p for p in tape.steps if start < p < end]
            first = [*steps, end][0]
            if tape.used[first] - tape.used[start] > size:
                # one step alone is above the size: it is cut between its characters
                steps = range(start + 1, first)
                if not steps:
                    start = first
                    cuts.add(start)
                    continue
            start = max([p for p in steps if tape.used[p] - tape.used[start] <= size], default=steps[0])
            cuts.add(start)
    return sorted(cuts)


# --- What chunks prepend -----------------------------------------------------------------------------------------------


def prepended(document, chunker, start, end):
    """Give what the chunk ``[start, end)`` prepends, in the order of the document."""
    structure = DocumentAnalysis(document).structure
    wanted = []
    for what in chunker.prepend:
        if what == "headings":
            wanted += heading_path(structure, start, end, joins=chunker.name == "heading" and chunker.merge)
        elif what == "title":
            first = [(h.start, h.end) for h in structure.headings if h.level == 1][:1]
            wanted += first or front_matter_line(document.text, structure, "title")
        elif what == "table-header":
            wanted += _headers(document.text, structure, start, end)
        else:
            wanted += front_matter_line(document.text, structure, what.removeprefix("front-matter:"))
    lacking = {span for span in wanted if not (start <= span[0] and span[1] <= end)}
    return sorted(a for a in lacking if not any(b != a and b[0] <= a[0] and a[1] <= b[1] for b in lacking))


def heading_path(structure, start, end, *, joins):
    """Give the heading lines above and at the section where a chunk starts, or that all its sections share."""
    paths = [_path_at(structure, start)]
    if joins:
        paths += [_path_at(structure, h.start) for h in structure.headings if start < h.start < end]
    shared = []
    for rank in zip(*paths, strict=False):
        if len(set(rank)) > 1:
            break
        shared.append(rank[0])
    return shared


def _path_at(structure, place):
    path = []
    for heading in structure.headings:
        if heading.start <= place:
            path = [(level, span) for level, span in path if level < heading.level]
            path.append((heading.level, (heading.start, heading.end)))
    return [span for _, span in path]


def _headers(text, structure, start, end):
    found = []
    for table in structure.tables:
        holds_part = any(row[0] < end and start < row[1] for row in table.rows)
        if table.header and holds_part and not (start <= table.header[0][0] and table.header[-1][1] <= end):
            last = table.header[-1][1]
            if table.kind == "pipe":
                lines = [match.span() for match in re.finditer(r"[^\r\n]*(?:\r\n|\r|\n|\Z)", text)]
                delimiter = next(line for line in lines if line[0] > last)
                last = delimiter[0] + len(text[delimiter[0] : delimiter[1]].rstrip("\r\n"))
            found.append((table.header[0][0], last))
    return found


def front_matter_line(text, structure, key):
    start = 0
    for line in re.split(r"(\r\n|\r|\n)", text[: structure.front_matter_end]):
        if re.match(rf"""(["']?){re.escape(key)}\1[ \t]*:(?:[ \t]|\Z)""", line):
            return [(start, start + len(line))]
        start += len(line)
    return []
