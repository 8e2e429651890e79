"""Evidence, entry by entry: split, missing, held by two chunks, longer than the size, apart from the header."""

from __future__ import annotations

from collections import Counter

from oracle.spans import is_covered, is_held, is_held_by_two, overlaps
from oracle.tables import is_together, rows_with_header
from oracle.units import Tape

COUNTS = (
    "split_questions", "split_evidence", "missing_questions", "missing_evidence", "evidence_in_two_chunks",
    "evidence_longer_than_size", "table_questions", "table_questions_with_header", "harmed_questions",
)  # fmt: skip


def count_evidence(texts, questions, chunker, chunks):
    """Count everything that a cell says of questions."""
    by_name = {text.name: text for text in texts}
    counts = Counter(dict.fromkeys(COUNTS, 0))
    split_ids, apart_ids = [], []
    for question in questions:
        split, missing, apart, touches = [], [], [], False
        for name, start, end in question.evidence:
            text, here = by_name[name], chunks[name]
            rows = [found for found in rows_with_header(text) if overlaps(found[1], (start, end))]
            split.append(not is_held(here, start, end))
            missing.append(not is_covered(here, start, end))
            apart.append(any(not is_together(here, chunker, table, row) for table, row in rows))
            touches = touches or bool(rows)
            counts["split_evidence"] += split[-1]
            counts["missing_evidence"] += missing[-1]
            counts["evidence_in_two_chunks"] += split[-1] and is_held_by_two(here, start, end)
            counts["evidence_longer_than_size"] += split[-1] and is_longer(text, start, end, chunker)
        enough = all if question.match == "any" else any
        counts["split_questions"] += enough(split)
        counts["missing_questions"] += enough(missing)
        counts["harmed_questions"] += enough([a or b for a, b in zip(split, apart, strict=True)])
        counts["table_questions"] += touches
        counts["table_questions_with_header"] += touches and not enough(apart)
        split_ids += [question.id] * enough(split)
        apart_ids += [question.id] * (touches and enough(apart))
    return {**counts, "split_question_ids": tuple(split_ids), "header_lost_question_ids": tuple(apart_ids)}


def is_longer(text, start, end, chunker):
    """Tell whether no chunk of the size can hold a span, wherever it begins."""
    if chunker.size is None:
        return False
    tape = Tape(text, chunker.unit)
    if chunker.raw:
        n = tape.n_units
        return not any(
            tape.first_whole[b] <= start and end <= tape.last_whole[min(b + chunker.size, n)] for b in range(n)
        )
    return tape.used[end] - tape.used[start] > chunker.size
