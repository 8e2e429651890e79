"""Documents that are no longer in force, and their chunks that do not say so.

Twin: tests/oracle/status.py
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chunkscope.chunkers.cells import Cells
from chunkscope.chunkers.chunk_set import ChunkSet
from chunkscope.chunkers.prepending import front_matter_line
from chunkscope.measures.base import Column, each_cell
from chunkscope.spans.intervals import SpanArray, as_spans
from chunkscope.spans.layout import Layout
from chunkscope.structure.analysis import DocumentAnalysis

KEY = "status"
NOT_IN_FORCE = frozenset(
    [
        "abolished",
        "archive",
        "archived",
        "cancelled",
        "canceled",
        "deprecated",
        "draft",
        "expired",
        "obsolete",
        "outdated",
        "repealed",
        "replaced",
        "retired",
        "superseded",
        "withdrawn",
        "廃止",
        "廃止済み",
        "失効",
        "旧版",
        "改廃",
        "無効",
        "草案",
        "下書き",
        "アーカイブ",
    ]
)


class StatusMeasure:
    """Counts chunks of documents whose front matter has a `status` that warns, and those of them without that line."""

    def collect(self, analysis: DocumentAnalysis) -> tuple[bool, SpanArray]:
        """Tell whether the document's status warns, and take the line that says so."""
        lines = front_matter_line(analysis.document, KEY)
        warns = bool(lines) and str(analysis.document.attributes.get(KEY)).strip().lower() in NOT_IN_FORCE
        return warns, as_spans(lines if warns else [])

    def bind(self, collected: Sequence[tuple[bool, SpanArray]], layout: Layout) -> BoundStatus:
        """Lay the lines of documents one behind the other."""
        warns = np.array([warns for warns, _ in collected], dtype=np.bool_)
        return BoundStatus(warns, layout.lay_spans([line for _, line in collected]))


@dataclass(frozen=True)
class BoundStatus:
    """Which documents warn, and the lines that say so."""

    warns: np.typing.NDArray[np.bool_]
    lines: SpanArray

    def count(self, cells: Cells) -> dict[str, Column]:
        """Count chunks; nothing where no document warns."""
        return each_cell(cells, self._count) if self.warns.any() else {}

    def _count(self, chunks: ChunkSet) -> dict[str, int]:
        documents = chunks.layout.documents_of(chunks.bodies[:, 0])
        concerned = self.warns[documents]
        if f"front-matter:{KEY}" in chunks.chunker.prepend:
            unmarked = 0
        else:
            spans, of_line = chunks.bodies[concerned], np.cumsum(self.warns)[documents[concerned]] - 1
            lines = self.lines[of_line]
            holds = (spans[:, 0] <= lines[:, 0]) & (spans[:, 1] >= lines[:, 1])
            if chunks.pieces is not None:
                holds |= chunks.pieces.repeats(np.flatnonzero(concerned), lines)
            unmarked = int(np.count_nonzero(~holds))
        return {"status_chunks": int(np.count_nonzero(concerned)), "unmarked_chunks": unmarked}
