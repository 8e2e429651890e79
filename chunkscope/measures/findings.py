"""The places behind the counts: which evidence one setting splits, which rows lose their header, and where.

A count and its findings come from the same scan by the same questions to the same chunks, so they cannot disagree.

Twin: tests/oracle/findings.py
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from chunkscope.chunkers.chunk_set import ChunkSet
from chunkscope.chunkers.index_text import Weights
from chunkscope.corpus.document import Document
from chunkscope.errors import unit_noun
from chunkscope.language import Text, say
from chunkscope.measures.evidence import BoundEvidence
from chunkscope.measures.tables import Rows, prepends_header
from chunkscope.spans.intervals import Span, SpanArray
from chunkscope.spans.layout import Layout, Targets

CONTEXT = 400
"""Characters of the document that are shown on either side of a cut."""

Level = Literal["error", "warning", "note"]


@dataclass(frozen=True)
class Suggestion:
    """What would keep a text whole; None where that does not help.

    Attributes
    ----------
    size : int or None
        The nearest size tried of the same chunker that leaves the text whole, whatever it does to others.
    overlap : int or None
        The overlap from which on no text of this length is cut, wherever it stands.
    length : int
        How long the text is, in the chunker's unit.
    prepend : str or None
        What a chunk would have to prepend.
    is_nearest : bool
        Every nearer size has been looked at; False where only some have, because each means cutting anew.
    """

    size: int | None
    overlap: int | None
    length: int
    prepend: str | None = None
    is_nearest: bool = True

    def to_dict(self) -> dict[str, object]:
        """Give it as JSON has it."""
        return {"size": self.size, "overlap": self.overlap, "length": self.length, "prepend": self.prepend}


Suggest = Callable[[Targets], Sequence[Suggestion]]
"""Gives for targets that are cut what would keep them whole."""


@dataclass(frozen=True)
class Finding:
    """One thing that a setting does, or that is wrong with a label.

    Attributes
    ----------
    code : str
        ``evidence-split``; ``evidence-missing``: some of it is in no chunk; ``header-lost``: no chunk has the row with
        its header; ``not-answered``: what ranks first does not answer the question; ``newly-lost``: it is lost, and was
        not in an earlier result; ``chunk-oversize``, ``chunk-broken``, ``chunk-blank``; or ``label-`` and the problem.
    document : str or None
        Its name; None for labels that name none.
    question : str or None
        The question that needs it; None for what no question needs.
    line, column : int
        In the document the place of the cut, or the start of the chunk; for labels the line of the questions file.
    message : str
        In one line.
    quote : str
        The evidence, the row, the chunk, or the quote of the label: what it is recognised by.
    span : (int, int) or None
        Where that stands, in code points.
    cut : int or None
        Offset of the first cut.
    before, after : str
        The document's text on both sides of that place.
    suggestion : Suggestion or None
        Where one was asked for.
    path : str
        The file, as it is shown.
    source : str
        Where the document was converted from a file: which, and the page of the cut in it.
    level : {"error", "warning", "note"}
        An error counts against a threshold that is missed; a note is within its threshold, known, or harms nobody.
    is_known : bool
        The baseline has it.
    is_needed : bool
        False where other evidence of the question is enough.
    weight : int
        How many chunks or characters it stands for.
    cause : str or None
        Why a question is not answered: ``not_indexed``, ``not_embedded``, ``split``, ``header_lost`` or ``below``.
    """

    code: str
    document: str | None
    question: str | None
    line: int
    column: int
    message: str
    quote: str
    span: Span | None = None
    cut: int | None = None
    before: str = ""
    after: str = ""
    suggestion: Suggestion | None = None
    path: str = ""
    source: str = ""
    level: Level = "error"
    is_known: bool = False
    is_needed: bool = True
    cause: str | None = None
    weight: int = 1

    def to_dict(self) -> dict[str, Any]:
        """Give it as JSON has it."""
        return {
            "code": self.code,
            "level": self.level,
            "path": self.path,
            "line": self.line,
            "column": self.column,
            "document": self.document,
            "question": self.question,
            "message": self.message,
            "quote": self.quote,
            "span": None if self.span is None else list(self.span),
            "cut": self.cut,
            "known": self.is_known,
            "needed": self.is_needed,
            "suggestion": None if self.suggestion is None else self.suggestion.to_dict(),
            **({"source": str(self.source)} if self.source else {}),
            **({} if self.cause is None else {"cause": self.cause}),
            **({} if self.weight == 1 else {"weight": self.weight}),
        }


@dataclass(frozen=True)
class Places:
    """The documents of a scan, to say where an offset of its layout stands."""

    layout: Layout
    documents: Sequence[Document]

    def line_of(self, offset: int) -> int:
        """Give the line of an offset in its document."""
        document, base = self._at(offset)
        return document.position(offset - base).line

    def _at(self, offset: int) -> tuple[Document, int]:
        number = int(np.searchsorted(self.layout.edges, offset, side="right")) - 1
        return self.documents[number], int(self.layout.edges[number])

    def finding(self, code: str, span: Span, cut: int, message: str, **rest: Any) -> Finding:
        """Make a finding of offsets in the layout."""
        document, base = self._at(span[0])
        start, end, at = span[0] - base, span[1] - base, cut - base
        line, column = document.position(at)
        text = document.text
        return Finding(
            code=code,
            document=document.name,
            question=rest.pop("question", None),
            line=line,
            column=column,
            message=message,
            quote=text[start:end],
            span=(start, end),
            cut=at,
            before=text[max(0, at - CONTEXT) : at],
            after=text[at : at + CONTEXT],
            source=document.source_place(at),
            **rest,
        )


def find_evidence(
    places: Places, bound: BoundEvidence, chunks: ChunkSet, suggest: Suggest | None = None
) -> Iterator[Finding]:
    """Find the evidence that no chunk holds whole."""
    reach = chunks.reach(bound.spans)
    split = reach < bound.spans.spans[:, 1]
    chosen = np.flatnonzero(split)
    if not len(chosen):
        return
    covered, spoilt, table = chunks.covered(bound.spans), bound.table.spoilt(split), bound.table
    suggestions = suggest(bound.spans.take(chosen)) if suggest else [None] * len(chosen)
    for number, suggestion in zip(chosen.tolist(), suggestions, strict=True):
        start, end = bound.spans.spans[number].tolist()
        question, cut = int(table.questions[number]), max(int(reach[number]), start)
        code = "evidence-split"
        what = say("the evidence is cut after {n:,} of {total:,} characters", n=cut - start, total=end - start)
        if not covered[number]:
            code, what = "evidence-missing", say("part of the evidence is in no chunk")
        name = table.ids[question]
        yield places.finding(
            code,
            (start, end),
            cut,
            say("{id}: {text}", id=name, text=what),
            question=name,
            suggestion=suggestion,
            is_needed=bool(spoilt[question]),
        )


def find_needed_rows(
    places: Places, bound: BoundEvidence, chunks: ChunkSet, suggest: Suggest | None = None
) -> Iterator[Finding]:
    """Find the rows that questions need and no chunk holds with their header."""
    lost = np.flatnonzero(~bound.rows.with_header(chunks))
    if not len(lost):
        return
    spoilt = bound.table.spoilt(bound.header_lost(chunks))
    starts, questions = bound.rows.rows.spans[:, 0].tolist(), bound.table.questions[bound.row_evidence].tolist()
    once = {(questions[row], starts[row]): row for row in reversed(lost.tolist())}
    chosen = sorted(once.items(), key=lambda pair: pair[1])
    rows = bound.rows.take(np.array([row for _, row in chosen], dtype=np.int64))
    for ((question, _), _), finding in zip(chosen, find_rows(places, rows, chunks, suggest), strict=True):
        name = bound.table.ids[question]
        message = say("{id}: {text}", id=name, text=finding.message)
        yield dataclasses.replace(finding, question=name, message=message, is_needed=bool(spoilt[question]))


def find_lost_rows(places: Places, rows: Rows, chunks: ChunkSet, suggest: Suggest | None = None) -> Iterator[Finding]:
    """Find all rows that no chunk holds with their header."""
    lost = ~rows.with_header(chunks)
    return find_rows(places, rows.take(lost), chunks, suggest) if lost.any() else iter(())


def find_rows(places: Places, rows: Rows, chunks: ChunkSet, suggest: Suggest | None) -> Iterator[Finding]:
    """Make findings of rows that have lost their header."""
    prepends = prepends_header(chunks.chunker)
    # where the header is prepended, only a cut through the row itself separates them
    whole = rows.wanted(chunks.chunker)
    cuts = np.maximum(chunks.reach(whole), whole.spans[:, 0])
    could_prepend = chunks.contains(rows.rows) & (not prepends)
    suggestions: Sequence[Suggestion | None] = suggest(whole) if suggest else [None] * len(rows)
    for row, (start, end) in enumerate(rows.rows.spans.tolist()):
        suggestion = suggestions[row]
        if suggestion is not None and could_prepend[row]:
            suggestion = dataclasses.replace(suggestion, prepend="table-header")
        cut = int(cuts[row])
        message = say("the row is cut")
        if not start < cut < end:
            message = say("the table is cut between its header and the row in line {line}", line=places.line_of(start))
        yield places.finding("header-lost", (start, end), cut, message, suggestion=suggestion)


def find_heavy(places: Places, chunks: ChunkSet, weights: Weights, limit: int, unit: str) -> Iterator[Finding]:
    """Find the chunks whose text to index is above a model's limit."""
    for row in np.flatnonzero(weights.total > limit).tolist():
        start, end = chunks.bodies[row].tolist()
        length = _length(int(weights.total[row]), unit)
        message = say("the chunk has {length}; the limit is {limit:,}", length=length, limit=limit)
        if prepended := int(weights.prepended[row]):
            message = say(
                "the chunk has {length}, {prepended:,} of them prepended; the limit is {limit:,}",
                length=length,
                prepended=prepended,
                limit=limit,
            )
        yield places.finding("chunk-oversize", (start, end), start, message)


