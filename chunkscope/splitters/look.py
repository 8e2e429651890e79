"""One document and all that is known of its pieces: which of them are changed, misplaced, torn, and what none holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np

from chunkscope.chunkers.base import Chunker, Chunking
from chunkscope.chunkers.chunk_rows import chunk_document
from chunkscope.chunkers.chunk_set import ChunkSet, span_chunks
from chunkscope.chunkers.pieces import NORMALISED, NOT_FOUND, PREPENDED, Pieces
from chunkscope.corpus.document import Document
from chunkscope.measures.tables import Rows, RowSpans
from chunkscope.spans.intervals import IntArray, Span, SpanArray, as_spans, union
from chunkscope.spans.layout import Layout, Targets
from chunkscope.splitters.alignment import Alignment
from chunkscope.splitters.chunker import SplitterChunker
from chunkscope.splitters.dump import DumpChunker
from chunkscope.splitters.pieces import REPLACEMENT, claim_of, is_broken, is_wrong, pieces_at, place
from chunkscope.splitters.reasons import why_not_found
from chunkscope.splitters.shapes import RawPiece
from chunkscope.splitters.texts import Texts
from chunkscope.structure.analysis import DocumentAnalysis
from chunkscope.structure.characters import BLANK, character_flags, code_points

SHOWN = 200
"""Characters of a text that are kept to show it."""


@dataclass(frozen=True)
class Place:
    """Where one thing is.

    Attributes
    ----------
    document : str
    line, column : int
        Where it starts; for what was found nowhere, where the piece before it ends.
    span : (int, int) or None
        In code points; None for what was found nowhere.
    number : int or None
        Of the piece in its document; None for what is no piece.
    text : str
        What it is recognised by: the beginning of the piece or of the passage, or what stands around a torn character.
    claimed : (int, int) or None
        The offsets that were given for it.
    how : tuple of str
        How it differs from the document, or why it was not found.
    id : str or None
        What an index calls the piece.
    """

    document: str
    line: int
    column: int
    span: Span | None
    number: int | None
    text: str
    claimed: Span | None = None
    how: tuple[str, ...] = ()
    id: str | None = None

    def to_dict(self) -> dict[str, object]:
        """Give it as JSON has it."""
        return {
            "document": self.document,
            "line": self.line,
            "column": self.column,
            "span": None if self.span is None else list(self.span),
            "number": self.number,
            "id": self.id,
            "text": self.text,
            "claimed": None if self.claimed is None else list(self.claimed),
            "how": list(self.how),
        }


class Problem(NamedTuple):
    """Something that some pieces, passages, tables or rows have.

    Attributes
    ----------
    code : str
    found : int64 (n,)
        The numbers of those that have it.
    place : callable
        Gives the place of such a number.
    """

    code: str
    found: IntArray
    place: Callable[[int], Place]


@dataclass(frozen=True)
class Look:
    """The pieces of one document.

    Attributes
    ----------
    document : Document
    raw : sequence of RawPiece
        As they were given; spans of our own chunkers are claimed by nobody.
    pieces : Pieces
    found : Alignment or None
        None for chunkers of our own, whose chunks are spans.
    chunks : ChunkSet
        What holds text; its texts are what sizes count.
    rows : Rows
        Those of tables with a header.
    tables : int64 (n, 2)
    size : int or None
        What no piece should exceed; None where there is none, or where only the splitter knows what it counts.
    """

    document: Document
    raw: Sequence[RawPiece]
    pieces: Pieces
    found: Alignment | None
    chunks: ChunkSet
    rows: Rows
    tables: SpanArray
    size: int | None

    @classmethod
    def at(cls, document: Document, chunker: Chunker) -> Self:
        """Cut a document, and find the pieces.

        Raises
        ------
        SplitterError
            The splitter cannot split it.
        """
        found = None
        if isinstance(chunker, SplitterChunker | DumpChunker):
            raw = _given_by(chunker, document)
            if isinstance(chunker, DumpChunker):
                pieces, found = chunker.placed(document)
            else:
                found = place(document, raw)
                pieces = pieces_at(document, raw, found)
            spans = pieces.spans[pieces.outermost]
            cut = Chunking(spans, spans[:, 1] - spans[:, 0], pieces=pieces)
        else:
            cut = chunk_document(document, chunker)
            raw = [RawPiece(document.text[start:end]) for start, end in cut.spans.tolist()]
            kinds = np.zeros(len(raw), dtype=np.uint8)
            pieces = Pieces([piece.text for piece in raw], cut.spans, np.arange(len(raw)), kinds)
        layout, tables = Layout.of([document.name], [document.length]), DocumentAnalysis(document).tables
        return cls(
            document,
            raw,
            pieces,
            found,
            span_chunks(layout, chunker, cut),
            Rows.joined([RowSpans.of(tables)], layout),
            as_spans([(table.start, table.end) for table in tables]),
            stated_size(chunker) if chunker.shown_unit == chunker.unit else None,
        )

    def counts(self) -> dict[str, int]:
        """Count what has no places; see `Inspection`."""
        pieces, kinds = self.pieces, self.pieces.counted()
        n_uncovered, n_visible = int(np.diff(self.gaps).sum()), int(self._visible_in_gaps.sum())
        return {
            "pieces": self.chunks.n_chunks,
            "exact": kinds["exact"],
            "empty": kinds["empty"],
            "repeating": len(np.unique(pieces.owners)),
            "foreign": 0 if self.found is None else int(np.count_nonzero(self.found.prefixes)),
            "claimed": sum(piece.start is not None for piece in self.raw),
            "uncovered": n_visible,
            "blank_uncovered": n_uncovered - n_visible,
            "tables": len(self.tables),
            "rows": len(self.rows),
        }

    def problems(self) -> Iterator[Problem]:
        """Give what has places."""
        pieces, kinds = self.pieces, self.pieces.kinds
        is_empty = pieces.is_blank & ~pieces.is_found  # there is nothing to be found
        yield Problem("normalised", np.flatnonzero((kinds == NORMALISED) & ~is_empty), self._piece)
        yield Problem("prepended", np.flatnonzero((kinds == PREPENDED) & ~is_empty), self._piece)
        yield Problem("not_found", np.flatnonzero((kinds == NOT_FOUND) & ~is_empty), self._lost)
        yield Problem("wrong_offsets", self._chosen(is_wrong), self._piece)
        unsure = np.empty(0, dtype=np.bool_) if self.found is None else self.found.ambiguous
        yield Problem("ambiguous", np.flatnonzero(unsure), self._piece)
        is_inside = pieces.is_found.copy()
        is_inside[pieces.outermost] = False
        yield Problem("inside", np.flatnonzero(is_inside), self._piece)
        if self.size is not None:
            yield Problem("oversize", np.flatnonzero(self.chunks.sizes > self.size), self._piece)
        yield self._broken()
        yield Problem("blank", np.flatnonzero(pieces.is_blank), self._piece)
        yield Problem("gaps", np.flatnonzero(self._visible_in_gaps), self._passages(self.gaps))
        whole = self.chunks.contains(Targets.of(self.tables, self.chunks.layout))
        yield Problem("cut_tables", np.flatnonzero(~whole), self._passages(self.tables))
        with_header = self.rows.with_header(self.chunks)
        yield Problem("header_lost", np.flatnonzero(~with_header), self._passages(self.rows.rows.spans))

    def why_not_found(self, number: int) -> str:
        """Say why a piece has no place."""
        return why_not_found(self._texts, self.raw[number].text)

    @cached_property
    def _texts(self) -> Texts:
        return Texts(self.document.text)

    @cached_property
    def gaps(self) -> SpanArray:
        """What no piece holds: int64 (n, 2)."""
        spans = np.concatenate([self.chunks.spans, self.pieces.prepended])
        held = union(spans[np.argsort(spans[:, 0], kind="stable")])
        gaps = np.column_stack((np.append(0, held[:, 1]), np.append(held[:, 0], self.document.length)))
        found: SpanArray = gaps[gaps[:, 0] < gaps[:, 1]]
        return found

    @cached_property
    def _visible_in_gaps(self) -> IntArray:
        """Characters of each that can be seen: int64 (n,)."""
        is_visible = (character_flags(code_points(self.document.text)) & BLANK) == 0
        seen = np.concatenate(([0], np.cumsum(is_visible)))
        found: IntArray = seen[self.gaps[:, 1]] - seen[self.gaps[:, 0]]
        return found

    def _chosen(self, is_so: Callable[[RawPiece, Span], bool]) -> IntArray:
        spans = self.pieces.spans.tolist()
        return np.flatnonzero([is_so(piece, (start, end)) for piece, (start, end) in zip(self.raw, spans, strict=True)])

    def _broken(self) -> Problem:
        torn = self.chunks.torn.max(axis=1, initial=-1)  # of windows over tokens
        if len(torn):
            at = np.column_stack((torn, torn + 1))
            return Problem("broken", np.arange(len(torn)), self._passages(at))
        text = self.document.text
        return Problem("broken", self._chosen(lambda piece, span: is_broken(piece.text, text, span)), self._torn)

    def _piece(self, number: int) -> Place:
        """Show a piece by its beginning."""
        span = self._span(number)
        start = self._end_before(number) if span is None else span[0]
        how = () if self.found is None else self.found.changes[number]
        text = self.raw[number].text[:SHOWN]
        name = self.pieces.ids[number] if self.pieces.ids else None
        return self._at(start, span, int(self.pieces.numbers[number]), text, claim_of(self.raw[number]), how, name)

    def _lost(self, number: int) -> Place:
        """Show a piece that has no place, with the reason."""
        return replace(self._piece(number), how=(self.why_not_found(number),))

    def _torn(self, number: int) -> Place:
        """Show a piece by what stands around its first torn character."""
        text = self.raw[number].text
        at = text.index(REPLACEMENT)
        return replace(self._piece(number), text=text[max(0, at - SHOWN // 20) : at + SHOWN])

    def _passages(self, spans: SpanArray) -> Callable[[int], Place]:
        """Give what shows passages of the document."""

        def passage(number: int) -> Place:
            start, end = spans[number].tolist()
            return self._at(start, (start, end), None, self.document.text[start : min(end, start + SHOWN)])

        return passage

    def _at(self, offset: int, *rest: object) -> Place:
        line, column = self.document.position(offset)
        return Place(self.document.name, line, column, *rest)  # type: ignore[arg-type]

    def _span(self, number: int) -> Span | None:
        start, end = self.pieces.spans[number].tolist()
        return (start, end) if self.pieces.is_found[number] else None

    def _end_before(self, number: int) -> int:
        """Give where the last piece ends that stands before another and has a place."""
        before = np.flatnonzero(self.pieces.is_found[:number])
        return int(self.pieces.spans[before[-1], 1]) if len(before) else 0


def _given_by(chunker: SplitterChunker | DumpChunker, document: Document) -> list[RawPiece]:
    """Give the pieces of a document as a splitter gives them now, or as they stand in an index."""
    if isinstance(chunker, SplitterChunker):
        return chunker.split(document.text)
    return [RawPiece(row.text, row.start, row.end) for row in chunker.rows_of(document.name)]


def stated_size(chunker: Chunker) -> int | None:
    """Give the size that pieces should keep to: that which is asked for, or a splitter's own."""
    if chunker.size is None and isinstance(chunker, SplitterChunker):
        return chunker.splitter.default_size
    return chunker.size


def stated_overlap(chunker: Chunker) -> int | None:
    """Give the overlap along with it."""
    if chunker.size is None and not chunker.overlap and isinstance(chunker, SplitterChunker):
        return chunker.splitter.default_overlap
    return chunker.overlap
