"""The text to index of a chunk: what it prepends, a line each, then its body; and what that weighs.

Twin: tests/oracle/lengths.py
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from chunkscope.chunkers.chunk_set import ChunkSet, piece_weights
from chunkscope.chunkers.pieces import Pieces
from chunkscope.chunkers.prepending import Prependable, prepended_spans
from chunkscope.spans.intervals import IntArray, Span, SpanArray, as_spans
from chunkscope.spans.layout import Layout

LINE_END = "\n"
"""Stands behind each prepended span."""


@dataclass(frozen=True)
class Scale:
    """What spans weigh in one unit.

    Attributes
    ----------
    begins : int64 (u,) or None
        Where the units of all documents begin, in order; None: characters.
    line_end : int
        What a line end weighs.
    unit : str
        Its name.
    """

    begins: IntArray | None = None
    line_end: int = 1
    unit: str = "char"

    def weigh(self, spans: SpanArray) -> IntArray:
        """Count the units that begin in each span."""
        if self.begins is None:
            return spans[:, 1] - spans[:, 0]
        low, high = (np.searchsorted(self.begins, spans[:, side]) for side in (0, 1))
        return (high - low).astype(np.int64, copy=False)


CHARACTERS = Scale()


class Weights(NamedTuple):
    """What each text weighs, and how much of that is prepended; int64 (m,) both."""

    total: IntArray
    prepended: IntArray


@dataclass(frozen=True)
class IndexTexts:
    """The texts to index of all chunks of a cell.

    Attributes
    ----------
    bodies : int64 (m, 2)
    owners : int64 (p,)
        The chunk that each of `prepended` stands in front of; never falls.
    prepended : int64 (p, 2)
        In the order of the document.

    Examples
    --------
    >>> texts = IndexTexts(as_spans([(0, 4), (4, 8)]), np.array([1]), as_spans([(0, 2)]))
    >>> list(texts.write(["# A\\nbcd."], Layout.of(["a.md"], [8])))
    ['# A\\n', '# \\nbcd.']
    >>> texts.weights(CHARACTERS).total.tolist()
    [4, 7]
    """

    bodies: SpanArray
    owners: IntArray
    prepended: SpanArray

    @classmethod
    def of(cls, chunks: ChunkSet, prependable: Prependable | None) -> IndexTexts:
        """Find what each chunk prepends, or nothing where nothing was collected; pieces have their own texts."""
        texts = cls.of_spans(chunks.bodies, chunks, prependable)
        return texts if chunks.pieces is None else PieceTexts.around(chunks.pieces, texts)

    @classmethod
    def of_spans(cls, spans: SpanArray, chunks: ChunkSet, prependable: Prependable | None) -> IndexTexts:
        """Find what other spans would prepend if they were chunks of a set."""
        if prependable is None or not chunks.chunker.prepend:
            return cls(spans, np.empty(0, dtype=np.int64), as_spans([]))
        return cls(spans, *prepended_spans(prependable, chunks.chunker, spans, chunks.layout))

    def weights(self, scale: Scale) -> Weights:
        """Weigh each text, the line ends behind what is prepended included."""
        bodies = scale.weigh(self.bodies)
        if not len(self.owners):
            return Weights(bodies, np.zeros_like(bodies))
        parts = scale.weigh(self.prepended) + scale.line_end
        prepended = np.bincount(self.owners, weights=parts, minlength=len(bodies)).astype(np.int64)
        return Weights(bodies + prepended, prepended)

    def prepended_by_chunk(self) -> list[tuple[Span, ...]]:
        """Give the spans that each chunk prepends."""
        found: list[tuple[Span, ...]] = [()] * len(self.bodies)
        for owner, (start, end) in zip(self.owners.tolist(), self.prepended.tolist(), strict=True):
            found[owner] += ((start, end),)
        return found

    def write(self, texts: Sequence[str], layout: Layout) -> Iterator[str]:
        """Write each text.

        Parameters
        ----------
        texts : sequence of str
            Those of the documents, in the layout's order.
        layout : Layout
        """
        documents = layout.documents_of(self.bodies[:, 0])
        rows = zip(
            documents.tolist(),
            layout.edges[documents].tolist(),
            self.bodies.tolist(),
            self.prepended_by_chunk(),
            strict=True,
        )
        for document, base, (start, end), prepended in rows:
            text = texts[document]
            body = text[start - base : end - base]
            yield LINE_END.join([*(text[a - base : b - base] for a, b in prepended), body]) if prepended else body


@dataclass(frozen=True)
class PieceTexts(IndexTexts):
    """The texts that a splitter gave, with what is put in front of them besides.

    Examples
    --------
    >>> pieces = Pieces(["Rules: b"], np.array([[1, 2]]), np.arange(1), np.array([2]))
    >>> texts = PieceTexts(pieces.spans, pieces.owners, pieces.prepended, pieces)
    >>> list(texts.write(["ab"], Layout.of(["a.md"], [2]))), texts.weights(CHARACTERS)
    (['Rules: b'], Weights(total=array([8]), prepended=array([7])))
    """

    pieces: Pieces

    @classmethod
    def around(cls, pieces: Pieces, texts: IndexTexts) -> PieceTexts:
        """Take what chunks in the place of pieces prepend, if the pieces do not repeat it themselves."""
        owners, prepended = texts.owners, texts.prepended
        new = pieces.is_found[owners] & ~pieces.repeats(owners, prepended)
        return cls(pieces.spans, owners[new], prepended[new], pieces)

    def weights(self, scale: Scale) -> Weights:
        """Weigh each text by itself, and what is put in front; what is more than the body is prepended."""
        total = piece_weights(self.pieces, scale.unit).copy()
        if len(self.owners):
            parts = scale.weigh(self.prepended) + scale.line_end
            total += np.bincount(self.owners, weights=parts, minlength=len(total)).astype(np.int64)
        return Weights(total, np.maximum(total - scale.weigh(self.bodies), 0))

    def prepended_by_chunk(self) -> list[tuple[Span, ...]]:
        """Give the spans in front of each: those that it repeats itself, and those that are put there."""
        own = IndexTexts(self.bodies, self.pieces.owners, self.pieces.prepended).prepended_by_chunk()
        return [(*added, *repeated) for added, repeated in zip(super().prepended_by_chunk(), own, strict=True)]

    def write(self, texts: Sequence[str], layout: Layout) -> Iterator[str]:
        """Write each text."""
        if not len(self.owners):
            yield from self.pieces.texts
            return
        edges = layout.edges.tolist()
        documents = layout.documents_of(self.bodies[:, 0]).tolist()
        rows = zip(self.pieces.texts, documents, super().prepended_by_chunk(), strict=True)
        for own, document, added in rows:
            base = edges[document]
            yield LINE_END.join([*(texts[document][a - base : b - base] for a, b in added), own])
