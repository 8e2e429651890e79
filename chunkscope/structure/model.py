"""What a text is made of, as values: headings, tables, code, blocks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np

from chunkscope.plugins.shown import counted
from chunkscope.spans.intervals import IntArray, Span, SpanArray, as_spans, merge


class Heading(NamedTuple):
    """A document-level heading: its whole lines without the last line end, its level, its title as written."""

    start: int
    end: int
    level: int
    title: str


@dataclass(frozen=True, slots=True)
class Table:
    """A table: its own span, the spans of its header rows (none: no header) and of its data rows.

    A pipe row is its line without the white space at its end; an HTML row runs from ``<tr`` to the end of ``</tr>``.
    Where the cells of the written header are all empty, as converters leave them, the first row stands for it
    (`has_blank_header`).
    """

    kind: Literal["pipe", "html"]
    start: int
    end: int
    header: tuple[Span, ...]
    rows: tuple[Span, ...]
    has_blank_header: bool = field(default=False, repr=False)


@dataclass(frozen=True, slots=True)
class Structure:
    """The parts of one text.

    Attributes
    ----------
    length : int
        Code points in the text.
    front_matter_end : int
        Where the front matter ends, its closing line's end included; 0 if there is none.
    headings, tables : tuple
        In the order of their starts. A table in a cell stands after the one that holds it.
    code : int64 (n, 2)
        Fenced blocks with their fences, and indented blocks, as whole lines without the last line end.
    block_starts : int64 (n,)
        Where blocks start, increasing; the first is 0 unless the text is empty: heading, paragraph, list item,
        quote, each table row, each code line, each HTML row, front matter, rule. Each is a sentence boundary.
    marks : int64 (n, 2)
        Whole lines, without the last line end, that are marks of a dialect and no sentences: ``:::note``, ``!!! note``,
        tags of MDX, formulas.
    habits : tuple of str
        What the dialect has that the text makes use of; see `chunkscope.corpus.dialect`.
    """

    length: int
    front_matter_end: int
    headings: tuple[Heading, ...]
    tables: tuple[Table, ...]
    code: SpanArray
    block_starts: IntArray
    marks: SpanArray = field(default_factory=lambda: as_spans([]))
    habits: tuple[str, ...] = ()

    def __repr__(self) -> str:
        counts = {"character": self.length, "heading": len(self.headings), "table": len(self.tables)}
        counts["code block"] = len(self.code)
        return f"Structure({', '.join(counted(n, noun) for noun, n in counts.items())})"

    @property
    def section_starts(self) -> IntArray:
        """Where sections start: at 0, for the text before the first heading, and at each heading."""
        starts = np.array([0, *(heading.start for heading in self.headings)], dtype=np.int64)
        return merge(starts) if self.length else starts[:0]

    def heading_paths(self) -> list[tuple[Heading, ...]]:
        """Give for each section of `section_starts` the headings above and at it, outermost first."""
        paths: list[tuple[Heading, ...]] = []
        if self.length and not (self.headings and self.headings[0].start == 0):
            paths.append(())
        stack: list[Heading] = []
        for heading in self.headings:
            while stack and stack[-1].level >= heading.level:
                stack.pop()
            stack.append(heading)
            paths.append(tuple(stack))
        return paths
