"""Where one setting does harm in a batch of documents: each finding with its place, from what a scan took."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from chunkscope.chunkers import Chunker, TokenChunker
from chunkscope.chunkers.boundaries import TokenStream
from chunkscope.chunkers.chunk_set import ChunkSet
from chunkscope.chunkers.prepending import Prependable, find_prependable, join_prependable, prepended_spans
from chunkscope.chunkers.windows import window_counts
from chunkscope.corpus.document import Document
from chunkscope.errors import unit_noun
from chunkscope.gate.findings import CONTEXT
from chunkscope.gate.result import CheckFinding, Suggestion
from chunkscope.measures.evidence import BoundEvidence
from chunkscope.measures.tables import BoundTables, rows_with_header
from chunkscope.spans.intervals import BoolArray, IntArray, Span, SpanArray
from chunkscope.spans.layout import Layout, Targets
from chunkscope.structure.analysis import DocumentAnalysis
from chunkscope.structure.units import get_unit

Suggest = Callable[[Targets], Sequence[Suggestion]]
"""Gives for targets that are cut what would mend them; whether they are rows with their headers."""


@dataclass(frozen=True)
class Place:
    """The documents of a batch as they lie in its layout."""

    layout: Layout
    documents: Sequence[Document]

    def line_of(self, offset: int) -> int:
        """Give the line of an offset of the layout, in its document."""
        document, base = self._at(offset)
        return document.position(offset - base).line

    def _at(self, offset: int) -> tuple[Document, int]:
        number = int(np.searchsorted(self.layout.edges, offset, side="right")) - 1
        return self.documents[number], int(self.layout.edges[number])

    def finding(
        self,
        code: str,
        span: Span,
        cut: int,
        message: str,
        *,
        question: str | None = None,
        suggestion: Suggestion | None = None,
        needed: bool = True,
    ) -> CheckFinding:
        """Make a finding of offsets in the layout."""
        document, base = self._at(span[0])
        start, end, at = span[0] - base, span[1] - base, cut - base
        line, column = document.position(at)
        return CheckFinding(
            code=code,
            document=document.name,
            question=question,
            line=line,
            column=column,
            message=message,
            quote=document.text[start:end],
            span=(start, end),
            cut=at,
            before=document.text[max(0, at - CONTEXT) : at],
            after=document.text[at : at + CONTEXT],
            suggestion=suggestion,
            is_needed=needed,
        )


def find_evidence(place: Place, bound: BoundEvidence, chunks: ChunkSet, suggest: Suggest) -> Iterator[CheckFinding]:
    """Find the evidence that no chunk holds whole."""
    reach = chunks.reach(bound.entries)
    split = reach < bound.entries.spans[:, 1]
    covered = chunks.covered(bound.entries)
    chosen = np.flatnonzero(split)
    if not len(chosen):
        return
    spoilt = bound.spoilt(split)
    suggestions = suggest(bound.entries.take(chosen))
    for entry, suggestion in zip(chosen.tolist(), suggestions, strict=True):
        start, end = bound.entries.spans[entry].tolist()
        question, cut = int(bound.question_of[entry]), max(int(reach[entry]), start)
        if not covered[entry]:
            code, what = "evidence-missing", "some of the evidence is in no chunk"
        else:
            code, what = "evidence-split", f"the evidence is cut after {cut - start:,} of {end - start:,} characters"
        yield place.finding(
            code,
            (start, end),
            cut,
            f"{bound.ids[question]}: {what}",
            question=bound.ids[question],
            suggestion=suggestion,
            needed=bool(spoilt[question]),
        )


def find_asked_rows(place: Place, bound: BoundEvidence, chunks: ChunkSet, suggest: Suggest) -> Iterator[CheckFinding]:
    """Find the rows that questions need and no chunk holds with their header."""
    apart = np.flatnonzero(~rows_with_header(chunks, bound.rows, bound.hulls))
    if not len(apart):
        return
    spoilt = bound.spoilt(bound.header_lost_entries(chunks))
    seen: dict[tuple[int, int], int] = {}
    for row in apart.tolist():
        seen.setdefault((int(bound.question_of[bound.row_entries[row]]), int(bound.rows.spans[row, 0])), row)
    chosen = np.array(list(seen.values()), dtype=np.int64)
    rows, hulls = bound.rows.take(chosen), bound.hulls.take(chosen)
    for (question, _), finding in zip(seen, _rows(place, rows, hulls, chunks, suggest), strict=True):
        name = bound.ids[question]
        message = f"{name}: {finding.message}"
        yield dataclasses.replace(finding, question=name, message=message, is_needed=bool(spoilt[question]))


def find_rows(place: Place, bound: BoundTables, chunks: ChunkSet, suggest: Suggest) -> Iterator[CheckFinding]:
    """Find all rows that no chunk holds with their header."""
    apart = ~rows_with_header(chunks, bound.rows, bound.hulls)
    if apart.any():
        yield from _rows(place, bound.rows.take(apart), bound.hulls.take(apart), chunks, suggest)


def _rows(place: Place, rows: Targets, hulls: Targets, chunks: ChunkSet, suggest: Suggest) -> Iterator[CheckFinding]:
    prepends = "table-header" in chunks.chunker.prepend
    # where the header is prepended, only a cut through the row itself parts them
    whole = rows if prepends else hulls
    cuts = np.maximum(chunks.reach(whole), whole.spans[:, 0])
    could_carry = chunks.contains(rows) & (not prepends)
    suggestions = suggest(whole)
    for row, (start, end) in enumerate(rows.spans.tolist()):
        suggestion = suggestions[row]
        if could_carry[row]:
            suggestion = dataclasses.replace(suggestion, prepend="table-header")
        cut = int(cuts[row])
        line = place.line_of(start)
        message = (
            "the row is cut" if start < cut < end else f"the table is cut between its header and the row in line {line}"
        )
        yield place.finding("header-lost", (start, end), cut, message, suggestion=suggestion)


@dataclass(frozen=True)
class LimitSeen:
    """What the weight of chunks needs of one document: where units begin, blank runs, what can be prepended."""

    begins: IntArray
    line_end: int
    blank_runs: SpanArray
    prependable: Prependable | None


class LimitMeasure:
    """Weighs the text to index of each chunk in the model's unit: what it prepends, a line each, and its body."""

    def __init__(self, unit: str, chunker: Chunker) -> None:
        self.unit = unit
        self.prepends = chunker.prepend

    def collect(self, analysis: DocumentAnalysis) -> LimitSeen:
        """Take what one document says."""
        unit = get_unit(self.unit)
        return LimitSeen(
            analysis.measured(unit).begins,
            unit.measure("\n").total if self.prepends else 0,
            analysis.blank_runs,
            find_prependable(analysis, self.prepends) if self.prepends else None,
        )

    def bind(self, collected: Sequence[LimitSeen], layout: Layout) -> BoundLimit:
        """Lay what was taken from the documents one behind the other."""
        bases = layout.edges[:-1].tolist()
        empty = np.empty(0, dtype=np.int64)
        prependable = [seen.prependable for seen in collected if seen.prependable is not None]
        return BoundLimit(
            np.concatenate([empty, *(seen.begins + base for seen, base in zip(collected, bases, strict=True))]),
            max((seen.line_end for seen in collected), default=0),
            np.concatenate(
                [empty.reshape(0, 2), *(seen.blank_runs + base for seen, base in zip(collected, bases, strict=True))]
            ),
            join_prependable(prependable, layout) if self.prepends else None,
        )


