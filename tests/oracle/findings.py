"""What a chunker does to evidence and rows, each told with its place."""

from __future__ import annotations

from oracle.chunks import spans_of
from oracle.spans import is_covered, is_held, overlaps
from oracle.tables import is_together, rows_with_header


def find(texts, questions, chunker):
    """Give, for each code, the set of ``(document, question, start, end)``; rows lost have no question where none is asked."""
    split, missing, apart = set(), set(), set()
    for text in texts:
        chunks = spans_of(text, chunker)
        rows = [row for table, row in rows_with_header(text) if not is_together(chunks, chunker, table, row)]
        if not questions:
            apart |= {(text.name, None, *row) for row in rows}
        for question in questions:
            for document, start, end in question.evidence:
                if document != text.name:
                    continue
                if not is_held(chunks, start, end):
                    found = split if is_covered(chunks, start, end) else missing
                    found.add((document, question.id, start, end))
                apart |= {(document, question.id, *row) for row in rows if overlaps(row, (start, end))}
    return {"evidence-split": split, "evidence-missing": missing, "header-lost": apart}
