"""Where one setting does harm in a batch of documents: each finding with its place, from what a survey took."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from chunkscope.chunkers import Chunker, TokenChunker
from chunkscope.chunkers.boundaries import TokenStream
from chunkscope.chunkers.carrying import Carriable, carried_spans, find_carriable, join_carriable
from chunkscope.chunkers.chunk_set import ChunkSet
from chunkscope.chunkers.windows import window_counts
from chunkscope.corpus.document import Document
from chunkscope.gate.findings import CONTEXT
from chunkscope.gate.result import CheckFinding, Mend
from chunkscope.measures.evidence import EvidenceGauge
from chunkscope.measures.tables import TableGauge, rows_together
from chunkscope.spans.intervals import BoolArray, IntArray, Span, SpanArray
from chunkscope.spans.layout import Layout, Targets
from chunkscope.structure.analysis import Parts
from chunkscope.structure.units import get_unit

Mender = Callable[[Targets], Sequence[Mend]]
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
        mend: Mend | None = None,
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
            mend=mend,
            is_needed=needed,
        )


def find_evidence(place: Place, gauge: EvidenceGauge, chunks: ChunkSet, mender: Mender) -> Iterator[CheckFinding]:
    """Find the evidence that no chunk holds whole."""
    reach = chunks.reach(gauge.entries)
    split = reach < gauge.entries.spans[:, 1]
    covered = chunks.covered(gauge.entries)
    chosen = np.flatnonzero(split)
    if not len(chosen):
        return
    spoilt = gauge.spoilt(split)
    mends = mender(gauge.entries.take(chosen))
    for entry, mend in zip(chosen.tolist(), mends, strict=True):
        start, end = gauge.entries.spans[entry].tolist()
        question, cut = int(gauge.question_of[entry]), max(int(reach[entry]), start)
        if not covered[entry]:
            code, what = "evidence-missing", "some of the evidence is in no chunk"
        else:
            code, what = "evidence-split", f"the evidence is cut after {cut - start:,} of {end - start:,} characters"
        yield place.finding(
            code,
            (start, end),
            cut,
            f"{gauge.ids[question]}: {what}",
            question=gauge.ids[question],
            mend=mend,
            needed=bool(spoilt[question]),
        )


def find_asked_rows(place: Place, gauge: EvidenceGauge, chunks: ChunkSet, mender: Mender) -> Iterator[CheckFinding]:
    """Find the rows that questions need and no chunk holds with their header."""
    apart = np.flatnonzero(~rows_together(chunks, gauge.rows, gauge.hulls))
    if not len(apart):
        return
    spoilt = gauge.spoilt(gauge.apart_entries(chunks))
    seen: dict[tuple[int, int], int] = {}
    for row in apart.tolist():
        seen.setdefault((int(gauge.question_of[gauge.row_entries[row]]), int(gauge.rows.spans[row, 0])), row)
    chosen = np.array(list(seen.values()), dtype=np.int64)
    rows, hulls = gauge.rows.take(chosen), gauge.hulls.take(chosen)
    for (question, _), finding in zip(seen, _rows(place, rows, hulls, chunks, mender), strict=True):
        name = gauge.ids[question]
        message = f"{name}: {finding.message}"
        yield dataclasses.replace(finding, question=name, message=message, is_needed=bool(spoilt[question]))


def find_rows(place: Place, gauge: TableGauge, chunks: ChunkSet, mender: Mender) -> Iterator[CheckFinding]:
    """Find all rows that no chunk holds with their header."""
    apart = ~rows_together(chunks, gauge.rows, gauge.hulls)
    if apart.any():
        yield from _rows(place, gauge.rows.take(apart), gauge.hulls.take(apart), chunks, mender)


def _rows(place: Place, rows: Targets, hulls: Targets, chunks: ChunkSet, mender: Mender) -> Iterator[CheckFinding]:
    carries = "table-header" in chunks.chunker.carry
    # where the header is carried, only a cut through the row itself parts them
    whole = rows if carries else hulls
    cuts = np.maximum(chunks.reach(whole), whole.spans[:, 0])
    could_carry = chunks.contains(rows) & (not carries)
    mends = mender(whole)
    for row, (start, end) in enumerate(rows.spans.tolist()):
        mend = mends[row]
        if could_carry[row]:
            mend = dataclasses.replace(mend, carry="table-header")
        cut = int(cuts[row])
        line = place.line_of(start)
        message = (
            "the row is cut" if start < cut < end else f"the table is cut between its header and the row in line {line}"
        )
        yield place.finding("row-apart", (start, end), cut, message, mend=mend)


@dataclass(frozen=True)
class LimitSeen:
    """What the weight of chunks needs of one document: where units begin, blank runs, what can be carried."""

    begins: IntArray
    line_end: int
    blank_runs: SpanArray
    carriable: Carriable | None


class LimitMeasure:
    """Weighs the text to index of each chunk in the model's unit: what it carries, a line each, and its body."""

    def __init__(self, unit: str, chunker: Chunker) -> None:
        self.unit = unit
        self.carries = chunker.carry

    def observe(self, parts: Parts) -> LimitSeen:
        """Take what one document says."""
        unit = get_unit(self.unit)
        return LimitSeen(
            parts.measured(unit).begins,
            unit.measure("\n").total if self.carries else 0,
            parts.blank_runs,
            find_carriable(parts, self.carries) if self.carries else None,
        )

    def prepare(self, observed: Sequence[LimitSeen], layout: Layout) -> LimitGauge:
        """Lay what was taken from the documents one behind the other."""
        bases = layout.edges[:-1].tolist()
        empty = np.empty(0, dtype=np.int64)
        carriable = [seen.carriable for seen in observed if seen.carriable is not None]
        return LimitGauge(
            np.concatenate([empty, *(seen.begins + base for seen, base in zip(observed, bases, strict=True))]),
            max((seen.line_end for seen in observed), default=0),
            np.concatenate(
                [empty.reshape(0, 2), *(seen.blank_runs + base for seen, base in zip(observed, bases, strict=True))]
            ),
            join_carriable(carriable, layout) if self.carries else None,
        )