@dataclass(frozen=True)
class Weights:
    """What each chunk weighs, and how much of it is prepended; None: prepended text does not count."""

    total: IntArray
    prepended: IntArray | None
    unit: str


@dataclass(frozen=True)
class BoundLimit:
    """Where the units of all documents begin."""

    begins: IntArray
    line_end: int
    blank_runs: SpanArray
    prependable: Prependable | None

    def count(self, chunks: ChunkSet) -> dict[str, int]:
        """Add nothing to the cell: `weights` is what is asked for."""
        return {}

    def weights(self, chunks: ChunkSet, unit: str) -> Weights:
        """Give what each chunk weighs with what it prepends; blank chunks, which nobody embeds, weigh nothing."""
        spans = chunks.spans
        bodies, prepended = self._weigh(spans), np.zeros(len(spans), dtype=np.int64)
        if self.prependable is not None:
            owners, found = prepended_spans(self.prependable, chunks.chunker, spans, chunks.layout)
            np.add.at(prepended, owners, self._weigh(found) + self.line_end)
        total = bodies + prepended
        total[within(self.blank_runs, spans)] = 0
        return Weights(total, prepended, unit)

    def _weigh(self, spans: SpanArray) -> IntArray:
        weights: IntArray = np.searchsorted(self.begins, spans[:, 1]) - np.searchsorted(self.begins, spans[:, 0])
        return weights


