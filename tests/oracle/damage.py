"""What each document loses at a setting, document by document."""

from __future__ import annotations

from oracle.chunks import spans_of
from oracle.spans import is_held, overlaps
from oracle.tables import is_together, rows_with_header
from oracle.wholeness import wanted_spans


def find_damage(texts, questions, chunker):
    """Give for each document that loses something its characters, and how many of each kind are lost, of how many.

    With questions, pieces of evidence are judged, each as often as a question has it; without any (None), structure is.
    """
    found = {}
    for text in texts:
        chunks = spans_of(text, chunker)
        judged = _structure(text, chunks, chunker) if questions is None else _evidence(text, questions, chunks, chunker)
        lost = {kind: (sum(members), len(members)) for kind, members in judged.items() if members}
        if any(n for n, _ in lost.values()):
            found[text.name] = (len(text.text), lost)
    return found


def _evidence(text, questions, chunks, chunker):
    cut, header_lost = [], []
    for question in questions:
        for document, start, end in question.evidence:
            if document != text.name:
                continue
            rows = [found for found in rows_with_header(text) if overlaps(found[1], (start, end))]
            is_cut = not is_held(chunks, start, end)
            cut.append(is_cut)
            if rows:
                lost = any(not is_together(chunks, chunker, table, row) for table, row in rows)
                header_lost.append(lost and not is_cut)
    return {"evidence": cut, "header_lost": header_lost}


def _structure(text, chunks, chunker):
    judged = {kind: [not is_held(chunks, *span) for span in spans] for kind, spans in wanted_spans(text).items()}
    rows = rows_with_header(text)
    judged["table_rows"] = [not is_held(chunks, *row) for _, row in rows]
    judged["header_lost"] = [
        is_held(chunks, *row) and not is_together(chunks, chunker, table, row) for table, row in rows
    ]
    return judged
