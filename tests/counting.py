"""Slow twins of what a sweep counts: loops over documents, chunks, questions and phases."""

from __future__ import annotations

import unicodedata
from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
from reference import Tape, cut, front_matter_line, prepended

from chunkscope.measures.lengths import LengthCounts
from chunkscope.measures.status import NOT_IN_FORCE
from chunkscope.structure.analysis import DocumentAnalysis

# --- What a cell counts ----------------------------------------------------------------------------------------------


def count_cell(documents, questions, chunker):
    """Count everything that a cell counts, with loops over documents, chunks and questions."""
    chunks = {document.name: cut(document, chunker) for document in documents}
    spans = {name: [w for w in found if w.has_span] for name, found in chunks.items()}
    everything = [window for found in chunks.values() for window in found]
    lengths = Counter()
    for document in documents:
        for w in spans[document.name]:
            extra = prepended(document, chunker, w.start, w.end) if chunker.prepend else []
            lengths[w.end - w.start + sum(b - a + 1 for a, b in extra)] += 1
    return {
        "characters": sum(len(document.text) for document in documents),
        "chunks": len(everything),
        "blank_chunks": sum(is_blank(d.text[w.start : w.end]) for d in documents for w in spans[d.name]),
        "oversize_chunks": sum(chunker.size is not None and w.has_span and w.weight > chunker.size for w in everything),
        "broken_chunks": sum(w.is_broken for w in everything),
        "lengths": LengthCounts.among(np.array(sorted(lengths.elements()), dtype=np.int64)),
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
    parts = {document.name: DocumentAnalysis(document) for document in documents}
    counts = Counter(dict.fromkeys(_EVIDENCE_COUNTS, 0))
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
            apart.append(any(not is_together(here, chunker, table, row) for table, row in rows))
            touches = touches or bool(rows)
            counts["split_evidence"] += is_split
            counts["missing_evidence"] += is_missing
            counts["evidence_in_two_chunks"] += is_adjacent
            counts["evidence_longer_than_size"] += is_split and _is_longer(
                parts[entry.document].document.text, entry, chunker
            )
        enough = all if resolved.question.match == "any" else any
        counts["split_questions"] += enough(split)
        counts["missing_questions"] += enough(missing)
        counts["table_questions"] += touches
        counts["table_questions_with_header"] += touches and not enough(apart)
        split_ids += [resolved.question.id] * enough(split)
        apart_ids += [resolved.question.id] * (touches and enough(apart))
    return {**counts, "split_question_ids": tuple(split_ids), "header_lost_question_ids": tuple(apart_ids)}


_EVIDENCE_COUNTS = (
    "split_questions", "split_evidence", "missing_questions", "missing_evidence", "evidence_in_two_chunks",
    "evidence_longer_than_size", "table_questions", "table_questions_with_header",
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


def is_together(spans, chunker, table, row):
    if "table-header" in chunker.prepend:
        return held(spans, *row)
    return any(
        w.start <= table.header[0][0] and table.header[-1][1] <= w.end and w.start <= row[0] and row[1] <= w.end
        for w in spans
    )


def _rows(documents, chunker, spans):
    n_rows = n_together = n_headless = 0
    for document in documents:
        for table in DocumentAnalysis(document).structure.tables:
            n_headless += not table.header
            if table.header:
                n_rows += len(table.rows)
                n_together += sum(is_together(spans[document.name], chunker, table, row) for row in table.rows)
    return {"table_rows": n_rows, "table_rows_with_header": n_together, "tables_without_header": n_headless}


def _cuts(documents, chunks):
    counts = dict.fromkeys(("character", "row", "code", "number", "word", "words", "sentence", "block", "heading"), 0)
    for document in documents:
        parts = DocumentAnalysis(document)
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
        structure = DocumentAnalysis(document).structure
        line = front_matter_line(document.text, structure, "status")
        if not line or str(document.attributes.get("status")).strip().lower() not in NOT_IN_FORCE:
            continue
        warns = True
        found += len(spans[document.name])
        if "front-matter:status" not in chunker.prepend:
            unmarked += sum(not (w.start <= line[0][0] and line[0][1] <= w.end) for w in spans[document.name])
    return {"status_chunks": found if warns else None, "unmarked_chunks": unmarked if warns else None}


def wholeness(documents, chunker):
    """Count sentences, code blocks and headings with their first block, and those that some chunk holds whole."""
    counts = Counter()
    for document in documents:
        parts, text = DocumentAnalysis(document), document.text
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