def within(runs: SpanArray, spans: SpanArray) -> BoolArray:
    """Tell which spans lie inside one of some disjoint, increasing runs.

    Examples
    --------
    >>> within(np.array([[2, 6]]), np.array([[2, 4], [5, 7]])).tolist()
    [True, False]
    """
    if not len(runs):
        return np.zeros(len(spans), dtype=np.bool_)
    last = np.searchsorted(runs[:, 0], spans[:, 0], side="right") - 1
    inside: BoolArray = (last >= 0) & (runs[last, 1] >= spans[:, 1])
    return inside


def find_heavy(place: Place, chunks: ChunkSet, weights: Weights, limit: int) -> Iterator[CheckFinding]:
    """Find the chunks above a limit: the model's where it is known what they prepend, else their own size."""
    counted = unit_noun(weights.unit)
    prepended = weights.prepended
    for row in np.flatnonzero(weights.total > limit).tolist():
        start, end = chunks.spans[row].tolist()
        of_it = f", {int(prepended[row]):,} of them prepended" if prepended is not None and prepended[row] else ""
        above = "its size" if prepended is None else "the limit"
        message = f"the chunk has {int(weights.total[row]):,} {counted}{of_it}; {above} is {limit:,}"
        yield place.finding("chunk-oversize", (start, end), start, message)


def find_blank(place: Place, chunks: ChunkSet, runs: SpanArray) -> Iterator[CheckFinding]:
    """Find the chunks in which nothing can be seen."""
    spans = chunks.spans
    for start, end in spans[within(runs, spans)].tolist():
        yield place.finding("chunk-blank", (start, end), start, "nothing in the chunk can be seen")


def find_broken(place: Place, chunker: Chunker, boundaries: object) -> Iterator[CheckFinding]:
    """Find the raw token windows that begin or end inside a character."""
    if not isinstance(boundaries, TokenStream) or not isinstance(chunker, TokenChunker):
        return
    size = chunker.required_size()
    n_tokens = np.diff(boundaries.documents) - 1
    counts = window_counts(n_tokens, size, chunker.overlap)
    number = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
    begin = np.repeat(boundaries.documents[:-1], counts) + number * (size - chunker.overlap)
    end = np.minimum(begin + size, np.repeat(boundaries.documents[:-1] + n_tokens, counts))
    inside = boundaries.inside
    for first, last in zip(begin.tolist(), end.tolist(), strict=True):
        torn = [int(boundaries.last_whole[at]) for at in (first, last) if inside[at]]
        if torn:
            side = "begins and ends" if len(torn) > 1 else "begins" if inside[first] else "ends"
            # it is recognised by the characters that it tears
            message = f"the window {side} inside a character"
            yield place.finding("chunk-broken", (torn[0], torn[-1] + 1), torn[0], message)
