"""What one chunk prepends."""

from __future__ import annotations

import re


def prepended(text, chunker, start, end):
    """Give the spans that the chunk ``[start, end)`` prepends, in the order of the document."""
    wanted = []
    for what in chunker.prepend:
        if what == "headings":
            wanted += heading_path(text, start, end, joins=chunker.merge)
        elif what == "title":
            first = [(h.start, h.end) for h in text.headings if h.level == 1][:1]
            wanted += first or front_matter_line(text, "title")
        elif what == "table-header":
            wanted += _headers(text, start, end)
        else:
            wanted += front_matter_line(text, what.removeprefix("front-matter:"))
    lacking = {span for span in wanted if not (start <= span[0] and span[1] <= end)}
    return sorted(a for a in lacking if not any(b != a and b[0] <= a[0] and a[1] <= b[1] for b in lacking))


def heading_path(text, start, end, *, joins):
    """Give the heading lines above and at the section where a chunk starts, or that all its sections share."""
    paths = [_path_at(text, start)]
    if joins:
        paths += [_path_at(text, h.start) for h in text.headings if start < h.start < end]
    shared = []
    for rank in zip(*paths, strict=False):
        if len(set(rank)) > 1:
            break
        shared.append(rank[0])
    return shared


def _path_at(text, place):
    path = []
    for heading in text.headings:
        if heading.start <= place:
            path = [above for above in path if above.level < heading.level] + [heading]
    return [(heading.start, heading.end) for heading in path]


def _headers(text, start, end):
    found = []
    for table in text.tables:
        holds_part = any(row[0] < end and start < row[1] for row in table.rows)
        if table.header and holds_part and not (start <= table.header[0][0] and table.header[-1][1] <= end):
            last = table.header[-1][1]
            if table.kind == "pipe":
                lines = [match.span() for match in re.finditer(r"[^\r\n]*(?:\r\n|\r|\n|\Z)", text.text)]
                delimiter = next(line for line in lines if line[0] > last)
                last = delimiter[0] + len(text.text[delimiter[0] : delimiter[1]].rstrip("\r\n"))
            found.append((table.header[0][0], last))
    return found


def front_matter_line(text, key):
    """Give the line of the front matter that has a key; a list of one span, or of none."""
    start = 0
    for line in re.split(r"(\r\n|\r|\n)", text.text[: text.front_matter_end]):
        if re.match(rf"""(["']?){re.escape(key)}\1[ \t]*:(?:[ \t]|\Z)""", line):
            return [(start, start + len(line))]
        start += len(line)
    return []


def index_spans(text, chunker, start, end):
    """Give the spans of the text to index: what a chunk prepends, a line each, then the chunk."""
    return [*prepended(text, chunker, start, end), (start, end)]
