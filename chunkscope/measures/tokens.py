"""What it costs to embed the chunks of a cell: tokens, whatever unit the sizes are counted in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chunkscope.chunkers.base import Chunker
from chunkscope.chunkers.carrying import Carriable, carried_spans, find_carriable, join_carriable
from chunkscope.chunkers.chunk_set import ChunkSet
from chunkscope.spans.intervals import IntArray, SpanArray
from chunkscope.spans.layout import Layout
from chunkscope.structure.analysis import Parts
from chunkscope.structure.units import get_unit


class TokenMeasure:
    """Counts the tokens of all chunks, carried text included, blank chunks left out."""

    def __init__(self, unit: str, chunkers: Sequence[Chunker]) -> None:
        self.unit = unit
        self.carries = {what for chunker in chunkers for what in chunker.carry}

    def observe(self, parts: Parts) -> tuple[IntArray, SpanArray, Carriable | None]:
        """Take where tokens begin, the blank runs, and what chunks can carry."""
        carriable = find_carriable(parts, self.carries) if self.carries else None
        return parts.measured(get_unit(self.unit)).begins, parts.blank_runs, carriable

    def prepare(self, observed: Sequence[tuple[IntArray, SpanArray, Carriable | None]], layout: Layout) -> TokenGauge:
        """Lay what was taken from the documents one behind the other."""
        bases = layout.edges[:-1].tolist()
        none = np.empty((0, 2), dtype=np.int64)
        carriable = [found for _, _, found in observed if found is not None]
        return TokenGauge(
            np.concatenate(
                [none[:, 0], *(begins + base for (begins, _, _), base in zip(observed, bases, strict=False))]
            ),
            np.concatenate([none, *(runs + base for (_, runs, _), base in zip(observed, bases, strict=False))]),
            join_carriable(carriable, layout) if self.carries else None,
        )


@dataclass(frozen=True)
class TokenGauge:
    """Where the tokens of all documents begin."""

    begins: IntArray
    blank_runs: SpanArray
    carriable: Carriable | None

    def count(self, chunks: ChunkSet) -> dict[str, int]:
        """Count the tokens to embed."""
        spans = chunks.spans
        weights = self._weigh(spans)
        if self.carriable is not None and chunks.chunker.carry:
            owners, carried = carried_spans(self.carriable, chunks.chunker, spans, chunks.layout)
            weights = weights + np.bincount(owners, weights=self._weigh(carried), minlength=len(spans)).astype(np.int64)
        if len(self.blank_runs) and len(spans):
            last = np.searchsorted(self.blank_runs[:, 0], spans[:, 0], side="right") - 1
            weights = weights[(last < 0) | (self.blank_runs[last, 1] < spans[:, 1])]
        return {"tokens": int(weights.sum())}

    def _weigh(self, spans: SpanArray) -> IntArray:
        return np.searchsorted(self.begins, spans[:, 1]) - np.searchsorted(self.begins, spans[:, 0])
