"""What pieces do to a document, found by loops over characters and spans."""

from __future__ import annotations

from oracle.spans import is_blank, is_covered, is_held


def is_inside(number, spans):
    """Tell whether another piece holds a piece: a larger one, or an earlier one that is the same."""
    span = spans[number]
    return any(
        other is not None and other[0] <= span[0] and span[1] <= other[1] and (other != span or place < number)
        for place, other in enumerate(spans)
        if place != number
    )


def count_pieces(text, tables, pieces, size=None):
    """Count what is wrong with pieces.

    `pieces` are (own text, span or None, claim or None, spans repeated in front).
    """
    spans = [span for _, span, _, _ in pieces]
    found = [span for span in spans if span is not None]
    held = found + [span for *_, repeated in pieces for span in repeated]
    left = [place for place in range(len(text)) if not is_covered(held, place, place + 1)]
    runs = []
    for place in left:
        if runs and runs[-1][-1] == place - 1:
            runs[-1].append(place)
        else:
            runs.append([place])
    rows = [(table, row) for table in tables if table.header for row in table.rows]
    return {
        "pieces": len(pieces),
        "empty": sum(is_blank(own) and span is None for own, span, _, _ in pieces),
        "not_found": sum(not is_blank(own) and span is None for own, span, _, _ in pieces),
        "wrong_offsets": sum(claim is not None and claim != (span or (0, 0)) for _, span, claim, _ in pieces),
        "claimed": sum(claim is not None for _, _, claim, _ in pieces),
        "inside": sum(span is not None and is_inside(number, spans) for number, span in enumerate(spans)),
        "oversize": sum(size is not None and len(own) > size for own, *_ in pieces),
        "broken": sum(
            own.count("\ufffd") > text[slice(*(span or (0, 0)))].count("\ufffd") for own, span, _, _ in pieces
        ),
        "blank": sum(is_blank(own) for own, *_ in pieces),
        "uncovered": sum(not is_blank(text[place]) for place in left),
        "blank_uncovered": sum(is_blank(text[place]) for place in left),
        "gaps": sum(not is_blank("".join(text[place] for place in run)) for run in runs),
        "tables": len(tables),
        "rows": len(rows),
        "cut_tables": sum(not is_held(found, table.start, table.end) for table in tables),
        "header_lost": sum(not has_header(pieces, table, row) for table, row in rows),
    }


def has_header(pieces, table, row):
    """Tell whether a piece holds a row and the header, or the row with the header repeated in front."""
    header = table.header[0][0], table.header[-1][1]
    return any(
        span is not None and is_held([span], *row) and (is_held([span], *header) or is_held(repeated, *header))
        for _, span, _, repeated in pieces
    )
