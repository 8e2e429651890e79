"""Slow, obvious twins: double loops written from the rules, for the fast code to be held against."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from chunkscope.measures.status import NOT_IN_FORCE
from chunkscope.structure.parts import Parts
from chunkscope.structure.tokens import load_encoding
from chunkscope.structure.words import read_words


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

    def __init__(self, text, unit):
        begins, inside = _units(text, unit)
        self.n_units = len(begins)
        self.used = [bisect_left(begins, p) for p in range(len(text) + 1)]
        self.steps = sorted(
            {b for b, torn in zip(begins, inside, strict=True) if not torn and 0 < b < len(text)}
        )
        self.first_whole = [b + 1 if torn else b for b, torn in zip(begins, inside, strict=True)] + [len(text)]
        self.last_whole = [*begins, len(text)]


@lru_cache(maxsize=256)
def _units(text, unit):
    if unit == "char":
        return list(range(len(text))), [False] * len(text)
    if unit == "word":
        starts = read_words(text).starts.tolist()
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


def cut(document, chunker):
    """Cut one document by the rules, whatever the chunker."""
    text = document.text
    if not text:
        return []
    if chunker.name == "token" and chunker.raw:
        return _raw_windows(Tape(text, chunker.unit), chunker.size, chunker.overlap)
    if chunker.name == "fixed" and chunker.unit == "char":
        rows = windows(len(text), chunker.size, chunker.overlap, chunker.tail == "keep")
        return [Window(start, end, end - start) for start, end in rows]
    tape = Tape(text, chunker.unit)
    if chunker.name in ("fixed", "token"):
        steps = split_at_steps([0, *tape.steps, len(text)], tape, chunker.size)
        return _packed(steps, tape, chunker.size, chunker.overlap)
    parts = Parts(document)
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
            found += _packed(split_at_steps([start, *inner, end], tape, chunker.size), tape, chunker.size, chunker.overlap)
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


# --- What chunks carry -----------------------------------------------------------------------------------------------


def carried(document, chunker, start, end):
    """Give what the chunk ``[start, end)`` carries, in the order of the document."""
    structure = Parts(document).structure
    wanted = []
    for what in chunker.carry:
        if what == "headings":
            wanted += heading_path(structure, start, end, joins=chunker.name == "heading" and chunker.merge)
        elif what == "title":
            first = [(h.start, h.end) for h in structure.headings if h.level == 1][:1]
            wanted += first or _front_matter_line(document.text, structure, "title")
        elif what == "table-header":
            wanted += _headers(document.text, structure, start, end)
        else:
            wanted += _front_matter_line(document.text, structure, what.removeprefix("front-matter:"))
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


def _front_matter_line(text, structure, key):
    start = 0
    for line in re.split(r"(\r\n|\r|\n)", text[: structure.front_matter_end]):
        if re.match(rf"""(["']?){re.escape(key)}\1[ \t]*:(?:[ \t]|\Z)""", line):
            return [(start, start + len(line))]
        start += len(line)
    return []


# --- What a cell counts ----------------------------------------------------------------------------------------------


def count_cell(documents, questions, chunker):
    """Count everything that a cell counts, with loops over documents, chunks and questions."""
    chunks = {document.name: cut(document, chunker) for document in documents}
    spans = {name: [w for w in found if w.has_span] for name, found in chunks.items()}
    everything = [window for found in chunks.values() for window in found]
    lengths = Counter()
    for document in documents:
        for w in spans[document.name]:
            extra = carried(document, chunker, w.start, w.end) if chunker.carry else []
            lengths[w.end - w.start + sum(b - a for a, b in extra)] += 1
    return {
        "characters": sum(len(document.text) for document in documents),
        "chunks": len(everything),
        "blank_chunks": sum(is_blank(d.text[w.start : w.end]) for d in documents for w in spans[d.name]),
        "oversize_chunks": sum(chunker.size is not None and w.has_span and w.weight > chunker.size for w in everything),
        "broken_chunks": sum(w.is_broken for w in everything),
        "lengths": dict(lengths),
        "cuts": _cuts(documents, chunks),
        **_evidence(documents, questions, chunker, spans),
        **_rows(documents, chunker, spans),
        **_status(documents, chunker, spans),
    }


def is_blank(text):
    return all(unicodedata.category(c)[0] == "Z" or unicodedata.category(c) in ("Cc", "Cf") for c in text)


def held(spans, start, end):
    return any(w.start <= start and end <= w.end for w in spans)


def _evidence(documents, questions, chunker, spans):
    parts = {document.name: Parts(document) for document in documents}
    counts = Counter({name: 0 for name in _EVIDENCE_COUNTS})
    split_ids, apart_ids = [], []
    for resolved in questions:
        split, missing, apart, touches = [], [], [], False
        for entry in resolved.evidence:
            here = spans[entry.document]
            is_split = not held(here, entry.start, entry.end)
            is_missing = not all(any(w.start <= p < w.end for w in here) for p in range(entry.start, entry.end))
            neighbours = [(a, b) for a, b in zip(here, here[1:], strict=False) if b.start <= a.end]
            is_adjacent = is_split and any(a.start <= entry.start and entry.end <= b.end for a, b in neighbours)
            rows = [
                (table, row)
                for table in parts[entry.document].structure.tables
                if table.header
                for row in table.rows
                if row[0] < entry.end and entry.start < row[1]
            ]
            split.append(is_split)
            missing.append(is_missing)
            apart.append(any(not _is_together(here, chunker, table, row) for table, row in rows))
            touches = touches or bool(rows)
            counts["split_evidence"] += is_split
            counts["missing_evidence"] += is_missing
            counts["adjacent_evidence"] += is_adjacent
            counts["longer_evidence"] += is_split and _is_longer(parts[entry.document].document.text, entry, chunker)
        enough = all if resolved.question.match == "any" else any
        counts["split_questions"] += enough(split)
        counts["missing_questions"] += enough(missing)
        counts["table_questions"] += touches
        counts["table_questions_together"] += touches and not enough(apart)
        split_ids += [resolved.question.id] * enough(split)
        apart_ids += [resolved.question.id] * (touches and enough(apart))
    return {**counts, "split_question_ids": tuple(split_ids), "apart_question_ids": tuple(apart_ids)}


_EVIDENCE_COUNTS = (
    "split_questions", "split_evidence", "missing_questions", "missing_evidence", "adjacent_evidence",
    "longer_evidence", "table_questions", "table_questions_together",
)  # fmt: skip


def _is_longer(text, entry, chunker):
    if chunker.size is None:
        return False
    tape = Tape(text, chunker.unit)
    if chunker.name == "token" and chunker.raw:
        # no window of this size, wherever it begins, can hold the evidence
        n = tape.n_units
        return not any(
            tape.first_whole[b] <= entry.start and entry.end <= tape.last_whole[min(b + chunker.size, n)]
            for b in range(n)
        )
    return tape.used[entry.end] - tape.used[entry.start] > chunker.size


def _is_together(spans, chunker, table, row):
    if "table-header" in chunker.carry:
        return held(spans, *row)
    return any(
        w.start <= table.header[0][0] and table.header[-1][1] <= w.end and w.start <= row[0] and row[1] <= w.end
        for w in spans
    )


def _rows(documents, chunker, spans):
    n_rows = n_together = n_headless = 0
    for document in documents:
        for table in Parts(document).structure.tables:
            n_headless += not table.header
            if table.header:
                n_rows += len(table.rows)
                n_together += sum(_is_together(spans[document.name], chunker, table, row) for row in table.rows)
    return {"table_rows": n_rows, "table_rows_together": n_together, "tables_without_header": n_headless}


def _cuts(documents, chunks):
    counts = dict.fromkeys(("character", "row", "code", "number", "word", "words", "sentence", "block", "heading"), 0)
    for document in documents:
        parts = Parts(document)
        for window in chunks[document.name][:-1]:
            if window.ends_inside:
                counts["character"] += 1
            elif window.end < len(document.text):
                counts[class_of_cut(parts, window.end)] += 1
    return counts


def class_of_cut(parts, place):
    """Class a cut by the first thing that it falls inside, else by the greatest that starts there."""
    structure = parts.structure
    rows = [row for table in structure.tables for row in (*table.header, *table.rows)]
    if any(start < place < end for start, end in rows):
        return "row"
    if any(start < place < end for start, end in structure.code.tolist()):
        return "code"
    if parts.words.in_number[place]:
        return "number"
    if parts.words.inside[place]:
        return "word"
    if any(heading.start == place for heading in structure.headings):
        return "heading"
    if place in structure.block_starts.tolist():
        return "block"
    return "sentence" if place in parts.sentence_starts.tolist() else "words"


def _status(documents, chunker, spans):
    found = unmarked = 0
    warns = False
    for document in documents:
        structure = Parts(document).structure
        line = _front_matter_line(document.text, structure, "status")
        if not line or str(document.attributes.get("status")).strip().lower() not in NOT_IN_FORCE:
            continue
        warns = True
        found += len(spans[document.name])
        if "front-matter:status" not in chunker.carry:
            unmarked += sum(not (w.start <= line[0][0] and line[0][1] <= w.end) for w in spans[document.name])
    return {"status_chunks": found if warns else None, "unmarked_chunks": unmarked if warns else None}


def wholeness(documents, chunker):
    """Count sentences, code blocks and headings with their first block, and those that some chunk holds whole."""
    counts = Counter()
    for document in documents:
        parts, text = Parts(document), document.text
        spans = [w for w in cut(document, chunker) if w.has_span]
        sentences = parts.sentence_starts.tolist()
        blocks = parts.structure.block_starts.tolist()
        heads = [heading.start for heading in parts.structure.headings]
        targets = {
            "sentences": [(a, next((b for b in sentences if b > a), len(text))) for a in sentences],
            "code_blocks": [tuple(span) for span in parts.structure.code.tolist()],
            "headings": [],
        }
        for head in heads:
            following = next((b for b in blocks if b > head), None)
            if following is not None and following not in heads:
                targets["headings"].append((head, next((b for b in blocks if b > following), len(text))))
        for kind, found in targets.items():
            for start, end in found:
                while kind != "code_blocks" and end > start and is_blank(text[end - 1]):
                    end -= 1
                if end > start:
                    counts[kind] += 1
                    counts[f"{kind}_whole"] += held(spans, start, end)
    names = ("sentences", "code_blocks", "headings")
    return {name: counts[name] for kind in names for name in (kind, f"{kind}_whole")}


# --- Luck ------------------------------------------------------------------------------------------------------------


def expected_splits(questions, size, step):
    """Average over all phases of all documents.

    `questions` are pairs of "any" or "all" and entries ``(document, document length, start, length)``.
    """
    entries = questions_split = Fraction(0)
    for match, needed in questions:
        for entry in needed:
            entries += Fraction(sum(not _is_held(entry, f, size, step) for f in range(step)), step)
        documents = sorted({entry[0] for entry in needed})
        n_split = 0
        for phases in product(range(step), repeat=len(documents)):
            phase = dict(zip(documents, phases, strict=True))
            whole = [_is_held(entry, phase[entry[0]], size, step) for entry in needed]
            n_split += not (any(whole) if match == "any" else all(whole))
        questions_split += Fraction(n_split, step ** len(documents))
    return float(entries), float(questions_split)


def _is_held(entry, phase, size, step):
    _, total, start, length = entry
    return total <= size or (start + phase) % step <= size - length
