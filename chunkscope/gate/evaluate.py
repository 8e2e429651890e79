"""One setting over all documents: what is counted, and each finding, from the same scan."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import add

import numpy as np

from chunkscope.chunkers.base import Chunker
from chunkscope.chunkers.chunk_set import ChunkSet
from chunkscope.corpus.reading import Corpus
from chunkscope.errors import InputError
from chunkscope.gate.index import IndexState, compare_index, judge_index
from chunkscope.gate.suggestions import Suggester
from chunkscope.gate.thresholds import NEEDS_QUESTIONS, Thresholds
from chunkscope.grid.batches import BATCH_CHARACTERS, Batch, tie_batches
from chunkscope.grid.notation import Overlap
from chunkscope.grid.results import Cell, in_order_of_questions
from chunkscope.grid.scan import Scan, scan
from chunkscope.measures.base import Measure
from chunkscope.measures.chunks import BoundChunks, ChunkMeasure
from chunkscope.measures.evidence import BoundEvidence, EvidenceMeasure
from chunkscope.measures.findings import (
    Finding,
    Places,
    find_blank,
    find_broken,
    find_evidence,
    find_heavy,
    find_lost_rows,
    find_needed_rows,
    find_oversize,
)
from chunkscope.measures.tables import BoundTables, TableMeasure
from chunkscope.measures.tokens import BoundTokens, TokenMeasure
from chunkscope.questions.labels import Labels
from chunkscope.splitters.dump import as_index

Ranking = Callable[[Labels, Chunker], Measure]
"""Makes a measure that ranks the chunks of one setting: `chunkscope.retrieval` has one, and the gate knows none."""


@dataclass
class Evaluation:
    """What one setting comes to.

    Attributes
    ----------
    cell : Cell
        The counts.
    findings : list of Finding
    spoilt : dict
        The questions that are spoilt for each threshold.
    may_be_cut, in_first : int
        Evidence in documents that are cut at all, and how much of that the first chunk of its document holds.
    index : IndexState or None
        Where the chunks are those of an index.
    """

    cell: Cell
    findings: list[Finding] = field(default_factory=list)
    spoilt: dict[str, set[str]] = field(default_factory=dict)
    may_be_cut: int = 0
    in_first: int = 0
    index: IndexState | None = None

    def __add__(self, other: Evaluation) -> Evaluation:
        spoilt = {name: self.spoilt.get(name, set()) | other.spoilt.get(name, set()) for name in NEEDS_QUESTIONS}
        return Evaluation(
            self.cell + other.cell,
            self.findings + other.findings,
            spoilt,
            self.may_be_cut + other.may_be_cut,
            self.in_first + other.in_first,
            self.index + other.index if self.index and other.index else None,
        )


def evaluate(
    corpus: Corpus,
    labels: Labels | None,
    chunker: Chunker,
    thresholds: Thresholds,
    overlap: Overlap | None,
    ranking: Ranking | None = None,
) -> Evaluation:
    """Look at all documents once; the thresholds tell what has to be found. What ranks sees all chunks together."""
    ranked = [ranking(labels, chunker)] if ranking and labels and labels.valid else []
    batches = tie_batches(corpus, labels.valid if labels else (), None if ranked else BATCH_CHARACTERS)
    found = reduce(add, (_evaluate(batch, chunker, thresholds, overlap, ranked) for batch in batches))
    if ranked and len(found.cell.retrieval or ()) != 1:
        raise InputError(f"check ranks with one retriever, not {len(found.cell.retrieval or ())}")
    index = as_index(chunker)
    if index is not None and found.index is not None:
        found.index = judge_index(found.index, index)
    [found.cell] = in_order_of_questions([found.cell], labels.valid if labels else ())
    return found


def _evaluate(
    batch: Batch, chunker: Chunker, thresholds: Thresholds, overlap: Overlap | None, ranked: Sequence[Measure]
) -> Evaluation:
    limit_unit = thresholds.model_unit or chunker.unit
    evidence = EvidenceMeasure(batch.questions, (chunker,))
    measures: list[Measure] = [ChunkMeasure((chunker,)), evidence, TableMeasure(), *ranked]
    units = {chunker.unit}
    if thresholds.model_limit is not None and not thresholds.max_oversize.is_off:
        measures.append(TokenMeasure(limit_unit, (chunker,)))
        units.add(limit_unit)
    scanned = scan(batch.documents, (chunker,), measures, sorted(units - {"char"}))
    chunks = scanned.chunks(chunker)
    suggester = Suggester(chunker, overlap, scanned.layout, scanned.boundaries[chunker.segmenter])
    found = list(_findings(scanned, chunks, chunker, thresholds, suggester))
    spoilt, (may_be_cut, in_first) = _spoilt(scanned, chunks), _in_first(scanned, chunks)
    dump = as_index(chunker)
    state = None if dump is None else compare_index(batch.documents, scanned.boundaries[chunker.segmenter], dump)
    return Evaluation(scanned.cell(chunks, chunker), found, spoilt, may_be_cut, in_first, state)


def _findings(
    scanned: Scan, chunks: ChunkSet, chunker: Chunker, thresholds: Thresholds, suggester: Suggester
) -> Iterator[Finding]:
    """Find what the thresholds ask for; a row that a question needs is found once, for the question."""
    places = Places(scanned.layout, scanned.documents)
    needed: set[object] = set()
    if (evidence := scanned.of_kind(BoundEvidence)) is not None and len(evidence.table):
        yield from find_evidence(places, evidence, chunks, suggester)
        for finding in find_needed_rows(places, evidence, chunks, suggester):
            needed.add((finding.document, finding.span))
            yield finding
    if not thresholds.max_rows_header_lost.is_off and (tables := scanned.of_kind(BoundTables)) is not None:
        rows = find_lost_rows(places, tables.rows, chunks, suggester)
        yield from (finding for finding in rows if (finding.document, finding.span) not in needed)
    if not thresholds.max_blank.is_off and (own := scanned.of_kind(BoundChunks)) is not None:
        yield from find_blank(places, chunks, own.blank_runs.spans)
    if thresholds.model_limit is not None and (units := scanned.of_kind(BoundTokens)) is not None:
        unit = thresholds.model_unit or chunker.unit
        yield from find_heavy(places, chunks, units.weights(chunks), thresholds.model_limit, unit)
    elif not thresholds.max_oversize.is_off and chunks.n_oversize:
        yield from find_oversize(places, chunks, chunker.required_size(), chunker.unit)
    if not thresholds.max_broken.is_off:
        yield from find_broken(places, chunks)


def _spoilt(scanned: Scan, chunks: ChunkSet) -> dict[str, set[str]]:
    """Name the questions that count for each threshold."""
    evidence = scanned.of_kind(BoundEvidence)
    if evidence is None:
        return {}
    split = ~chunks.contains(evidence.spans)
    bad = {
        "max_split": split,
        "max_missing": split & ~chunks.covered(evidence.spans),
        "max_header_lost": evidence.header_lost(chunks),
    }
    table = evidence.table
    return {
        name: {one for one, is_bad in zip(table.ids, table.spoilt(spans).tolist(), strict=True) if is_bad}
        for name, spans in bad.items()
    }


def _in_first(scanned: Scan, chunks: ChunkSet) -> tuple[int, int]:
    """Count the evidence in documents of several chunks, and what of it the first of these holds."""
    bound = scanned.of_kind(BoundEvidence)
    if bound is None or not len(chunks.spans):
        return 0, 0
    layout, evidence = chunks.layout, bound.spans.spans
    documents, firsts, n_chunks = np.unique(
        layout.documents_of(chunks.spans[:, 0]), return_index=True, return_counts=True
    )
    ends = np.zeros(len(layout.names), dtype=np.int64)  # of the first chunk, where others follow
    ends[documents] = np.where(n_chunks > 1, chunks.spans[firsts, 1], 0)
    end = ends[layout.documents_of(evidence[:, 0])]
    return int(np.count_nonzero(end)), int(np.count_nonzero((end > 0) & (evidence[:, 1] <= end)))
