"""A splitter whose pieces are taken from the store, and whose code is not run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import ClassVar

from chunkscope.chunkers.base import Chunker, Chunking
from chunkscope.chunkers.pieces import Pieces
from chunkscope.corpus.document import Document
from chunkscope.errors import SplitterError
from chunkscope.language import say
from chunkscope.splitters.chunker import SplitterChunker
from chunkscope.splitters.kept import KeptPieces
from chunkscope.splitters.pieces import PieceChunker, chunking_of
from chunkscope.structure.analysis import DocumentAnalysis


@dataclass(frozen=True)
class RememberedChunker(PieceChunker):
    """The pieces that a splitter gave, as they are kept.

    Parameters
    ----------
    spec, version, settings : str
        By which they are kept; see `memory_of`.
    cache : str, optional
        The file in which they are.
    """

    name: ClassVar[str] = "remembered"
    spec: str = field(kw_only=True)
    version: str = field(kw_only=True)
    settings: str = field(default="", kw_only=True)
    cache: str | None = field(default=None, kw_only=True, repr=False, compare=False)

    @property
    def needs_size(self) -> bool:
        """Whether it has one is known by whoever asks."""
        return False

    def segment(self, analysis: DocumentAnalysis) -> tuple[Document, ...]:
        """Take the document itself."""
        return (analysis.document,)

    def join(self, boundaries: Sequence[tuple[Document, ...]]) -> tuple[Document, ...]:
        """Take the documents together."""
        return tuple(chain.from_iterable(boundaries))

    def chunks(self, boundaries: tuple[Document, ...]) -> Chunking:
        """Lay the pieces one behind the other."""
        return chunking_of(self.found_in(boundaries))

    def pieces_of(self, documents: Sequence[Document]) -> list[Pieces]:
        """Look the pieces up.

        Raises
        ------
        SplitterError
            Those of a document are not there.
        """
        setting = [self.spec, self.version, self.settings, self.unit, str(self.size), str(self.overlap)]
        found = KeptPieces(self.cache, self.spec, setting).get(documents)
        pieces = [one for one in found if one is not None]
        if len(pieces) < len(found):
            raise SplitterError(say("the cache no longer has its pieces; --chunker {spec} cuts again", spec=self.spec))
        return pieces


def memory_of(chunker: Chunker) -> dict[str, str] | None:
    """Give what is to be known of a splitter to find its pieces again; None for what keeps none.

    Examples
    --------
    >>> from chunkscope import FixedChunker
    >>> memory_of(FixedChunker()) is None
    True
    """
    if not isinstance(chunker, SplitterChunker) or chunker.splitter.version is None:
        return None
    return {
        "spec": chunker.spec,
        "version": chunker.splitter.version,
        "settings": chunker.settings,
        "unit": chunker.unit,
    }