def find_oversize(places: Places, chunks: ChunkSet, size: int, unit: str) -> Iterator[Finding]:
    """Find the chunks whose body is above the size: items that cannot be cut."""
    for row in np.flatnonzero(chunks.sizes > size).tolist():
        start, end = chunks.bodies[row].tolist()
        length = _length(int(chunks.sizes[row]), unit)
        message = say("the chunk has {length}; the size is {size:,}", length=length, size=size)
        yield places.finding("chunk-oversize", (start, end), start, message)


def _length(n: int, unit: str) -> Text:
    return say("{n:,} {unit}", n=n, unit=unit_noun(unit, n))


def find_blank(places: Places, chunks: ChunkSet, runs: SpanArray) -> Iterator[Finding]:
    """Find the chunks in which nothing can be seen."""
    for start, end in chunks.bodies[chunks.is_blank(runs)].tolist():
        yield places.finding("chunk-blank", (start, end), start, say("the chunk has no visible text"))


def find_broken(places: Places, chunks: ChunkSet) -> Iterator[Finding]:
    """Find the raw token windows that begin or end inside a character; it is recognised by the characters it tears."""
    for begin, end in chunks.torn.tolist():
        torn = [at for at in (begin, end) if at >= 0]
        if not torn:
            continue  # tokens of no width tear nothing that could be shown
        message = say("the window ends inside a character")
        if len(torn) > 1:
            message = say("the window begins and ends inside a character")
        elif begin >= 0:
            message = say("the window begins inside a character")
        yield places.finding("chunk-broken", (torn[0], torn[-1] + 1), torn[0], message)
