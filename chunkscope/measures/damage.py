"""What each document loses at one setting: what is cut in two, and what has lost its header.

Twin: tests/oracle/damage.py
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from chunkscope.chunkers.chunk_set import ChunkSet
from chunkscope.measures.evidence import BoundEvidence
from chunkscope.measures.tables import BoundTables
from chunkscope.measures.wholeness import BoundWholeness
from chunkscope.spans.intervals import BoolArray, IntArray
from chunkscope.spans.layout import Layout

HEADER_LOST = "header_lost"


@dataclass(frozen=True)
class DocumentDamage:
    """What one document loses at a setting.

    Attributes
    ----------
    document : str
    characters : int
    lost : dict of str to (int, int)
        How many of each kind are lost, of how many: ``evidence``, else ``sentences``, ``code_blocks``, ``headings`` and
        ``table_rows``, which are cut in two; and ``header_lost``, pieces of evidence or rows without their header.
    """

    document: str
    characters: int
    lost: dict[str, tuple[int, int]]

    @property
    def cuts(self) -> int:
        """How many things are cut in two."""
        return sum(n for kind, (n, _) in self.lost.items() if kind != HEADER_LOST)

    @property
    def header_lost(self) -> int:
        """How many rows or pieces of evidence have lost their header."""
        return self.lost.get(HEADER_LOST, (0, 0))[0]


def worst_first(found: Sequence[DocumentDamage]) -> tuple[DocumentDamage, ...]:
    """Order documents by what they lose, then by name."""
    return tuple(sorted(found, key=lambda one: (-one.cuts - one.header_lost, one.document)))


def damage_of(layout: Layout, bound: Sequence[object], chunks: ChunkSet) -> Iterator[DocumentDamage]:
    """Give what each document loses in a cell; those that lose nothing are left out."""
    n_documents = len(layout.names)
    counted: dict[str, tuple[IntArray, IntArray]] = {}
    for kind, documents, lost in _judged(bound, chunks):
        counted[kind] = (
            np.bincount(documents[lost], minlength=n_documents),
            np.bincount(documents, minlength=n_documents),
        )
    any_lost = np.sum([lost for lost, _ in counted.values()], axis=0, dtype=np.int64) if counted else np.zeros(0)
    for number in np.flatnonzero(any_lost).tolist():
        found = {kind: (int(some[number]), int(each[number])) for kind, (some, each) in counted.items() if each[number]}
        yield DocumentDamage(layout.names[number], int(layout.lengths[number]), found)


def count_damage(layout: Layout, bound: Sequence[object], chunks: ChunkSet) -> IntArray:
    """Count what each document loses in a cell: int64 (d, 2), things cut in two, and headers lost."""
    counted = np.zeros((len(layout.names), 2), dtype=np.int64)
    for kind, documents, lost in _judged(bound, chunks):
        counted[:, int(kind == HEADER_LOST)] += np.bincount(documents[lost], minlength=len(layout.names))
    return counted


def _judged(bound: Sequence[object], chunks: ChunkSet) -> Iterator[tuple[str, IntArray, BoolArray]]:
    """Give each kind, the documents of its members, and which of them are lost."""
    evidence = next((measure for measure in bound if isinstance(measure, BoundEvidence)), None)
    if evidence is not None:
        documents, split = evidence.spans.documents, ~chunks.contains(evidence.spans)
        yield "evidence", documents, split
        if len(evidence.rows):
            asks = np.zeros(len(documents), dtype=np.bool_)
            asks[evidence.row_evidence] = True
            yield HEADER_LOST, documents[asks], (evidence.header_lost(chunks) & ~split)[asks]
        return
    for measure in bound:
        if isinstance(measure, BoundWholeness):
            for kind, targets in measure.targets.items():
                yield kind, targets.documents, ~chunks.contains(targets)
        elif isinstance(measure, BoundTables):
            whole = chunks.contains(measure.rows.rows)
            yield "table_rows", measure.rows.rows.documents, ~whole
            yield HEADER_LOST, measure.rows.rows.documents, whole & ~measure.rows.with_header(chunks)
