"""Data rows, and whether a chunk holds them with their header."""

from __future__ import annotations

from oracle.spans import is_held


def is_together(chunks, chunker, table, row):
    """Tell whether a chunk holds a row and the header, or a row where chunks prepend the header."""
    if "table-header" in chunker.prepend:
        return is_held(chunks, *row)
    header = table.header[0][0], table.header[-1][1]
    return any(is_held([chunk], *header) and is_held([chunk], *row) for chunk in chunks)


def rows_with_header(text):
    """Give each data row of a table with a header, with its table."""
    return [(table, row) for table in text.tables if table.header for row in table.rows]


def count_tables(texts, chunker, chunks):
    """Count rows, and those that are with their header; `chunks` are those of each text, by its name."""
    rows = [(text.name, *found) for text in texts for found in rows_with_header(text)]
    return {
        "table_rows": len(rows),
        "table_rows_with_header": sum(is_together(chunks[name], chunker, table, row) for name, table, row in rows),
        "table_rows_whole": sum(is_held(chunks[name], *row) for name, _, row in rows),
        "tables_without_header": sum(not table.header for text in texts for table in text.tables),
    }
