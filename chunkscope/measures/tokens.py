"""What it costs to embed the chunks of a cell: tokens, whatever unit the sizes are counted in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chunkscope.chunkers.base import Chunker
from chunkscope.chunkers.chunk_set import ChunkSet
from chunkscope.chunkers.prepending import Prependable, find_prependable, join_prependable, prepended_spans
from chunkscope.spans.intervals import IntArray, SpanArray
from chunkscope.spans.layout import Layout
from chunkscope.structure.analysis import DocumentAnalysis
from chunkscope.structure.units import get_unit


class TokenMeasure:
    """Counts the tokens of all chunks, prepended text included, blank chunks left out."""

    def __init__(self, unit: str, chunkers: Sequence[Chunker]) -> None:
        self.unit = unit
        self.prepends = {what for chunker in chunkers for what in chunker.prepend}

    def collect(self, analysis: DocumentAnalysis) -> tuple[IntArray, SpanArray, Prependable | None]:
        """Take where tokens begin, the blank runs, and what chunks can prepend."""
        prependable = find_prependable(analysis, self.prepends) if self.prepends else None
        return analysis.measured(get_unit(self.unit)).begins, analysis.blank_runs, prependable

    def bind(self, collected: Sequence[tuple[IntArray, SpanArray, Prependable | None]], layout: Layout) -> BoundTokens:
        """Lay what was taken from the documents one behind the other."""
        bases = layout.edges[:-1].tolist()
        none = np.empty((0, 2), dtype=np.int64)
        prependable = [found for _, _, found in collected if found is not None]
        return BoundTokens(
            np.concatenate(
                [none[:, 0], *(begins + base for (begins, _, _), base in zip(collected, bases, strict=False))]
            ),
            np.concatenate([none, *(runs + base for (_, runs, _), base in zip(collected, bases, strict=False))]),
            join_prependable(prependable, layout) if self.prepends else None,
        )


@dataclass(frozen=True)
class BoundTokens:
    """Where the tokens of all documents begin."""

    begins: IntArray
    blank_runs: SpanArray
    prependable: Prependable | None

    def count(self, chunks: ChunkSet) -> dict[str, int]:
        """Count the tokens to embed."""
        spans = chunks.spans
        weights = self._weigh(spans)
        if self.prependable is not None and chunks.chunker.prepend:
            owners, prepended = prepended_spans(self.prependable, chunks.chunker, spans, chunks.layout)
            weights = weights + np.bincount(owners, weights=self._weigh(prepended), minlength=len(spans)).astype(
                np.int64
            )
        if len(self.blank_runs) and len(spans):
            last = np.searchsorted(self.blank_runs[:, 0], spans[:, 0], side="right") - 1
            weights = weights[(last < 0) | (self.blank_runs[last, 1] < spans[:, 1])]
        return {"tokens": int(weights.sum())}

    def _weigh(self, spans: SpanArray) -> IntArray:
        return np.searchsorted(self.begins, spans[:, 1]) - np.searchsorted(self.begins, spans[:, 0])