@dataclass(frozen=True)
class Weights:
    """What each chunk weighs, and how much of it is carried; None: carried text does not count."""

    total: IntArray
    carried: IntArray | None
    unit: str


@dataclass(frozen=True)
class LimitGauge:
    """Where the units of all documents begin."""

    begins: IntArray
    line_end: int
    blank_runs: SpanArray
    carriable: Carriable | None

    def count(self, chunks: ChunkSet) -> dict[str, int]:
        """Add nothing to the cell: `weights` is what is asked for."""
        return {}

    def weights(self, chunks: ChunkSet, unit: str) -> Weights:
        """Give what each chunk weighs with what it carries; blank chunks, which nobody embeds, weigh nothing."""
        spans = chunks.spans
        bodies, carried = self._weigh(spans), np.zeros(len(spans), dtype=np.int64)
        if self.carriable is not None:
            owners, found = carried_spans(self.carriable, chunks.chunker, spans, chunks.layout)
            np.add.at(carried, owners, self._weigh(found) + self.line_end)
        total = bodies + carried
        total[within(self.blank_runs, spans)] = 0
        return Weights(total, carried, unit)

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
    """Find the chunks above a limit: the model's where it is known what they carry, else their own size."""
    counted = {"char": "characters", "word": "words"}.get(weights.unit, f"{weights.unit} tokens")
    carried = weights.carried
    for row in np.flatnonzero(weights.total > limit).tolist():
        start, end = chunks.spans[row].tolist()
        of_it = f", {int(carried[row]):,} of them carried" if carried is not None and carried[row] else ""
        above = "its size" if carried is None else "the limit"
        message = f"the chunk has {int(weights.total[row]):,} {counted}{of_it}; {above} is {limit:,}"
        yield place.finding("chunk-oversize", (start, end), start, message)


def find_blank(place: Place, chunks: ChunkSet, runs: SpanArray) -> Iterator[CheckFinding]:
    """Find the chunks in which nothing can be seen."""
    spans = chunks.spans
    for start, end in spans[within(runs, spans)].tolist():
        yield place.finding("chunk-blank", (start, end), start, "nothing in the chunk can be seen")


def find_broken(place: Place, chunker: Chunker, segments: object) -> Iterator[CheckFinding]:
    """Find the raw token windows that begin or end inside a character."""
    if not isinstance(segments, TokenStream) or not isinstance(chunker, TokenChunker):
        return
    size = chunker.required_size()
    n_tokens = np.diff(segments.documents) - 1
    counts = window_counts(n_tokens, size, chunker.overlap)
    number = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
    begin = np.repeat(segments.documents[:-1], counts) + number * (size - chunker.overlap)
    end = np.minimum(begin + size, np.repeat(segments.documents[:-1] + n_tokens, counts))
    inside = segments.inside
    for first, last in zip(begin.tolist(), end.tolist(), strict=True):
        torn = [int(segments.last_whole[at]) for at in (first, last) if inside[at]]
        if torn:
            side = "begins and ends" if len(torn) > 1 else "begins" if inside[first] else "ends"
            # it is recognised by the characters that it tears
            message = f"the window {side} inside a character"
            yield place.finding("chunk-broken", (torn[0], torn[-1] + 1), torn[0], message)
