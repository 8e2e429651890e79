"""Tokens: packed by whole characters, or raw windows as ``decode(tokens[i:j])`` makes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from chunkscope.chunkers.base import Chunker, Chunking
from chunkscope.chunkers.boundaries import Boundaries, TokenStream, join_boundaries, join_streams
from chunkscope.chunkers.fixed import FixedChunker
from chunkscope.chunkers.windows import Windows
from chunkscope.errors import ChunkerError
from chunkscope.structure.analysis import DocumentAnalysis
from chunkscope.structure.units import get_unit


@dataclass(frozen=True)
class TokenChunker(Chunker):
    """Chunks of at most `size` tokens, cut between characters only.

    Parameters
    ----------
    raw : bool
        Windows over the tokens instead, reduced to the whole characters in them; what they tear is counted.

    Examples
    --------
    >>> from chunkscope import Document, TokenChunker
    >>> text = "The pump ran for nine hours and then it stopped without a warning light."
    >>> TokenChunker(6, 2).spans(Document("a", text)).tolist()
    [[0, 27], [16, 47], [36, 71], [57, 72]]
    """

    name = "token"
    default_unit = "cl100k_base"
    raw: bool = field(default=False, kw_only=True)

    def check(self) -> None:
        """Hold the unit to token encodings."""
        if not isinstance(self.raw, bool):
            raise ChunkerError(f"token: raw={self.raw} is neither true nor false")
        if self.unit in ("char", "word"):
            raise ChunkerError(f"token: unit {self.unit} is no token encoding; use the chunker fixed for it")

    @property
    def has_windows(self) -> bool:
        """Raw windows have one step."""
        return self.raw

    @property
    def counts_raw_tokens(self) -> bool:
        """Raw windows may begin and end inside a character."""
        return self.raw

    def segment(self, analysis: DocumentAnalysis) -> Boundaries | TokenStream:
        """Give the steps between characters, or for raw windows each token."""
        if not self.raw:
            return FixedChunker(unit=self.unit).segment(analysis)
        measured = analysis.measured(get_unit(self.unit))
        entries = np.array([0, len(measured.first_whole)], dtype=np.int64)
        return TokenStream(measured.first_whole, measured.last_whole, entries)

    def join(self, boundaries: Sequence[Boundaries | TokenStream]) -> Boundaries | TokenStream:
        """Lay documents one behind the other."""
        if self.raw:
            return join_streams([part for part in boundaries if isinstance(part, TokenStream)])
        return join_boundaries([part for part in boundaries if isinstance(part, Boundaries)])

    def chunks(self, boundaries: Boundaries | TokenStream) -> Chunking:
        """Pack steps, or lay windows over the tokens."""
        return next(self.chunks_of([self], boundaries))

    def chunks_of(self, cells: Sequence[Chunker], boundaries: Boundaries | TokenStream) -> Iterator[Chunking]:
        """Do so at several sizes and overlaps."""
        if isinstance(boundaries, TokenStream):
            return (raw_windows(boundaries, cell.required_size(), cell.overlap) for cell in cells)
        packed = [FixedChunker(cell.required_size(), cell.overlap, unit=self.unit) for cell in cells]
        return packed[0].chunks_of(packed, boundaries)


def raw_windows(stream: TokenStream, size: int, overlap: int) -> Chunking:
    """Lay windows over tokens and reduce each to the whole characters in it."""
    n_tokens = np.diff(stream.documents) - 1
    laid = Windows(size, overlap).lay(n_tokens)
    base = stream.documents[:-1][laid.texts]
    begin, end = laid.begins + base, laid.ends + base
    starts, ends = stream.first_whole[begin], stream.last_whole[end]
    whole = starts < ends
    torn = np.column_stack([np.where(stream.inside[at], stream.last_whole[at], -1) for at in (begin, end)])
    is_last = laid.ends == n_tokens[laid.texts]
    return Chunking(
        spans=np.column_stack((starts, ends))[whole],
        sizes=(end - begin)[whole],
        windows=laid.numbers[whole],
        n_spanless=int((~whole).sum()),
        torn=torn[(torn >= 0).any(axis=1) | ~whole],
        n_ends_inside=int(((torn[:, 1] >= 0) & ~is_last).sum()),
        other_ends=ends[(torn[:, 1] < 0) & ~is_last],
    )
