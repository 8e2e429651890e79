"""Ways of cutting whose chunks are texts that somebody else made: what a splitter gives, what stands in an index.

Twin: tests/oracle/spans.py
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from chunkscope.chunkers.base import Chunker, Chunking
from chunkscope.chunkers.pieces import Pieces, join_pieces
from chunkscope.corpus.document import Document
from chunkscope.spans.intervals import IntArray, Span, SpanArray
from chunkscope.splitters.alignment import Alignment, align
from chunkscope.splitters.shapes import RawPiece

REPLACEMENT = "\ufffd"
"""What stands for a character that was torn."""

_VISIBLE = re.compile(r"\S")


class Found(NamedTuple):
    """Where the pieces of one document lie.

    Attributes
    ----------
    pieces : Pieces
        With offsets in that document.
    resumes : int64 (m,)
        Where the text behind each of the outermost goes on: behind white space that was stripped.
    length : int
        Characters of the document.
    alignment : Alignment or None
        How the pieces differ from what stands there, where somebody will ask.
    """

    pieces: Pieces
    resumes: IntArray
    length: int
    alignment: Alignment | None = None


@dataclass(frozen=True)
class PieceChunker(Chunker):
    """A way of cutting whose chunks are texts that somebody else made; `pieces_of` says which."""

    @property
    def gives_pieces(self) -> bool:
        """Whether its chunks are texts that somebody else made: they are."""
        return True

    def strips(self, document: Document, pieces: Pieces) -> bool:
        """Tell whether white space at the ends of the pieces of a document was stripped: then none has any there."""
        return not _has_blank_edges(document.text, pieces.spans[pieces.is_found])

    @abstractmethod
    def pieces_of(self, documents: Sequence[Document]) -> list[Pieces]:
        """Give the pieces of each document, with offsets in that document."""

    def found_in(self, documents: Sequence[Document]) -> list[Found]:
        """Find the pieces of each document, and where the text behind them goes on."""
        return list(map(self.found, documents, self.pieces_of(documents)))

    def found(self, document: Document, pieces: Pieces) -> Found:
        """Say where the text behind the pieces of a document goes on."""
        ends = pieces.spans[pieces.outermost, 1]
        resumes = _behind_blanks(document.text, ends) if self.strips(document, pieces) else ends
        return Found(pieces, resumes, document.length)


def chunking_of(found: Sequence[Found]) -> Chunking:
    """Lay the pieces of documents one behind the other; they are judged by the outermost."""
    bases = list(accumulate((one.length for one in found), initial=0))
    pieces = join_pieces([one.pieces for one in found], bases)
    spans = pieces.spans[pieces.outermost]
    resumes = [one.resumes + base for one, base in zip(found, bases, strict=False)]
    tiles = np.column_stack((spans[:, 0], np.concatenate([np.empty(0, dtype=np.int64), *resumes])))
    return Chunking(spans, spans[:, 1] - spans[:, 0], tiles=tiles, pieces=pieces)


def read_pieces(document: Document, raw: Sequence[RawPiece]) -> Pieces:
    """Find out where the pieces of a document lie.

    Parameters
    ----------
    document : Document
    raw : sequence of RawPiece
        As they were given; offsets are checked, never believed.

    Examples
    --------
    >>> found = read_pieces(Document("a.md", "one two"), [RawPiece("one"), RawPiece("two", 3, 6)])
    >>> found.spans.tolist(), found.wrong_offsets
    ([[0, 3], [4, 7]], 1)
    """
    return pieces_at(document, raw, place(document, raw))


def place(document: Document, raw: Sequence[RawPiece]) -> Alignment:
    """Find the true span of each piece; what is claimed settles repeats, where it is true."""
    claims = [claim_of(piece) for piece in raw]
    return align(document.text, [piece.text for piece in raw], claims if any(claims) else None)


def pieces_at(document: Document, raw: Sequence[RawPiece], found: Alignment) -> Pieces:
    """Give pieces where they have been found, with the count of wrong offsets and of broken characters."""
    wrong = broken = 0
    for piece, (start, end) in zip(raw, found.spans.tolist(), strict=True):
        wrong += is_wrong(piece, (start, end))
        broken += is_broken(piece.text, document.text, (start, end))
    return Pieces(
        [piece.text for piece in raw],
        found.spans,
        np.arange(len(raw)),
        found.kinds,
        found.owners,
        found.prepended,
        wrong_offsets=wrong,
        n_broken=broken,
    )


def claim_of(piece: RawPiece) -> Span | None:
    """Give the span that is claimed for a piece."""
    if piece.start is None:
        return None
    return piece.start, piece.start + len(piece.text) if piece.end is None else piece.end


def is_wrong(piece: RawPiece, span: Span) -> bool:
    """Tell whether offsets are claimed that are not those of the piece."""
    claim = claim_of(piece)
    return claim is not None and claim != span


def is_broken(piece: str, text: str, span: Span) -> bool:
    """Tell whether a character was torn: the piece has a replacement character that the text has not there."""
    return REPLACEMENT in piece and piece.count(REPLACEMENT) > text.count(REPLACEMENT, *span)


def _behind_blanks(text: str, ends: IntArray) -> IntArray:
    """Move offsets behind the white space that stands there."""
    moved = ends.copy()
    for row, end in enumerate(ends.tolist()):
        if text[end : end + 1].isspace():
            found = _VISIBLE.search(text, end)
            moved[row] = found.start() if found else len(text)
    return moved


def _has_blank_edges(text: str, spans: SpanArray) -> bool:
    return any(text[start].isspace() or text[end - 1].isspace() for start, end in spans.tolist())
